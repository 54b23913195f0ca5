"""A program run plain and with halide-patched, each in a folder of its own, and what differs in what they leave.

All files must be the same bytes. Of a page that was made without the runtime (it says so) only the assembly pane may
differ, and each statement must still jump to the same line of code."""

import copy
import functools
import html
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()
PYTHON = ROOT / ".deps/venv/bin/python"
HALIDES = sorted(path.parent for path in (ROOT / ".deps").glob("halide-*/python"))
LEAN = b"# halide-patched: "  # in the first line of a pane that was made without the runtime

# A script that begins so is plain, and patched with these words in place of a launcher.
IMPORT = "import os\nif 'IMPORTED' in os.environ: import halide_patched\n"
IMPORTED = ["env", "IMPORTED=1"]

VERBOSE = {"HALIDE_PATCHES_VERBOSE": "1"}

# The beginning of the tests' scripts.
PIPELINES = """
import sys, numpy, halide as hl
x, y = hl.vars("x y")
T = hl.OutputFileType
if not hasattr(T, "conceptual_stmt_html"): T.conceptual_stmt_html = T.stmt_html  # in 19 only C++ can ask for it
host = hl.Target("x86-64-linux-sse41-avx-avx2-fma-f16c")
quick = hl.Target("x86-64-linux-sse41-avx-avx2-fma-f16c-no_runtime")  # for what does not depend on a page's contents
image = hl.ImageParam(hl.Float(32), 2, "image")
matrices = []  # a Buffer keeps no array alive
def layer(width=96, height=64, name="product"):
    matrices.append(numpy.random.default_rng(1).normal(0, 0.02, (height, width)).astype(numpy.float32))
    weights = hl.Buffer(matrices[-1], "weights")
    r = hl.RDom([(0, height)])
    product = hl.Func(name)
    product[x, y] = 0.0
    product[x, y] += image[r.x, y] * weights[x, r.x]
    product.update().vectorize(x, 8).parallel(y)
    return product
def blur(name="blurred"):
    clamped = hl.BoundaryConditions.repeat_edge(image)
    across, blurred = hl.Func("across"), hl.Func(name)
    across[x, y] = (clamped[x - 1, y] + clamped[x, y] * 2 + clamped[x + 1, y]) / 4
    blurred[x, y] = (across[x, y - 1] + across[x, y] * 2 + across[x, y + 1]) / 4
    across.compute_root().vectorize(x, 8).parallel(y)
    blurred.vectorize(x, 8).parallel(y)
    return blurred
def compile_to(f, outputs, target=host):
    try: f.compile_to(outputs, [image], "f", target)
    except Exception as error: print(type(error).__name__, error)
def page(f, path, target=host, args=[image]):
    try: f.compile_to_conceptual_stmt(path, args, hl.StmtOutputFormat.HTML, target)
    except Exception as error: print(type(error).__name__, error)
"""


def lay_out(site: pathlib.Path) -> pathlib.Path:
    """Puts the package halide_patched into a folder, as its wheel would, with what this build made."""
    package, patches = site / "halide_patched", site / "halide_patched/halide-patches"
    shutil.copytree(ROOT / "patches/halide_patched/halide_patched", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(BUILD / "halide-patched", package)
    shutil.copytree(BUILD / "halide-patches", patches)
    shutil.copy(ROOT / "patches/halide_patched/wheel/builds.txt", patches)
    shutil.copy(ROOT / "patches/halide_patched/build-patches", patches)
    (patches / "source/harness/suite/case").mkdir(parents=True)
    shutil.copy(ROOT / "harness/suite/case/patch.hpp", patches / "source/harness/suite/case")
    left_out = shutil.ignore_patterns("tests", "wheel", "halide_patched", "__pycache__")
    for name in ("patches/halide", "patches/halide_patched"):
        shutil.copytree(ROOT / name, patches / "source" / name, ignore=left_out)
    return site


def environment(halide: pathlib.Path, **more: str) -> dict:
    return os.environ | {"PYTHONPATH": str(halide / "python"), "PYTHONDONTWRITEBYTECODE": "1"} | more


@functools.cache
def importable(halide: pathlib.Path) -> bool:
    return subprocess.run([PYTHON, "-c", "import halide"], env=environment(halide), capture_output=True).returncode == 0


def panes(page: bytes) -> tuple[str, list[str]]:
    """The statement pane without line numbers, and the assembly lines that it jumps to."""
    text = page.decode(errors="replace")
    at = text.index("<div id='host-assembly-pane'")
    lines = html.unescape(text[text.index("<pre>\n", at) + 6:text.index("</pre>", at)]).split("\n")
    statement = text[text.index("<div id='ir-code-pane'"):at]
    jumps = [int(number) for number in re.findall(r"scrollToHostAsm\((\d+)\)", statement)]
    # Labels count functions, those of the runtime too.
    jumped = [re.sub(r"BB\d+_|^\s*|\s+", " ", lines[jump - 1]) for jump in jumps]
    return re.sub(r"scrollToHostAsm\(\d+\)", "", statement), jumped


def file_difference(plain: bytes, patched: bytes) -> str:
    """"" when they are as they must be."""
    if plain == patched:
        return ""
    if LEAN not in patched:
        return "differs"
    (statement, jumps), (other, others) = panes(plain), panes(patched)
    if statement != other:
        return "shows another statement"
    return "" if jumps == others else "jumps to other code"


def differences(plain: pathlib.Path, patched: pathlib.Path) -> list[str]:
    """The differences between the files of two folders, a sentence each."""
    found = []
    names = {path.relative_to(folder) for folder in (plain, patched) for path in folder.rglob("*") if path.is_file()}
    for name in sorted(names):
        ours, theirs = plain / name, patched / name
        if not ours.exists() or not theirs.exists():
            found.append(f"{name} is there {'plain' if ours.exists() else 'patched'} only")
        elif difference := file_difference(ours.read_bytes(), theirs.read_bytes()):
            found.append(f"{name} {difference}")
    return found


def own_words(text: str) -> str:
    """The program's own words, without the lines of halide-patched."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("halide-patched:"))


class Pair:
    """A command's plain run in FOLDER/plain and its patched one in FOLDER/patched."""

    def __init__(self, folder: pathlib.Path, command: list, env: dict, launcher: list | None = None, timeout: float = 300, **more):
        self.folder, self.plain, self.done = folder, folder / "plain", {}
        self.command, self.more, self.verbose = command, more | {"timeout": timeout}, "HALIDE_PATCHES_VERBOSE" in env
        self.run("plain", command, env)
        self.run("patched", [*(launcher or [BUILD / "halide-patched", "--"]), *command], env)

    def run(self, name: str, command: list, env: dict):
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.done[name] = subprocess.run(command, cwd=self.folder / name, env=env, capture_output=True, text=True, errors="replace",
                                         stdin=subprocess.DEVNULL, **self.more)

    def another(self, folder: pathlib.Path, env: dict, launcher: list) -> "Pair":
        """The same plain run beside one that is patched in another way, in FOLDER/patched."""
        pair = copy.copy(self)
        pair.folder, pair.done = folder, dict(self.done)
        pair.run("patched", [*launcher, *self.command], env)
        return pair

    def differences(self) -> list[str]:
        plain, patched = self.done["plain"], self.done["patched"]
        found = differences(self.plain, self.folder / "patched")
        if plain.returncode != patched.returncode:
            found.append(f"exit {patched.returncode} instead of {plain.returncode}: {patched.stderr[-500:]}")
        for stream in ("stdout", "stderr"):
            words, others = (getattr(done, stream) for done in (plain, patched))
            if self.verbose:  # else nothing at all may be said
                words, others = own_words(words), own_words(others)
            if words != others:
                found.append(f"{stream} says {others[-500:]!r} instead of {words[-500:]!r}")
        return found

    @property
    def said(self) -> str:
        """The lines of halide-patched."""
        return "".join(line for line in self.done["patched"].stderr.splitlines(True)
                       if line.startswith("halide-patched:"))


def build_id(halide: pathlib.Path) -> str:
    notes = subprocess.run(["readelf", "--notes", halide / "lib/libHalide.so"], capture_output=True, text=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


def renamed_build(halide: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy with an unknown build id, which is its own backwards."""
    shutil.copytree(halide, folder, symlinks=True, ignore=lambda at, names: {"libHalide.so"} & set(names))
    own = bytes.fromhex(build_id(halide))
    (folder / "lib/libHalide.so").write_bytes((halide / "lib/libHalide.so").read_bytes().replace(own, own[::-1]))
    return folder


def folder_of_two(folder: pathlib.Path, halide: pathlib.Path, names: list) -> pathlib.Path:
    """Plugins by these names, each with a libHalide of its own: own, another file of the same build (twin), or one of another
    version (other, another). All but own are renamed as auditwheel does it."""
    place = folder / "two"
    place.mkdir()
    others = [path for path in HALIDES if path != halide] or [halide]
    for name in names:
        source = halide if name in ("own", "twin") else others[0]
        soname = "libHalide.so" if name == "own" else f"lib{name[:6]:_<6}.so"
        for path, copy_of in ((place / soname, source / "lib/libHalide.so"),
                              (place / f"{name}.so", BUILD / f"comparison_plugin-{source.name.removeprefix('halide-')}.so")):
            content = copy_of.read_bytes()
            assert content.count(b"\0libHalide.so\0") == 1
            path.write_bytes(content.replace(b"\0libHalide.so\0", b"\0" + soname.encode() + b"\0"))
    return place
