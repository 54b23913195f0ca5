"""scripts/bootstrap with a Halide that cannot be used: one sentence, exit code 2, nothing installed."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent


def bootstrap(job, **settings):
    return subprocess.run([ROOT / "scripts/bootstrap", job], capture_output=True, text=True,
                          env=os.environ | {"NO_PACKAGES": "1"} | settings)


@pytest.mark.parametrize("header, words", [
    (None, "has no include/Halide.h"),
    ("#define HALIDE_VERSION_MAJOR 18\n", "is Halide 18; the conceptual stmt viewer needs >= 19"),
    ("", "is Halide of an unknown version"),
])
def test_a_missing_or_old_halide_is_one_sentence(tmp_path, header, words):
    if header is not None:
        (tmp_path / "include").mkdir()
        (tmp_path / "include/Halide.h").write_text(header)
    result = bootstrap("bench", HALIDE_ROOT=str(tmp_path))
    assert result.returncode == 2 and words in result.stderr and result.stderr.count("\n") == 1


def test_an_unknown_job_is_a_usage_error():
    result = bootstrap("lunch")
    assert result.returncode == 2 and "one of bench, full, test, test-all, format" in result.stderr


def test_with_nothing_missing_it_says_nothing():
    result = bootstrap("bench")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
