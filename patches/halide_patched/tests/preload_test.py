"""halide-patched, as the issue's author would use it: Python, numpy, an unmodified Halide."""

import html
import json
import pathlib
import re
import shutil
import subprocess

import pytest
from comparison import BUILD, HALIDES, PYTHON, environment, panes
from marks import EACH_HALIDE, NEEDS_HALIDE

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

# A product with embedded weights, compiled after each of three changes of its schedule.
LLAMA = """
import sys, numpy, halide as hl
width, height = 768, 512
weights = hl.Buffer(numpy.random.default_rng(1).normal(0, 0.02, (height, width)).astype(numpy.float32))
x, y = hl.vars("x y")
activations = hl.ImageParam(hl.Float(32), 2, "activations")
for lanes in (4, 8, 16):
    r = hl.RDom([(0, height)])
    product = hl.Func("product")
    product[x, y] = 0.0
    product[x, y] += activations[r.x, y] * weights[x, r.x]
    product.update().vectorize(x, lanes)
    product.compile_to_conceptual_stmt(f"{sys.argv[1]}/{lanes}.html", [activations], hl.StmtOutputFormat.HTML)
"""


pytestmark = NEEDS_HALIDE


def run(halide: pathlib.Path, script: str, *words, patched: bool | str = True, **more: str):
    command = [PYTHON, "-c", script, *words]
    if patched:
        names = ["--patches", patched] if isinstance(patched, str) else []
        command = [BUILD / "halide-patched", *names, "--", *command]
    return subprocess.run(command, env=environment(halide, **more), capture_output=True, text=True)


@EACH_HALIDE
def test_three_schedules_give_the_same_statements_and_jumps(halide, tmp_path):
    for name, patched in (("plain", False), ("patched", True)):
        (tmp_path / name).mkdir()
        done = run(halide, LLAMA, tmp_path / name, patched=patched)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("halide-patched: warning: the Buffer") == (1 if patched else 0)
        if patched:
            assert re.search(r"the Buffer '\S+' \(numpy's shape \(512, 768\), 1\.57 MB\) is embedded in the code of 'product'"
                             r".*make it an ImageParam of the same type, add that to the arguments, and set\(\)", done.stderr)
    for lanes in (4, 8, 16):
        plain, patched = (panes((tmp_path / name / f"{lanes}.html").read_bytes()) for name in ("plain", "patched"))
        assert plain == patched
        assert len(plain[1]) >= 2 and all('%"' in line for line in plain[1])
        sizes = [(tmp_path / name / f"{lanes}.html").stat().st_size for name in ("plain", "patched")]
        assert sizes[1] < sizes[0] / 2  # without the runtime


ONE = LLAMA.replace("768, 512", "96, 64").replace("(4, 8, 16)", "(8,)")
LISTED = """
document.querySelectorAll(".jump-to-host-asm-btn").forEach(button => {
  const pane = document.getElementById("host-assembly-pane");
  const height = parseInt(getComputedStyle(document.getElementById("assemblyContent")).lineHeight, 10);
  pane.scrollTo = options => { jumps.push(lines[options.top / height - 1]); };
  button.click();
});
"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium (make test-all installs one)")
@EACH_HALIDE
def test_a_browser_jumps_to_the_same_lines(halide, tmp_path):
    seen = []
    for patched in (False, True):
        assert run(halide, ONE, tmp_path, patched=patched).returncode == 0
        page = tmp_path / "8.html"
        script = ("<script>const jumps = []; const lines = document.querySelector('#assemblyContent pre')"
                  ".textContent.split('\\n'); window.addEventListener('load', () => {" + LISTED +
                  "document.title = JSON.stringify({jumps, statement: "
                  "document.getElementById('ir-code-pane').innerText});});</script>")
        page.write_text(page.read_text().replace("</body>", script + "</body>"))
        shown = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                                "--dump-dom", page.as_uri()], capture_output=True, text=True)
        title = re.search(r"<title>(.*?)</title>", shown.stdout, re.S)
        seen.append(json.loads(html.unescape(title.group(1))))
    for page in seen:
        page["jumps"] = [re.sub(r"BB\d+_|\s+", " ", line) for line in page["jumps"]]
        page["statement"] = re.sub(r"\s+", " ", page["statement"])
    assert seen[0]["jumps"] and all('%"' in line for line in seen[0]["jumps"])
    assert seen[0] == seen[1]


@EACH_HALIDE
def test_chosen_patches_only(halide, tmp_path):
    sizes = {}
    for names in ("regex_filter", "marker_lines,lean_listing"):
        done = run(halide, LLAMA.replace("(4, 8, 16)", "(8,)"), tmp_path, patched=names)
        assert (done.returncode, done.stderr) == (0, "")
        sizes[names] = (tmp_path / "8.html").stat().st_size
    assert sizes["marker_lines,lean_listing"] < sizes["regex_filter"] / 2


THREADS = "import threading" + ONE.replace("for lanes in (8,):", "def compile(lanes):") + """
together = [threading.Thread(target=compile, args=(lanes,)) for lanes in (4, 8, 16, 32)]
for one in together: one.start()
for one in together: one.join()
"""


@EACH_HALIDE
def test_threads(halide, tmp_path):
    done = run(halide, THREADS, tmp_path)
    assert done.returncode == 0, done.stderr
    for lanes in (4, 8, 16, 32):
        assert len(panes((tmp_path / f"{lanes}.html").read_bytes())[1]) >= 2


def test_another_libhalide_runs_unpatched(tmp_path):
    halide = tmp_path / "other"
    shutil.copytree(HALIDES[0], halide, symlinks=True)
    library = halide / "lib/libHalide.so"
    notes = subprocess.run(["readelf", "--notes", library], capture_output=True, text=True).stdout
    build_id = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", notes).group(1))
    content = library.read_bytes()
    assert content.count(build_id) == 1
    library.write_bytes(content.replace(build_id, build_id[::-1]))
    done = run(halide, ONE, tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(r"halide-patched: no patches were built for \S+libHalide.so; with Halide 19 or later, .*; "
                        r"the program runs unpatched\n", done.stderr)
    assert (tmp_path / "8.html").exists()


def test_a_cxx_program_that_is_linked_with_halide(tmp_path):
    program = BUILD / "cases/conceptual_stmt@halide-19.0.0"
    cell = "^conceptual_stmt/buffers:1/size:768x512/format:HTML/target:host/variant:baseline$"
    labels = set()
    for launcher in ([], [BUILD / "halide-patched", "--"]):
        done = subprocess.run([*launcher, program, f"--benchmark_filter={cell}", "--benchmark_format=json", "--benchmark_min_time=0"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert ("warning: the Buffer 'weights_1'" in done.stderr) == bool(launcher)
        labels.add(json.loads(done.stdout)["benchmarks"][0]["label"])
    assert len(labels) == 1


def launcher(*words):
    return subprocess.run([BUILD / "halide-patched", *words], capture_output=True, text=True)


def test_usage():
    assert launcher("--", "sh", "-c", "exit 7").returncode == 7
    assert launcher("--patches", "regexfilter", "--", "true").returncode == 2
    assert "'regexfilter' is not a patch; the patches are regex_filter" in launcher("--patches", "regexfilter", "--", "true").stderr
    assert launcher().returncode == launcher("--").returncode == 2
    assert launcher("--help").returncode == 0
    assert launcher("--", "/nonexistent/program").returncode == 127
    assert launcher("--", "/").returncode == 126
    assert launcher("sh", "-c", "echo $#", "--help", "a").stdout == "1\n"
