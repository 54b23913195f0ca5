"""A gate that is stopped, goes on, is judged again or asked for by the verbs of runs."""

import os
import re

import pytest
from built import call, edit_json, limited_memory_only, rows, sentence
from made_gate import FAST, gate, ruling, rulings


def test_stopped_in_a_pair_and_resumed_it_loses_and_doubles_nothing(side, tmp_path):
    """The head's run 6 (round 5) stops the gate. With this seed the base had been measured: the pair is split."""
    base, head, folder = side("base"), side("head", at={6: "interrupt"}, ms=1.1), tmp_path / "gate"
    stopped = gate(base, head, folder, seed=3)
    assert stopped.returncode == 130 and f"--resume {folder}" in stopped.stdout
    before = rows(folder)
    assert [row["variant"] for row in before if row["round"] == 5][0] != "head"
    assert "base" in [row["variant"] for row in before if row["round"] == 5]
    resumed = call("gate", "--base", base, "--head", head, "--resume", folder, *FAST)
    assert resumed.returncode == 10, resumed.stderr
    after = rows(folder)
    assert after[:len(before)] == before
    assert [row["position"] for row in after] == list(range(len(after)))
    assert len({(row["session"], row["round"], row["variant"]) for row in after}) == len(after)
    rounds = {row["round"]: row["session"] for row in after}
    assert rounds[5] == 1 and rounds[6] == 2 and {row["session"] for row in after} == {1, 2}
    assert ruling(folder)["pairs"] == 12 == len([row for row in after if row["variant"] == "head"])
    assert len([row for row in after if row["variant"] == "base"]) == 13
    own = sum(row["process_s"] for row in after if row["session"] == 2)  # as its seconds are
    assert abs(rulings(folder)[0]["measured_s"] - own) < 1e-6


def test_other_programs_are_not_resumed(side, tmp_path):
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "gate", "--budget", "1ms")
    head.write_text(head.read_text() + "\n# built anew\n")
    result = call("gate", "--base", base, "--head", head, "--resume", tmp_path / "gate")
    assert result.returncode == 2 and "compared other programs" in sentence(result)


def test_another_machine_does_not_go_on(side, tmp_path):
    base, head, folder = side("base"), side("head"), tmp_path / "gate"
    assert gate(base, head, folder).returncode == 0
    [session] = (folder / "sessions").iterdir()
    edit_json(session, lambda record: record["machine"].update(id="another-" + record["machine"]["id"]))
    result = call("gate", "--base", base, "--head", head, "--resume", folder)
    assert result.returncode == 2 and "was begun on the machine another-" in sentence(result)


@limited_memory_only
@pytest.mark.parametrize("run", ["*", 7])  # in its pilot; in a pair
def test_the_memory_of_a_gate_s_programs_is_limited(side, tmp_path, run):
    result = gate(side("base"), side("head", at={run: "eat"}), tmp_path / "gate", "--memory-limit", "200MB")
    found = ruling(tmp_path / "gate")
    assert result.returncode == 13 and found["ruling"] == "not_measured" and "out of memory" in found["reason"], found
    enough = gate(tmp_path / "base/fake", tmp_path / "head/fake", tmp_path / "enough", "--memory-limit", "2GB")
    assert ruling(tmp_path / "enough")["ruling"] != "not_measured", enough.stdout


def test_a_budget_leaves_the_rest_inconclusive_and_resume_decides_it(side, tmp_path):
    base, head, folder = side("base"), side("head", at={6: "hang"}), tmp_path / "gate"  # a pilot, four rounds
    result = gate(base, head, folder, "--budget", "3s", "--strict")
    assert result.returncode == 13, result.stderr
    assert re.search("no benchmark was decided; a first decision needs about --budget [0-9]+0s", result.stdout)
    found = ruling(folder)
    assert found["ruling"] == "inconclusive" and found["pairs"] == 4
    assert found["reason"] == "only 4 pairs were measured; the first interim analysis needs 12"
    resumed = call("gate", "--base", base, "--head", head, "--resume", folder, "--strict")
    assert resumed.returncode == 0 and ruling(folder)["ruling"] == "ok"


@pytest.mark.parametrize("flag", [["--metric", "wall"], ["--margin", "3%"]])
def test_ruling_again_obeys_or_refuses(side, tmp_path, flag):
    gate(side("base"), side("head"), tmp_path / "gate", "--budget", "1ms")
    result = call("gate", "--from", tmp_path / "gate", *flag)
    assert result.returncode == 2 and f"takes no {flag[0]}" in sentence(result)


@pytest.mark.parametrize("verb", ["status", "judge", "merge"])
def test_the_verbs_of_runs_name_the_gate_s(tmp_path, verb):
    (tmp_path / "gate.json").write_text("{}")
    result = call(verb, tmp_path, *(["--out", tmp_path / "both"] if verb == "merge" else []))
    assert result.returncode == 2 and f"cliffbench gate --from {tmp_path}" in sentence(result)


def test_the_summary_of_a_job_is_appended_to(side, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    gate(side("base"), side("head"), tmp_path / "gate", env=os.environ | {"GITHUB_STEP_SUMMARY": str(summary)})
    head, _ = rulings(tmp_path / "gate")
    assert 0 < head["control_s"] < head["measured_s"] <= head["seconds"]
    assert summary.read_text() == "before\n" + (tmp_path / "gate/rulings.md").read_text()
