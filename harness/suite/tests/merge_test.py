"""Runs of several machines and dates in one folder, and how far each is."""

import json
import shutil

from built import FAULTS, call, edit_json, rows, sentence, with_line, with_values


def test_merge_adds_up_and_refuses_contradictions(faulty, tmp_path):
    other = tmp_path / "other"
    call("run", FAULTS, "--axis", "deed=nothing", "--axis", "size=1", "--rounds", 6, "--out", other)
    both = tmp_path / "both"
    merged = call("merge", faulty, other, faulty, "--out", both)
    assert merged.returncode == 0, merged.stderr
    assert len(rows(both)) == 28 + 12
    assert call("judge", both).returncode == 13
    lied = with_line(faulty, tmp_path / "lied", 4, lambda line: with_values(line, digest="a third"))
    result = call("merge", faulty, lied, "--out", tmp_path / "third")
    assert result.returncode == 13 and "two different rows at position" in sentence(result)
    assert "with two digests" in sentence(result)
    again = call("merge", faulty, other, "--out", both)
    assert again.returncode == 2 and f"{both} already holds rows; merge into a new folder" in sentence(again)
    shutil.copytree(faulty, tmp_path / "renewed")
    [session] = (tmp_path / "renewed/sessions").iterdir()
    edit_json(session, lambda read: read.update(started="2020-01-01T00:00:00Z"))
    result = call("merge", faulty, tmp_path / "renewed", "--out", tmp_path / "fourth")
    assert result.returncode == 13 and f"one run has two different files {session.name}" in sentence(result)
    assert not (tmp_path / "fourth/rows.jsonl").exists()


def changed(source, folder, machine, started):
    """The same run as if another machine had made it, on another day, with another build."""
    shutil.copytree(source, folder)
    rename = lambda text: text.replace(rows(source)[0]["run"], "other-run")  # noqa: E731
    lines = (source / "rows.jsonl").read_text().splitlines()
    (folder / "rows.jsonl").write_text("".join(with_values(line, run="other-run") + "\n" for line in lines))
    edit_json(folder / "plan.json", lambda plan: plan.update(run="other-run"))
    for path in list((folder / "sessions").iterdir()):
        edit_json(path, lambda session: (session.update(started=started, run="other-run"), session["machine"].update(id=machine)))
        path.rename(path.with_name(rename(path.name)))
    for path in (folder / "programs").iterdir():
        edit_json(path, lambda declared: declared["build"].update(commit="another"))
    return folder


def test_machines_and_dates_merge_and_are_judged_apart(faulty, tmp_path):
    mine = json.loads(next((faulty / "sessions").iterdir()).read_text())["machine"]["id"]
    other = changed(faulty, tmp_path / "machine", "otherone", "2020-01-01T00:00:00Z")
    both = tmp_path / "both"
    merged = call("merge", faulty, other, "--out", both)
    assert merged.returncode == 0, merged.stderr
    assert len(rows(both)) == 2 * 28
    assert len(list((both / "programs").glob("*/*.json"))) == 2  # each run keeps its own declaration
    again = call("merge", both, other, "--out", tmp_path / "again")
    assert again.returncode == 0 and (tmp_path / "again/rows.jsonl").read_text() == (both / "rows.jsonl").read_text()
    assert call("judge", both).returncode == 13
    lines = [json.loads(line) for line in (both / "verdicts.jsonl").read_text().splitlines()]
    sets = {(line["machine"], line["date"]): line["sessions"] for line in lines if line["kind"] == "set"}
    assert len(sets) == 2 and mine in {machine for machine, _ in sets}
    assert sets.pop(("otherone", "2020-01-01")) == {"faults": ["other-run.1"]}
    assert list(sets.values()) == [{"faults": [f"{rows(faulty)[0]['run']}.1"]}]
    cells = [line for line in lines if line["kind"] == "cell"]
    assert len(cells) == 2 * 28 and {sum(cell["counts"].values()) for cell in cells} == {1}


def test_two_dates_of_one_machine_are_judged_apart(faulty, tmp_path):
    mine = json.loads(next((faulty / "sessions").iterdir()).read_text())["machine"]["id"]
    later = changed(faulty, tmp_path / "later", mine, "2030-01-01T00:00:00Z")
    both = tmp_path / "both"
    assert call("merge", faulty, later, "--out", both).returncode == 0
    call("judge", both)
    lines = [json.loads(line) for line in (both / "verdicts.jsonl").read_text().splitlines()]
    assert [line["commit"] for line in lines if line["kind"] == "set"][1].startswith("another")


def test_status_has_a_line_for_each_run(faulty, tmp_path):
    part = shutil.copytree(faulty, tmp_path / "part")
    lines = (part / "rows.jsonl").read_text().splitlines(keepends=True)
    (part / "rows.jsonl").write_text("".join(lines[:-3]) + '{"half')
    shutil.copytree(faulty, tmp_path / "whole")
    (shutil.copytree(faulty, tmp_path / "broken") / "plan.json").write_text("{}")
    run = rows(faulty)[0]["run"]
    ends = [[row["status"] for row in map(json.loads, kept)] for kept in (lines[:-3], lines)]
    words = ("crash", "failed", "oom", "timeout", "wrong")
    failed = [", ".join(f"{end.count(word)} {word}" for word in words if word in end) for end in ends]
    said = call("status", tmp_path).stdout.splitlines()
    assert said[0].startswith(f"{tmp_path}/broken: ") and "plan" in said[0]
    assert said[1:] == [
        f"{tmp_path}/part: run {run}, 25 of 28 trials (89 %), {failed[0]}, 1 line left out, not running",
        f"{tmp_path}/whole: run {run}, 28 of 28 trials (100 %), {failed[1]}",
    ]
    assert call("status", faulty).stdout == f"{faulty}: run {run}, 28 of 28 trials (100 %), {failed[1]}\n"
