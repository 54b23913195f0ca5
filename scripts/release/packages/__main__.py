"""scripts/setup/python scripts/release/packages [PACKAGE...]: compiles and writes dist/ anew: wheels, archives, SHA256SUMS.

PACKAGE: one of those in PACKAGES (all). Exit: 0 written, 2 usage, 13 something does not compile or is not as it has to be.
"""

import shutil
import subprocess
import sys

import program
from assemble import ROOT, version, write_sums
from linked import Broken

sys.path.insert(0, str(ROOT / "patches/halide_patched/wheel"))
import package  # noqa: E402

# Each writes its files into a folder: build(dist) -> [path].
PACKAGES = {"cliffbench": program.build, "halide-patched": package.build}


def main() -> int:
    wanted = sys.argv[1:] or list(PACKAGES)
    unknown = [name for name in wanted if name not in PACKAGES]
    if unknown:
        print(f"packages: unknown package '{unknown[0]}'; it is one of {', '.join(PACKAGES)}", file=sys.stderr)
        return 2
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    print(f"packages: version {version()}, into dist/", flush=True)
    try:
        for name in wanted:
            for path in PACKAGES[name](dist):
                print(f"packages: {path.relative_to(ROOT)} ({path.stat().st_size / 1e6:.1f} MB)", flush=True)
    except Broken as error:
        print(f"packages: {error}", file=sys.stderr)
        return 13
    except subprocess.CalledProcessError as error:
        print(f"packages: {' '.join(map(str, error.cmd[:4]))} ... failed; its output is above", file=sys.stderr)
        return 13
    print(f"packages: {write_sums(dist).relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
