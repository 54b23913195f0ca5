"""Options and arguments refuse an empty text and an impossible time: nothing is begun, one sentence, exit 2."""

import os
import re
import shutil
import subprocess

import pytest
from built import BUILD, CLIFFBENCH, EMPTY, ROOT, call, sentence

VERBS = re.findall(r"^  (\w+) ", call("--help").stdout.split("Subcommands:")[1].split("Example:")[0], re.MULTILINE)


def takers(verb):
    """The options of a verb that take a value, and its arguments (as a place in the line), from its own help."""
    text = call(verb, "--help").stdout
    for line in re.findall(r"^  (-\S.*)", text, re.MULTILINE):
        names, _, rest = line.partition(" ")
        is_flag = rest.startswith("    ")  # its text comes after many spaces, where another option has its type, as TEXT
        if re.match(r" *[A-Z]", rest) and not is_flag and "--help" not in names:
            yield names.split(",")[-1]
    if "Positionals:" in text:
        yield None


CASES = [(verb, option) for verb in VERBS for option in takers(verb)]
# The other words that each line needs, so that only the empty text is wrong with it.
REST = {"judge": ["x"], "merge": ["x", "--out", "y"], "plan": ["--out", "x"],
        "gate": ["--base", EMPTY, "--head", EMPTY], "run": [EMPTY], "report": ["x"]}


def test_every_verb_was_found():
    assert set(VERBS) == {"list", "run", "plan", "status", "judge", "gate", "merge", "report", "doctor"}
    assert {("run", "--resume"), ("gate", "--resume"), ("gate", "--filter"), ("merge", "--out"), ("run", None),
            ("gate", "--budget"), ("judge", "--claim"), ("run", "--seed")} <= set(CASES)
    assert len(CASES) > 35


def test_the_help_has_every_exit_code():
    codes = re.findall(r" int \w+ = (\d+);", (ROOT / "harness/core/host/exit_code.hpp").read_text())
    said = call("--help").stdout.split("Exit: ")[1]
    assert len(codes) > 5 and re.findall(r"(?<![\w-])\d+(?= \w)", said) == codes


@pytest.mark.parametrize("verb", VERBS)
def test_a_verbs_help_ends_with_an_example_and_its_exit_codes(verb):
    text = call(verb, "--help").stdout
    assert f"\nExample: cliffbench {verb}" in text and "\nExit: 0 " in text


@pytest.mark.parametrize("verb, option", CASES)
@pytest.mark.parametrize("form", ["apart", "joined"])
def test_an_empty_text_is_refused_everywhere(tmp_path, verb, option, form):
    rest = REST.get(verb, [])
    if option in rest:
        at = rest.index(option)
        rest = rest[:at] + rest[at + 2:]
    empty = [""] if option is None else [option, ""] if form == "apart" else [option + "="]
    result = call(verb, *empty, *rest, cwd=tmp_path)
    assert result.returncode == 2, result.stdout
    assert "an empty value is not allowed" in sentence(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("variants", ["baseline,,control", ",baseline", "baseline,", ","])
def test_an_empty_word_of_a_list_is_refused(tmp_path, variants):
    result = call("run", EMPTY, "--variant", variants, "--dry-run", cwd=tmp_path)
    assert result.returncode == 2 and f"--variant takes NAME[,NAME...], not '{variants}'" in sentence(result)


def test_a_bench_of_no_profile_measures_nothing(tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("bench", "words.sh"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    (tmp_path / "build").symlink_to(BUILD)
    result = subprocess.run([tmp_path / "scripts/bench", ""], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and "--profile" in sentence(result)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("verb, option", [
    ("gate", "--budget"), ("gate", "--limit"), ("gate", "--batch"),
    ("run", "--budget"), ("run", "--limit"), ("plan", "--limit")])
@pytest.mark.parametrize("time", ["0", "0s", "-5s", "-1", "1e400", "nan", "-nan", "inf", "1e-400", "1e300h", "soon", "5x", "s",
                                  "5 s s", "0x"])
def test_an_impossible_time_is_refused(tmp_path, verb, option, time):
    result = call(verb, option, time, *REST[verb], cwd=tmp_path)
    assert result.returncode == 2, result.stdout
    assert f"{option}: '{time}' is not a time above 0, such as 500ms, 90s, 20m, 8h" in sentence(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("time", ["500ms", "90s", "90", "20m", "8h", "1.5h", "2d", "1e3"])
def test_a_time_is_taken_with_its_unit(tmp_path, time):
    result = call("run", EMPTY, "--budget", time, "--limit", time, "--dry-run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("words, said", [
    (["jugde", "folder"], "there is no verb 'jugde'; did you mean 'judge'?"),
    (["run", EMPTY, "--profil", "quick"], "there is no flag '--profil'; did you mean '--profile'?"),
    (["run", EMPTY, "--round=3"], "there is no flag '--round'; did you mean '--rounds'?"),
    (["gate", "--bse", "x", "--head", "y"], "there is no flag '--bse'; did you mean '--base'?"),
    (["run", EMPTY, "--axis", "nmuber=1"], "there is no axis 'nmuber'; did you mean 'number'?"),
    (["run", EMPTY, "--variant", "basline"], "there is no variant 'basline'; did you mean 'baseline'?")])
def test_a_mistyped_word_is_recognised(tmp_path, words, said):
    result = call(*words, cwd=tmp_path)
    assert result.returncode == 2 and said in sentence(result)
    assert not list(tmp_path.iterdir())


def test_a_mistyped_case_is_recognised(tmp_path):
    name = call("list").stdout.splitlines()[0].partition("@")[0]
    result = call("run", name[:-2] + name[-1], cwd=tmp_path)
    assert result.returncode == 2 and f"did you mean '{name}'?" in sentence(result)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("verb", ["judge", "status", "merge", "doctor", "list"])
def test_output_that_cannot_be_written_is_an_error(tmp_path, verb):
    assert call("run", EMPTY, "--axis", "number=1", "--rounds", 1, "--out", tmp_path / "run", "--quiet").returncode == 0
    words = {"merge": ["--out", tmp_path / "merged", tmp_path / "run"], "doctor": ["--json"], "list": [EMPTY]}
    with open("/dev/full", "w") as full:
        result = subprocess.run([CLIFFBENCH, verb, *words.get(verb, [tmp_path / "run"])], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 13 and "No space left on device" in sentence(result)


def test_two_calls_of_one_second_have_a_folder_each(tmp_path):
    for _ in range(3):
        assert call("gate", "--base", EMPTY, "--head", EMPTY, "--budget", "1ms", "--time-unchanged", cwd=tmp_path).returncode == 13
    assert len(list((tmp_path / "cliffbench-gate").glob("*-gate*"))) == 3


@pytest.mark.parametrize("verb, option", [("run", "--seed"), ("plan", "--seed"), ("gate", "--seed")])
@pytest.mark.parametrize("number", ["-1", "-0", "1.5", "9" * 30, "nan", "0x1", "1 ", " 1", "+1"])
def test_a_seed_is_a_whole_number(tmp_path, verb, option, number):
    result = call(verb, option, number, *REST[verb], cwd=tmp_path)
    assert result.returncode == 2, result.stdout
    assert f"{option}: '{number}' is not a whole number" in sentence(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", ["0", "-1", "-5MB", "nan", "inf", "1e30GB", "12QB", str(2**64), "MB", "0.1"])
def test_an_impossible_size_is_refused(tmp_path, size):
    result = call("run", EMPTY, "--memory-limit", size, cwd=tmp_path)
    assert result.returncode == 2, result.stdout
    assert f"--memory-limit: '{size}' is not a size above 0, such as 500MB, 2GB" in sentence(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words, code", [
    (["judge", "x" * 5000], 13), (["merge", "x", "--out", "x" * 5000], 13), (["gate", "--instructions", "grün\nnot"], 2),
    (["list", "a\nb\x1b[31m"], 2), (["run", EMPTY, "--out", "x" * 5000], 13)])
def test_any_input_gets_one_line_of_ours(tmp_path, words, code):
    result = call(*words, cwd=tmp_path)
    line = sentence(result)
    assert result.returncode == code and 10 < len(line) < 1200 and "\x1b" not in line
    assert "filesystem error" not in line
    assert not list(tmp_path.iterdir())
