import time
import halide as hl
import numpy as np
weights = hl.Buffer(np.random.default_rng(1).standard_normal((2048, 3072), np.float32))
x, y, r = hl.Var("x"), hl.Var("y"), hl.RDom([(0, 2048)])
inputs, layer = hl.ImageParam(hl.Float(32), 2), hl.Func("layer")
layer[x, y] = 0.0
layer[x, y] += inputs[r, y] * weights[x, r]
layer.update().vectorize(x, 8).parallel(y)
start = time.monotonic()
layer.compile_to_conceptual_stmt("layer.html", [inputs], hl.StmtOutputFormat.HTML)
print(f"layer.html was written in {time.monotonic() - start:.2f} s")
