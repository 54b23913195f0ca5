"""Nothing of the program's is run, read, kept or lost while its page is made: signals, objects, memory."""

import subprocess
import sys

import pytest
from comparison import BUILD, HALIDES, PIPELINES, PYTHON, environment, importable
from programs import PAGE, PROGRAMS

EACH_HALIDE = pytest.mark.parametrize("halide", HALIDES, ids=lambda path: path.name)
pytestmark = pytest.mark.skipif(sys.platform != "linux" or not HALIDES or not importable(HALIDES[0]),
                                reason="the unpacked Halide wheel is for another Python, or this is not Linux")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@EACH_HALIDE
def test_the_program_behaves_as_without_the_patches(halide, program, tmp_path):
    said = [subprocess.run([*launcher, PYTHON, "-c", PIPELINES + PAGE + program], env=environment(halide), cwd=tmp_path,
                           capture_output=True, text=True, timeout=120) for launcher in ([], [BUILD / "halide-patched", "--"])]
    assert [(done.returncode, done.stdout) for done in said] == [(0, said[0].stdout)] * 2, said[1].stderr
    assert "is embedded in the code of" in said[1].stderr
