"""Nothing of the program's is run, read, kept or lost while its page is made: signals, objects, memory."""

import subprocess

import pytest
from comparison import BUILD, IMPORT, IMPORTED, PIPELINES, PYTHON, environment
from marks import EACH_HALIDE, NEEDS_HALIDE
from programs import PAGE, PROGRAMS, settings

pytestmark = NEEDS_HALIDE


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
@EACH_HALIDE
def test_the_program_behaves_as_without_the_patches(halide, program, sites, tmp_path):
    def done(env, *launcher):
        return subprocess.run([*launcher, PYTHON, "-c", IMPORT + PIPELINES + PAGE + program], env=env, cwd=tmp_path, capture_output=True,
                              text=True, timeout=120)
    plain, launched = done(environment(halide)), done(environment(halide), BUILD / "halide-patched", "--")
    for one in (plain, launched, *(done(settings(site, halide), *IMPORTED) for site in sites.values())):
        assert (one.returncode, one.stdout) == (0, plain.stdout), one.stderr
    assert "is embedded in the code of" in launched.stderr
