"""The answers while a run measures; on made rows."""

import pathlib

import pytest

from report import follow, made
from report.made import FIX, STORY
from report.say import story


@pytest.mark.parametrize(
    ("rows", "answers"),
    [
        ([("baseline", 1, 4.0)], []),
        ([("baseline", 1, 4.0), ("fast", 2, 1.0)], []),
        (
            [("baseline", 1, 4.0), ("fast", 1, 1.0)],
            [("4.00 s -> 1.00 s", "4.00x (1 round so far)")],
        ),
        (
            [("baseline", 1, 4.0), ("fast", 1, 1.0), ("baseline", 2, 8.0), ("fast", 2, 1.0)],
            [("6.00 s -> 1.00 s", "5.66x (2 rounds so far)")],
        ),
    ],
)
def test_a_fix_is_answered_from_its_first_pair_on(tmp_path, monkeypatch, rows, answers):
    (tmp_path / "issues.toml").write_text(STORY + FIX)
    monkeypatch.setattr(story, "FILE", tmp_path / "issues.toml")
    lines = made.lines_of(
        [made.row(name, "1", wall_s, round=number) for name, number, wall_s in rows]
    )
    file = pathlib.Path(tmp_path / "rows.jsonl")
    file.write_text(lines + '{"unfinished')
    followed = follow.Followed(tmp_path)
    followed.look()
    found = follow.answers(followed.rows, story.declared("fix"))
    assert [line[1:] for line in found] == answers
    assert len(followed.rows) == len(rows) and "trials" in follow.shown(followed, [], 80)[-1]
    file.write_text(lines + made.lines_of([made.row("other", "1", 1.0)]))
    followed.look()
    assert len(followed.rows) == len(rows) + 1


def test_it_shows_the_trials_until_the_runner_is_gone(tmp_path, monkeypatch, capsys):
    (tmp_path / "rows.jsonl").write_text(made.lines_of([made.row("baseline", "1", 4.0)]))
    parents = iter([7, 7, 7, 1])
    monkeypatch.setattr("os.getppid", lambda: next(parents))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("sys.argv", ["follow.py", str(tmp_path)])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert follow.main() == 0
    shown = "1 trials; stop with Ctrl-C, which prints how to go on\n"
    assert capsys.readouterr().out == shown + follow.erase(1) + shown + follow.erase(1)
