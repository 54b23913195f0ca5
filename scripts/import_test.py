"""scripts/import.py: each refusal is one sentence, and leaves what was there as it was."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).parent


def call(script, *words, **options):
    return subprocess.run([sys.executable, SCRIPTS / script, *words], capture_output=True, text=True, timeout=60, **options)


def sentence(result, name, code):
    assert result.returncode == code and not result.stdout, result.stdout + result.stderr
    [line] = result.stderr.splitlines()
    assert line.startswith(name + ": ")
    return line


WORDS = ["--case", "c", "--subject", "s", "--variant", "v"]
RESULT = {"name": "b", "iterations": 1, "real_time": 1, "cpu_time": 1}
NO_REPORT = "is not a Google Benchmark report"
NO_RESULT = "holds no measured result; run it without --benchmark_report_aggregates_only"
NO_NAME = "has a result without a name, or with a unit of time that Google Benchmark does not write"


@pytest.mark.parametrize("text, said", [
    (None, NO_REPORT), ("", NO_REPORT), ("[]", NO_REPORT), ("[" * 100_000, NO_REPORT), ('{"benchmarks": {}}', NO_RESULT),
    (json.dumps({"benchmarks": [RESULT | {"run_type": "aggregate"}]}), NO_RESULT),
    (json.dumps({"benchmarks": [RESULT | {"run_name": 7}]}), NO_NAME),
    (json.dumps({"benchmarks": [RESULT], "context": 3}), NO_REPORT)])
def test_a_file_that_is_no_report_is_not_imported(tmp_path, text, said):
    if text is not None:
        (tmp_path / "theirs.json").write_text(text)
    result = call("import.py", tmp_path / "theirs.json", *WORDS, "--out", tmp_path / "out")
    assert sentence(result, "import", 13).endswith(said) and not (tmp_path / "out").exists()


def test_a_name_that_no_case_can_have_is_not_imported(tmp_path):
    result = call("import.py", tmp_path / "theirs.json", *WORDS[:-1], "v/\x1bw", "--out", tmp_path / "out")
    assert sentence(result, "import", 2).startswith("import: 'v/\\x1bw' is not a name for a case, subject or variant")


def test_into_a_folder_that_cannot_be_made_nothing_is_imported(tmp_path):
    (tmp_path / "theirs.json").write_text(json.dumps({"benchmarks": [RESULT]}))
    (tmp_path / "out").write_text("as it was")
    result = call("import.py", tmp_path / "theirs.json", *WORDS, "--out", tmp_path / "out")
    assert sentence(result, "import", 13).startswith("import: cannot write ") and (tmp_path / "out").read_text() == "as it was"
