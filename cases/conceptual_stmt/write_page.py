"""The pipeline of pipeline.cpp in Python, and its page: write_page.py plain|patched BUFFERS SIZE FORMAT TARGET FOLDER PAGE"""

import sys

import halide as hl
import numpy

if sys.argv[1] == "patched":
    import halide_patched  # noqa: F401

buffers, size, format_, target, folder, page = sys.argv[2:]
width, height = map(int, size.split("x"))
x, y = hl.Var("x"), hl.Var("y")
image = hl.ImageParam(hl.Float(32), 2, "input")
previous = hl.Func("input_as_func")
previous[x, y] = image[x, y]
matrices = []  # a Buffer keeps no array alive
for stage in range(1, int(buffers) + 1):
    matrices.append(numpy.fromfile(f"{folder}/weights_{stage}", numpy.float32).reshape(height, width))
    weights = hl.Buffer(matrices[-1], f"weights_{stage}")
    r = hl.RDom([(0, height)], f"r{stage}")
    func = hl.Func(f"stage_{stage}")
    func[x, y] = 0.0
    func[x, y] += previous[r.x, y] * weights[x, r.x]
    func.compute_root().vectorize(x, 8).parallel(y)
    func.update().reorder(x, r.x, y).vectorize(x, 8).parallel(y)
    previous = func
output = hl.Func("output")
output[x, y] = hl.max(previous[x, y], 0.0)
output.vectorize(x, 8).parallel(y)
output.compile_to_conceptual_stmt(
    page,
    [image],
    getattr(hl.StmtOutputFormat, format_),
    hl.get_host_target() if target == "host" else hl.Target(target),
)
