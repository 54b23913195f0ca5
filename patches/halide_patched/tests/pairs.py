"""scripts/python patches/halide_patched/tests/pairs.py [PAIRS [WORDS...]]: whether a call takes longer with the patches than
without, on each Halide: `import halide_patched`, on and off in turn in one process, in random order within each pair. Says
the median of plain / patched and its 95 % interval; ends with 1 when one lies below 1 / 1.03 as a whole. PAIRS is 40; with
WORDS only the calls are timed whose lines begin so ("halide-19.0.0 an error"). Nothing else should run."""

import itertools
import pathlib
import subprocess
import sys
import tempfile

from comparison import HALIDES, PIPELINES, PYTHON, environment, lay_out

CALLS = {
    "a page": 'page(blur(), "one.html", quick)',
    "a page, with the runtime": 'page(blur(), "one.html")',
    "a page as text": 'blur().compile_to_conceptual_stmt("one.txt", [image], hl.StmtOutputFormat.Text, quick)',
    "an object": 'compile_to(blur(), {T.object: "one.o"}, quick)',
    "a page and an object": 'compile_to(blur(), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "the same with 200 kB": 'compile_to(layer(256, 200), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "the same with 1.6 MB": 'compile_to(layer(768, 512), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "the same with 6.3 MB": 'compile_to(layer(3072, 512), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "wide vectors and 8.4 MB": 'compile_to(wide(1024), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "vectors of 64 and 8.4 MB": 'compile_to(wide(64), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "vectors of 8 and 8.4 MB": 'compile_to(wide(8), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "gathers and 8.4 MB": 'compile_to(gathered(), {T.object: "one.o", T.stmt_html: "one.html"}, quick)',
    "an error": 'compile_to(blur(), {T.object: "nowhere/one.o", T.stmt_html: "one.html"}, quick)',
    "an error of the search": 'page(blur("a(b"), "one.html", quick)',
}
SCRIPT = PIPELINES + """
import contextlib, io, random, statistics, time
import halide_patched
ones = numpy.ones((2048, 1024), numpy.float32)
def wide(lanes):
    f, e = hl.Func("wide"), hl.Buffer(ones, "ones")[x, y]
    for i in range(12): e = hl.sqrt(e * (i + 1.5)) + hl.select(e > i, e, hl.f32(i))
    f[x, y] = e
    f.vectorize(x, lanes, hl.TailStrategy.RoundUp)
    return f
def gathered():
    f, values, e = hl.Func("gathered"), hl.Buffer(ones, "ones"), hl.f32(0)
    for i in range(12): e = e + values[hl.i32(x * x * (i + 3)) % 1024, y]
    f[x, y] = e
    f.vectorize(x, 32, hl.TailStrategy.RoundUp)
    return f
def seconds(patched):
    halide_patched.on() if patched else halide_patched.off()
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()): CALL
    return time.perf_counter() - start
for patched in (False, True): seconds(patched)
ratios = []
for pair in range(int(sys.argv[1])):
    first = random.random() < 0.5
    times = {patched: seconds(patched) for patched in (first, not first)}
    ratios.append(times[False] / times[True])
ratios.sort()
low = max(int(len(ratios) / 2 - 0.98 * len(ratios) ** 0.5), 0)  # the interval of a median, by order
print(f"{statistics.median(ratios):.3f} {ratios[low]:.3f} {ratios[-1 - low]:.3f}")
"""


def main() -> int:
    pairs, *words = sys.argv[1:] or ["40"]
    slower = 0
    with tempfile.TemporaryDirectory() as folder:
        site = lay_out(pathlib.Path(folder) / "site")
        for halide, (name, call) in itertools.product(HALIDES, CALLS.items()):
            if words and not any(f"{halide.name} {name}".startswith(word) for word in words):
                continue
            done = subprocess.run([PYTHON, "-c", SCRIPT.replace("CALL", call), pairs], cwd=folder, capture_output=True, text=True,
                                  env=environment(halide, PYTHONPATH=f"{site}:{halide}/python"))
            median, low, high = map(float, done.stdout.split())
            slower += high < 1 / 1.03
            print(f"{halide.name:<16} {name:<28} {median:6.3f}x [{low:.3f}, {high:.3f}]{' slower' * (high < 1 / 1.03)}", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
