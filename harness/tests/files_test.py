"""Files that are not what they should be: damaged, links, pipes, devices, somebody else's. Every verb refuses with a sentence,
nothing else is changed, and nothing hangs."""

import json
import os
import shutil
import subprocess

import pytest
from built import CLIFFBENCH, EMPTY, call, edit_json, limited_memory_only, sentence, with_values


def file_of(folder, pattern):
    [path] = folder.glob(pattern)
    return path


@pytest.fixture
def run(material, tmp_path):
    return shutil.copytree(material / "run", tmp_path / "run")


@pytest.mark.parametrize("pattern, change, what", [
    ("programs/made.json", lambda it: it["claims"][0].update(against="bastline"), "has no variant 'bastline'"),
    ("programs/made.json", lambda it: it["claims"][0].update(quantity="ratjo"), '"ratjo" is not one of ratio'),
    ("programs/made.json", lambda it: it["claims"][0].pop("expected"), "no field 'expected'"),
    ("programs/made.json", lambda it: it["claims"][0]["range"].pop("hi"), "no field 'hi'"),
    ("programs/made.json", lambda it: it.update(schema=2), "has schema 2"),
    ("sessions/*.json", lambda it: it.update(schema=2), "has schema 2"),
    ("sessions/*.json", lambda it: it["machine"].pop("virtualised"), "no field 'virtualised'"),
    ("sessions/*.json", lambda it: it.pop("started"), "no field 'started'"),
    ("plan.json", lambda it: it.update(schema=2), "has schema 2"),
    ("plan.json", lambda it: it["cells"][0].update(rounds=-1), "rounds are not 1 to 100000"),
])
def test_what_a_file_may_not_say(run, pattern, change, what):
    path = file_of(run, pattern)
    edit_json(path, lambda _: None)
    assert call("judge", run).returncode == 0
    edit_json(path, change)
    result = call("judge", run)
    assert result.returncode == 13 and what in sentence(result)


@pytest.mark.parametrize("change, what", [
    (lambda it: it.update(sides=[]), "in field 'sides' instead of"), (lambda it: it.update(schema=2), "has schema 2"),
    (lambda it: it["benchmarks"][0].update(metric="cqu"), "in field 'metric' instead of: string (cpu, wall or instructions)"),
    (lambda it: it["benchmarks"][0].update(batches=0), "a count of batches below 1"),
    (lambda it: it.pop("metric"), "no field 'metric'")])
def test_what_a_gate_may_not_say(material, tmp_path, change, what):
    copy = shutil.copytree(material / "gate", tmp_path / "copy")
    edit_json(copy / "gate.json", change)
    result = call("gate", "--from", copy)
    assert result.returncode == 13 and what in sentence(result)


# One reader

def said(result):
    """In one line, however wide the terminal is."""
    return " ".join(result.stdout.split())


def lines(folder):
    return (folder / "rows.jsonl").read_text().splitlines()


@pytest.mark.parametrize("change, what", [
    (lambda them: them + them[:1], "two rows of one trial"),
    (lambda them: them + [with_values(them[0], wall_s=100.0)], "two rows of one trial"),
    (lambda them: [with_values(them[0], wall_s=-1.0)] + them[1:], "line 1 has a wall_s that is not a time"),
    (lambda them: [with_values(them[0], run="another")] + them[1:], "a row of another plan"),
    (lambda them: [with_values(them[0], variant="another")] + them[1:], "a row of another plan")])
def test_all_verbs_refuse_the_same_rows(material, run, tmp_path, change, what):
    (run / "rows.jsonl").write_text("\n".join(change(lines(run))) + "\n")
    for words in (["judge", run], ["status", run], ["merge", run, "--out", tmp_path / "out"],
                  ["run", material / "made", "--resume", run], ["run", material / "made", "--resume", run, "--dry-run"]):
        result = call(*words)
        assert result.returncode == 13 and what in sentence(result), words


def test_a_row_twice_is_refused_without_a_plan_too(run):
    (run / "plan.json").unlink()
    assert call("judge", run).returncode == 0
    (run / "rows.jsonl").write_text("\n".join(lines(run) + [with_values(lines(run)[3], position=99)]) + "\n")
    result = call("judge", run)
    assert result.returncode == 13 and "two rows of one trial" in sentence(result)


def test_what_the_plan_has_and_the_rows_have_not_is_in_the_sentence(run):
    assert "missing" not in said(call("judge", run))
    (run / "rows.jsonl").write_text("".join(line + "\n" for line in lines(run) if '"variant":"baseline"' not in line))
    judged = call("judge", run)
    assert "12 of 24 planned trials are missing." in said(judged)
    assert "12 of 24 planned trials are missing." in json.loads((run / "verdicts.jsonl").read_text().splitlines()[0])["sentence"]


def test_a_gate_refuses_doubled_rows_and_names_missing_ones(material, tmp_path):
    copy = shutil.copytree(material / "gate", tmp_path / "copy")
    whole = lines(copy)
    for doubled in (whole[:1], whole[-1:], [with_values(whole[0], wall_s=7.0)]):
        (copy / "rows.jsonl").write_text("\n".join(whole + doubled) + "\n")
        result = call("gate", "--from", copy)
        assert result.returncode == 13 and "two rows of one trial" in sentence(result)
    (copy / "rows.jsonl").write_text(with_values(whole[0], name="other") + "\n")
    assert "a row of another gate" in sentence(call("gate", "--from", copy))
    (copy / "rows.jsonl").write_text("".join(line + "\n" for line in whole if '"variant":"base"' not in line))
    assert " rows are missing; their pairs are left out" in call("gate", "--from", copy).stdout
    (copy / "rows.jsonl").write_text("\n".join(whole) + "\n")
    result = call("gate", "--from", copy, material / "gate")
    assert result.returncode == 2 and "hold the same gate" in sentence(result)
    file_of(copy, "sessions/*.json").unlink()
    assert "but there is no" in sentence(call("gate", "--from", copy))


# One way to open, one way to write

@pytest.mark.parametrize("name", ["sessions", "programs", "cases"])
def test_a_linked_folder_is_not_followed(material, run, tmp_path, name):
    (run / name).rename(tmp_path / "elsewhere")
    (run / name).symlink_to(tmp_path / "elsewhere")
    before = sorted((tmp_path / "elsewhere").iterdir())
    for words in (["merge", run, "--out", tmp_path / "out"], ["run", material / "made", "--resume", run]):
        result = call(*words)
        assert result.returncode == 13 and "it is a link" in sentence(result)
    assert sorted((tmp_path / "elsewhere").iterdir()) == before


def test_rows_are_never_appended_through_a_hard_link(material, run, tmp_path):
    text = "".join(line + "\n" for line in lines(run)[:5]) + "half a line of somebody's"
    (tmp_path / "theirs.txt").write_text(text)
    (run / "rows.jsonl").unlink()
    os.link(tmp_path / "theirs.txt", run / "rows.jsonl")
    result = call("run", material / "made", "--resume", run)
    assert result.returncode == 13 and "cannot write" in sentence(result) and "link" in sentence(result)
    assert (tmp_path / "theirs.txt").read_text() == text


@pytest.mark.parametrize("out", ["-", "/proc/self/fd/1"])  # /dev/stdout, which a mistake as root would replace, is as good
def test_a_plan_goes_to_standard_output_when_that_is_meant(tmp_path, out):
    result = call("plan", EMPTY, "--out", out, cwd=tmp_path)
    assert result.returncode == 0 and json.loads(result.stdout)["schema"] == 1 and "trials" in result.stderr
    assert not list(tmp_path.iterdir())
    (tmp_path / "plan.json").write_text(result.stdout)
    assert call("run", EMPTY, "--plan", tmp_path / "plan.json", "--dry-run").returncode == 0


@pytest.mark.parametrize("verb, name", [("run", "scratch"), ("gate", "scratch"), ("gate", "sides")])
def test_foreign_files_in_the_folder_stay(material, tmp_path, verb, name):
    (tmp_path / "mine" / name).mkdir(parents=True)
    (tmp_path / "mine" / name / "thesis.txt").write_text("years of work")
    words = ["run", EMPTY] if verb == "run" else ["gate", "--base", material / "base/fake", "--head", material / "head/fake"]
    result = call(*words, "--out", tmp_path / "mine")
    assert result.returncode == 2 and f"holds {name}, which does not belong" in sentence(result)
    assert (tmp_path / "mine" / name / "thesis.txt").read_text() == "years of work"


@limited_memory_only
def test_a_plan_of_too_many_trials_is_refused_in_little_memory(run):
    plan = json.loads((run / "plan.json").read_text())
    cell = plan["cells"][0]
    edit_json(run / "plan.json", lambda it: it.update(cells=[cell | {"name": f"{i}", "rounds": 100000} for i in range(3000)]))
    limited = subprocess.run(["bash", "-c", 'ulimit -v 1000000; exec "$@"', "sh", CLIFFBENCH, "status", run],
                             capture_output=True, text=True, timeout=20)
    assert limited.returncode == 13 and "more than 10^7 trials" in sentence(limited)
