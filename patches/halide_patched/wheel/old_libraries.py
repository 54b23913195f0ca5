"""Stand-ins for this system's C and C++ libraries to link against, with only what older ones have too. What is linked with
them and with libstdc++.a behind them runs wherever libraries of those versions are: what the old ones lack comes in
statically. Only names, kinds and sizes are in them, so nothing can run with them."""

import pathlib
import re
import subprocess

# The newest symbols that manylinux_2_28 allows (PEP 600; auditwheel's policy lists them).
NEWEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}
IN_LIBDL = {"dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlmopen", "dlopen", "dlsym", "dlvsym"}  # until glibc 2.34
SYMBOL = re.compile(r"[0-9a-f]{16} (.{7}) (\S+)\t([0-9a-f]+)\s+(\S+)\s+(?:\.hidden |\.protected )?(\S+)$")


def version_of(text: str) -> tuple:
    """"GLIBC_2.3.4" -> ("GLIBC", (2, 3, 4)); ("", ()) for what is no such version."""
    match = re.fullmatch(r"([A-Z]+)_([\d.]+)", text)
    return (match[1], tuple(map(int, match[2].split(".")))) if match else ("", ())


def is_old(version: str) -> bool:
    name, number = version_of(version)
    return name in NEWEST and number <= NEWEST[name]


def defined(library: pathlib.Path) -> dict:
    """The newest old version of each name that the library defines: {name: (version, kind for the assembler, size)}."""
    listed = subprocess.run(["objdump", "-T", library], check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for flags, section, size, version, name in (match.groups() for match in map(SYMBOL.match, listed) if match):
        version = version.strip("()")
        if section in ("*UND*", "*ABS*") or not is_old(version):
            continue
        if name not in found or version_of(found[name][0])[1] < version_of(version)[1]:
            kind = "tls_object" if section.startswith(".t") and section != ".text" else "object" if "O" in flags else "function"
            found[name] = (version, kind, int(size, 16))
    return found


def write(path: pathlib.Path, soname: str, names: dict):
    sections = {"function": ".text", "object": ".data", "tls_object": '.section .tbss,"awT",@nobits'}
    lines = [f'{sections[kind]}\n.globl "{name}"\n.type "{name}",@{kind}\n.size "{name}",{size}\n"{name}":\n'
             for name, (_, kind, size) in sorted(names.items())]
    source, versions = path.with_suffix(".s"), path.with_suffix(".map")
    source.write_text("".join(lines) + '.section .note.GNU-stack,"",@progbits\n')
    by_version = {}
    for name, (version, *_) in sorted(names.items()):
        by_version.setdefault(version, []).append(f'"{name}"')
    versions.write_text("".join(f"{version} {{ global: {'; '.join(listed)}; }};\n" for version, listed in sorted(by_version.items())))
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", path, source,
                    f"-Wl,--version-script={versions}", f"-Wl,-soname,{soname}"], check=True)


def newer(folder: pathlib.Path) -> pathlib.Path:
    """What the libstdc++.a of newer systems asks of their C library: a byte (since glibc 2.32) that is 0 where other threads may run."""
    source, compiled = folder / "newer.s", folder / "newer.o"
    name = "__libc_single_threaded"
    source.write_text(f'.bss\n.globl {name}\n.hidden {name}\n.type {name},@object\n.size {name},1\n{name}: .zero 1\n'
                      '.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["gcc", "-c", source, "-o", compiled], check=True)
    return compiled


def of_compiler(compiler: str, name: str) -> pathlib.Path:
    """The file that the compiler links for a name."""
    done = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return pathlib.Path(done.stdout.strip()).resolve()


def stand_ins(folder: pathlib.Path, compiler: str) -> list:
    """Writes them; what to link instead of the compiler's own libraries, in this order."""
    folder.mkdir(parents=True, exist_ok=True)
    c, cxx, loader = (defined(of_compiler(compiler, name)) for name in ("libc.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2"))
    libraries = {
        "libstdc++.so.6": cxx,
        "libc.so.6": {name: of for name, of in c.items() if name not in IN_LIBDL},
        "libdl.so.2": {name: of for name, of in c.items() if name in IN_LIBDL},
        "ld-linux-x86-64.so.2": loader,
    }
    for soname, names in libraries.items():
        write(folder / soname, soname, names)
    shared = [folder / soname for soname in libraries]
    return [shared[0], newer(folder), of_compiler(compiler, "libstdc++.a"), of_compiler(compiler, "libgcc_s.so.1"), *shared[1:], "-lgcc"]
