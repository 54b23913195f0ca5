"""halide-patched --check: which Halide this Python has, whether its pages are patched, and what that gives.

Ends with 0 when they are, 1 when they are not, 13 when the page could not be made."""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

# One page of a product with an embedded matrix; its seconds are the last line.
PAGE = """
import json, os, sys, tempfile, time
import numpy, halide as hl
width, height = 256, 192
values = numpy.random.default_rng(1).normal(0, 0.02, (height, width)).astype(numpy.float32)
weights = hl.Buffer(values, "weights")
x, y = hl.vars("x y")
activations = hl.ImageParam(hl.Float(32), 2, "activations")
r = hl.RDom([(0, height)])
product = hl.Func("product")
product[x, y] = 0.0
product[x, y] += activations[r.x, y] * weights[x, r.x]
product.update().vectorize(x, 8)
with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "page.html")
    start = time.perf_counter()
    product.compile_to_conceptual_stmt(page, [activations], hl.StmtOutputFormat.HTML)
    seconds = time.perf_counter() - start
    status = sys.modules["halide_patched"].status() if "halide_patched" in sys.modules else None
    print(json.dumps({"seconds": seconds, "status": status}))
"""


def made(before: str):
    """A page made by a process of its own, after these lines: what it measured."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HALIDE_PATCHES")}
    done = subprocess.run([sys.executable, "-c", before + PAGE], capture_output=True, text=True, timeout=600, env=plain)
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"its process ended with {done.returncode}"]
        which = "with" if before else "without"
        print(f"halide-patched: the page could not be made {which} the patches: {said[0]}", file=sys.stderr)
        sys.exit(13)
    return json.loads(done.stdout.splitlines()[-1])


def version_of(package: pathlib.Path) -> str:
    """"19.0.0" or "19.0.0 (Debian)", for the folder of Python's package halide."""
    def said(*words):
        return subprocess.run(["dpkg-query", *words], capture_output=True, text=True, check=True).stdout
    try:
        return importlib.metadata.version("halide")
    except importlib.metadata.PackageNotFoundError:
        pass
    try:  # Debian's package leaves out what Python would read
        owner = said("-S", str(package / "__init__.py")).partition(":")[0]
        version = re.sub("^[0-9]+:|-[^-]*$", "", said("-W", "-f", "${Version}", owner))
        system = re.search(r'^NAME="?(\w+)', pathlib.Path("/etc/os-release").read_text(), re.M)
        return f"{version} ({system[1] if system else 'dpkg'})"
    except (OSError, subprocess.CalledProcessError):
        return "of an unknown version"


def main() -> int:
    spec = importlib.util.find_spec("halide")
    folders = [pathlib.Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    if not folders:
        print(f"no Halide in this Python ({sys.executable}); install one: pip install halide")
        return 1
    print(f"Halide {version_of(folders[0])} in {folders[0]}", flush=True)
    plain, patched = made(""), made("import halide_patched\n")
    active, halide, patches, why = patched["status"]
    print(f"patched: {halide} runs with the patches in {patches}" if active else f"not patched: {why}")
    print(f"the page of a 256x192 matrix: {plain['seconds']:.2f} s plain, {patched['seconds']:.2f} s after `import halide_patched` "
          f"({plain['seconds'] / patched['seconds']:.1f}x; one run of each)")
    return 0 if active else 1
