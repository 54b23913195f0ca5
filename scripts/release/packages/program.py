"""The package `cliffbench`: one program with everything linked in but the C library, as a wheel and as an archive for each
system. In the wheel the report's scripts lie as in the checkout."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from assemble import ROOT, File, Wheel, tree, version, write_archive, write_wheel
from linked import check_elf, check_no_paths

HERE = pathlib.Path(__file__).parent
SUMMARY = "Fails a build when any Google Benchmark program got slower; reproduces performance cliffs and judges patches"


@dataclass(frozen=True)
class Target:
    name: str   # of the archive
    zig: str    # what Zig calls it, with the oldest system
    tag: str    # what Python's packages call it


TARGETS = (Target("linux-x86_64", "x86_64-linux-gnu.2.28", "manylinux_2_28_x86_64"),
           Target("linux-aarch64", "aarch64-linux-gnu.2.28", "manylinux_2_28_aarch64"),
           Target("macos-arm64", "aarch64-macos.11.0", "macosx_11_0_arm64"))
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"}

# The licence files of the libraries that are linked in, as the system or Zig has them.
ZIG = ROOT / ".deps/cross/python/ziglang"
LINKED_IN = {"CLI11": "/usr/share/doc/libcli11-dev/copyright", "fmt": "/usr/share/doc/libfmt-dev/copyright",
             "nlohmann-json": "/usr/share/doc/nlohmann-json3-dev/copyright", "xxhash": "/usr/share/doc/libxxhash-dev/copyright",
             "libc++": ZIG / "lib/libcxx/LICENSE.TXT", "libc++abi": ZIG / "lib/libcxxabi/LICENSE.TXT",
             "libunwind": ZIG / "lib/libunwind/LICENSE.TXT", "zig": ZIG / "LICENSE"}

FIELDS = (
    f"Summary: {SUMMARY}",
    "Author: The cliffbench authors",
    "License-Expression: MIT AND BSD-3-Clause AND BSD-2-Clause AND Apache-2.0 WITH LLVM-exception",
    "Keywords: benchmark,performance,regression,continuous-integration,google-benchmark",
    *(f"Classifier: {name}" for name in (
        "Development Status :: 4 - Beta", "Environment :: Console", "Intended Audience :: Developers",
        "Operating System :: MacOS", "Operating System :: POSIX :: Linux", "Programming Language :: C++",
        "Programming Language :: Python :: 3", "Topic :: Software Development :: Quality Assurance", "Topic :: System :: Benchmark")),
    "Requires-Python: >=3.7",
    "Provides-Extra: report",
    *(f"Requires-Dist: {need}; python_version >= '3.11' and extra == 'report'" for need in (
        "fastjsonschema>=2.19", "jinja2>=3.1", "matplotlib>=3.9", "xxhash>=3.0")),
)


def licences(linked_in=tuple(LINKED_IN)) -> dict[str, File]:
    files = {"LICENSE": ROOT / "LICENSE"} | {f"LICENSE-{name}.txt": pathlib.Path(LINKED_IN[name]) for name in linked_in}
    return {name: File(path.read_bytes()) for name, path in files.items()}


def description() -> str:
    """README without what leads into the checkout: pictures, comments, links to files."""
    text = re.sub(r"<picture>.*?</picture>|<!--.*?-->|^!\[.*$", "", (ROOT / "README.md").read_text(), flags=re.S | re.M)
    text = re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def compiled(target: Target) -> pathlib.Path:
    """The program for that system. What compiling says goes into a log, and is shown when it fails."""
    folder = ROOT / "build/packages" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    print(f"packages: compiling cliffbench for {target.zig} (log: {log.relative_to(ROOT)})", flush=True)
    steps = (["cmake", "--preset", "bench", "-B", folder, "--toolchain", HERE / "zig.cmake", f"-DZIG_TARGET={target.zig}",
              "-DCLIFFBENCH_ONLY=program", "-DCMAKE_EXE_LINKER_FLAGS=-s"],
             ["cmake", "--build", folder, "--target", "cliffbench"])
    with open(log, "w") as out:
        for step in steps:
            if subprocess.run(step, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT).returncode:
                sys.stderr.write(log.read_text())
                raise subprocess.CalledProcessError(13, step)
    return folder / "cliffbench"


def check(program: pathlib.Path, target: Target) -> None:
    check_no_paths(program.name, program.read_bytes())
    if "linux" in target.zig:
        check_elf(program, LIBRARIES, {"GLIBC": (2, 28)})
    else:
        subprocess.run([sys.executable, ROOT / "scripts/setup/cross/macho.py", program.parent, program.name], check=True)


def wheel(program: bytes, target: Target) -> Wheel:
    return Wheel("cliffbench", f"py3-none-{target.tag}", FIELDS, description(), licences=licences(),
                 files=tree(HERE / "cliffbench", "cliffbench") | tree(ROOT / "scripts/report", "cliffbench/scripts/report")
                 | {"cliffbench/bin/cliffbench": File(program, executable=True),
                    "cliffbench/scripts/report.py": File((ROOT / "scripts/report.py").read_bytes()),
                    "cliffbench/results/issues.toml": File((ROOT / "results/issues.toml").read_bytes())}
                  | tree(ROOT / "results", "cliffbench/results", "*schema.json"),
                 commands={"cliffbench": "cliffbench.__main__:main"})


def archive(program: bytes) -> dict[str, File]:
    return {"cliffbench": File(program, executable=True), "README.md": File(description().encode()),
            "CHANGELOG.md": File((ROOT / "CHANGELOG.md").read_bytes())} | licences()


def build(dist: pathlib.Path) -> Iterator[pathlib.Path]:
    for target in TARGETS:
        program = compiled(target)
        check(program, target)
        data = program.read_bytes()
        yield write_wheel(dist, wheel(data, target))
        yield write_archive(dist, f"cliffbench-{version()}-{target.name}", archive(data))
