"""The messages of halide-patched: warnings that name what to do, decisions with -v, cases that it cannot help."""

import re
import subprocess

import pytest
from comparison import BUILD, PIPELINES, PYTHON, environment
from marks import EACH_HALIDE, NEEDS_HALIDE

pytestmark = NEEDS_HALIDE

# Large buffers with a name of their own and without, and one that is small; two pages.
NAMES = PIPELINES + """
def buffer(*name, width=512):
    matrices.append(numpy.zeros((512, width), numpy.float32))
    return hl.Buffer(matrices[-1], *name)
weights, bias, small = buffer("weights"), buffer(), buffer("small", width=8)
f = hl.Func("f")
f[x, y] = weights[x, y] + bias[x, y] + small[x, y]
for name in ("one.html", "two.html"): page(f, name, args=[])
"""


def said(halide, script, tmp_path, *options):
    done = subprocess.run([BUILD / "halide-patched", *options, "--", PYTHON, "-c", script], env=environment(halide),
                          cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@EACH_HALIDE
def test_each_large_buffer_is_named_once(halide, tmp_path):
    lines = said(halide, NAMES, tmp_path)
    named = [re.match(r"halide-patched: warning: the Buffer '(\w+)' \(numpy's shape \(512, 512\), 1\.05 MB\)", line).group(1)
             for line in lines]
    assert sorted(re.sub(r"\d+$", "", name) for name in named) == ["b", "weights"]


@EACH_HALIDE
def test_what_hardly_helps_is_said(halide, tmp_path):
    script = PIPELINES + 'page(layer(768, 512), "one.html", hl.Target("x86-64-linux-no_bounds_query"))'
    assert "With no_bounds_query its bytes stay in the page's listing, so the patches hardly help." in said(halide, script, tmp_path)[0]


@EACH_HALIDE
def test_verbose_says_what_was_decided(halide, tmp_path):
    script = PIPELINES + """
page(blur(), "one.html")
compile_to(blur(), {T.stmt_html: "two.html", T.object: "two.o"})
compile_to(blur(), {T.object: "three.o"})
compile_to(layer(3072, 512), {T.stmt_html: "four.html", T.object: "four.o"})
wide = hl.Func("wide")  # few nodes, much code
values = hl.Buffer(numpy.ones((2048, 1024), numpy.float32), "values")
wide[x, y] = hl.sqrt(values[x, y] * 2.0) + hl.sqrt(values[x, y] + 1.0)
wide.vectorize(x, 1024, hl.TailStrategy.RoundUp)
compile_to(wide, {T.stmt_html: "five.html", T.object: "five.o"}, quick)
page(blur("a|b"), "six.html", quick)
ones = numpy.ones((8192, 1024), numpy.float32)
many, e = hl.Func("many"), hl.Buffer(ones, "ones")[x, y]  # so many nodes that each costs more
for i in range(700): e = e * (i + 1.5) + hl.select(e > i, e, hl.f32(i))
many[x, y] = e
compile_to(many, {T.stmt_html: "seven.html", T.object: "seven.o"}, quick)
"""
    joined, *lines = said(halide, script, tmp_path, "-v")
    assert re.match(r"halide-patched: \S+libHalide.so runs with the patches in \S+\.so$", joined)
    assert [re.search(r"^halide-patched: (.*)$", line).group(1) for line in lines if "warning" not in line] == [
        "one.html: made from a listing of its own, without the parts that nobody reads",
        "two.html: made from the listing of the code that two.o needs too, with the search in it patched: "
        "a listing of its own would take longer",
        "four.html: made from a listing of its own, by generating the code once more, under the same names: that costs "
        "less than the 6.29 MB of data in Halide's listing",
        "five.html: made from the listing of the code that five.o needs too, with the search in it patched: "
        "a listing of its own would take longer",
        "six.html: made by Halide alone: its search reads the name 'a|b.s0.x.x' as an expression",
        "seven.html: made from the listing of the code that seven.o needs too, with the search in it patched: "
        "a listing of its own would take longer"]
    assert said(halide, PIPELINES + 'page(blur(), "one.html", quick)', tmp_path) == []


@EACH_HALIDE
def test_none_of_the_patches(halide, tmp_path):
    assert said(halide, PIPELINES + 'page(layer(768, 512), "one.html")', tmp_path, "--patches", "none") == []
    assert b"# halide-patched:" not in (tmp_path / "one.html").read_bytes()


@pytest.mark.parametrize("patches", ["all", "none", "regex_filter, lean_listing", " marker_lines ,buffer_stub"])
def test_lists_of_patches(patches):
    assert subprocess.run([BUILD / "halide-patched", "--patches", patches, "--", "true"]).returncode == 0


# A stand-in for an old libHalide, with only the parts that the preloaded library looks for.
OLD_HALIDE = """
#include <map>
#include <string>
namespace Halide {
enum class OutputFileType {};
struct Module { void compile(const std::map<OutputFileType, std::string>&) const; };
#ifdef LIBRARY
void Module::compile(const std::map<OutputFileType, std::string>&) const {}
#endif
}
#ifndef LIBRARY
int main() { Halide::Module().compile({}); }
#endif
"""


def test_a_halide_before_19_gets_no_advice_that_the_scripts_refuse(tmp_path):
    (tmp_path / "old.cpp").write_text(OLD_HALIDE)
    for options in (["-DLIBRARY", "-shared", "-fPIC", "-o", "libHalide.so.14"],
                    ["-o", "program", "-L.", "-l:libHalide.so.14", "-Wl,-rpath,$ORIGIN"]):
        subprocess.run(["g++", "old.cpp", *options], cwd=tmp_path, check=True)
    done = subprocess.run([BUILD / "halide-patched", tmp_path / "program"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == (f"halide-patched: {tmp_path}/libHalide.so.14 is a Halide older than 19, which has no patches; "
                           "the program runs unpatched\n")
