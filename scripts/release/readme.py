"""Runs README's blocks as pasted, in order, in one shell, and compares what they print.

    python3 scripts/release/readme.py [--page FILE]              here, in a clone of its own
    python3 scripts/release/readme.py --on bookworm --on trixie  on a minimal Debian each (debootstrap and chroot; as root)

A block `sh` is typed line by line. A block `python` is run by `python3` of the same shell. A block `text` is what the block
before it prints: its lines, in any order, among others; numbers may differ. A comment "exit code N" expects that code.
README's old/my_benchmark and new/my_benchmark are built of scripts/release/readme_benchmark.cpp before the line that names them.
Needs Python alone. Exit: 0 all is as README says, 13 something is not, 2 usage.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
END = "README-LINE-ENDED"
STAND_INS = {"old/my_benchmark": [], "new/my_benchmark": ["-DMORE"]}
# What a minimal Debian has here, and what of this machine it needs to reach its mirrors and registries.
PACKAGES = "git,make,ca-certificates,sudo,python3"
REACH = ("/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts")
OWN_MOUNTS = ["unshare", "--mount", "--propagation=private"]  # they end with the process
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


class NotSo(Exception):
    """One sentence: what README says and what happened instead."""


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """The language and the lines of each fenced block that is run or compared."""
    found = re.findall(r"^```(sh|python|text)\n(.*?)^```$", text, re.M | re.S)
    return [(language, block.splitlines()) for language, block in found]


def masked(line: str) -> str:
    """Without what may differ: numbers, their signs and the width of columns."""
    return " ".join(re.sub(r"[+-]?\d[\d.,:]*", "#", line).split())


def missing(expected: list[str], printed: list[str]) -> str:
    """The first expected line that was not printed as often; "" if all were. A gate decides its benchmarks in any order."""
    rest = list(map(masked, printed))
    for line in filter(str.strip, expected):
        if masked(line) not in rest:
            return line
        rest.remove(masked(line))
    return ""


class Shell:
    def __init__(self, folder: pathlib.Path):
        self.bash = subprocess.Popen(
            ["bash", "--norc"],
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",
        )

    def run(self, line: str) -> tuple[int, list[str]]:
        """The exit code of a line, and what it printed."""
        self.bash.stdin.write(f"{{ {line}\n}} </dev/null; printf '\\n%s %s\\n' {END} $?\n")
        self.bash.stdin.flush()
        printed = []
        for text in self.bash.stdout:
            if text.startswith(END):
                return int(text.split()[1]), printed
            printed.append(text.rstrip("\n"))
        raise NotSo(f"the shell ended at: {line}")


def build_stand_ins(folder: pathlib.Path, line: str) -> None:
    for name, flags in STAND_INS.items():
        if name in line and not (folder / name).exists():
            if not pathlib.Path("/usr/include/benchmark").exists():  # who has a benchmark has it
                install = ["apt-get", "install", "-qq", "-y", "libbenchmark-dev"]
                subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            (folder / name).parent.mkdir(exist_ok=True)
            source = ROOT / "scripts/release/readme_benchmark.cpp"
            words = ["c++", "-O2", *flags, source, "-o", folder / name, "-lbenchmark", "-lpthread"]
            subprocess.run(words, check=True)


def run_line(shell: Shell, folder: pathlib.Path, line: str) -> list[str]:
    build_stand_ins(folder, line)
    print(f"$ {line}", flush=True)
    start = time.monotonic()
    code, printed = shell.run(line)
    print("".join(f"    {text}\n" for text in printed[-12:]), end="")
    print(f"  ({time.monotonic() - start:.0f} s, exit code {code})", flush=True)
    said = re.search(r"#.*\bexit code (\d+)", line)
    if code != (int(said[1]) if said else 0):
        raise NotSo(f"'{line}' ended with {code}, not with {said[1] if said else 0}")
    return printed


def run_page(page: pathlib.Path, folder: pathlib.Path) -> None:
    shell, printed = Shell(folder), []
    for language, lines in blocks(page.read_text()):
        if language == "text":
            if line := missing(lines, printed):
                raise NotSo(f"no line of the output is like: {line}")
            continue
        if language == "python":
            lines = ["python3 - <<'BLOCK'\n" + "\n".join(lines) + "\nBLOCK"]
        printed = []
        for line in lines:
            if line.strip() and not line.startswith("#"):
                printed += run_line(shell, folder, line)


def run_fresh(suite: str, page: str) -> bool:
    """The same in a clone on a minimal Debian, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="readme.", dir="/var/tmp") as place:
        root = pathlib.Path(place) / "debian"
        variant = ["--variant=minbase", f"--include={PACKAGES}"]
        made = ["debootstrap", *variant, suite, root]
        subprocess.run([*OWN_MOUNTS, *made], check=True, stdout=subprocess.DEVNULL)
        for file in filter(lambda file: pathlib.Path(file).exists(), (*REACH, CERTIFICATES)):
            shutil.copy(file, f"{root}{file}")
        clone = root / "srv/cliffbench"
        subprocess.run(
            ["git", "-c", "safe.directory=*", "clone", "-q", "--no-hardlinks", ROOT, clone],
            check=True,
        )
        inside = (
            f"for name in proc sys dev; do mount --rbind /$name {root}/$name; done; "
            f"exec env -i HOME=/srv LANG=C.UTF-8 TERM=dumb SSL_CERT_FILE={CERTIFICATES} PIP_CERT={CERTIFICATES} "
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
            f"chroot {root} sh -c 'cd /srv/cliffbench && exec python3 scripts/release/readme.py --page {page}'"
        )
        ran = subprocess.run([*OWN_MOUNTS, "sh", "-c", inside])
        print(f"{suite}: {'as README says' if ran.returncode == 0 else 'NOT as README says'}")
        return ran.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", default="README.md", help="another page, from the clone's root")
    parser.add_argument("--on", action="append", default=[], metavar="SUITE")
    given = parser.parse_args()
    if given.on:
        if os.geteuid() != 0:
            os.execvp("sudo", ["sudo", sys.executable, *sys.argv])
        if not shutil.which("debootstrap"):
            parser.error("--on needs debootstrap: apt-get install debootstrap")
        if subprocess.run([*OWN_MOUNTS, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            parser.error(
                "--on needs mounts of its own, which a chroot or a container may not have; run it outside"
            )
        return 0 if all([run_fresh(suite, given.page) for suite in given.on]) else 13
    try:
        run_page(ROOT / given.page, ROOT)
    except (NotSo, subprocess.CalledProcessError) as error:
        print(f"readme: {error}", file=sys.stderr)
        return 13
    print("readme: every block does what the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
