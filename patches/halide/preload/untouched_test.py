"""Nothing of the program's is run, read, kept or lost while its page is made: signals, objects, memory."""

import subprocess

import pytest
from comparison import BUILD, PIPELINES, PYTHON, environment
from marks import EACH_HALIDE, NEEDS_HALIDE
from programs import PAGE, PROGRAMS

pytestmark = NEEDS_HALIDE


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@EACH_HALIDE
def test_the_program_behaves_as_without_the_patches(halide, program, tmp_path):
    said = [subprocess.run([*launcher, PYTHON, "-c", PIPELINES + PAGE + program], env=environment(halide), cwd=tmp_path,
                           capture_output=True, text=True, timeout=120) for launcher in ([], [BUILD / "halide-patched", "--"])]
    assert [(done.returncode, done.stdout) for done in said] == [(0, said[0].stdout)] * 2, said[1].stderr
    assert "is embedded in the code of" in said[1].stderr
