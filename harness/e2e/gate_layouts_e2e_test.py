"""A suspect of the gate in other layouts: each of its trials is a row, and a stopped one is continued."""

import collections
import os
import re
import sys

from built import call, rows
from made_gate import VALGRIND, ruling, script

# A relinker is called as PROGRAM SEED OUT. A copy measures as the program does; once, the head's fifth copy stops the gate in its
# third run.
COPY = "/bin/cp \"$1\" \"$3\""
STOPS_ONCE = COPY + """
case $3 in *after5*) test -e {mark} || {{ : > {mark}; /usr/bin/sed "s/^SETTINGS = {{/&'at': {{3: 'interrupt'}}, /" "$1" > "$3"; }} ;; esac"""


def suspect(side, tmp_path, relink, *words):
    """A gate whose head is 10 % slower and executes the same instructions."""
    valgrind = tmp_path / "bin/valgrind"
    valgrind.parent.mkdir()
    valgrind.write_text(VALGRIND.format(python=sys.executable, file=str(tmp_path / "calls"), each="5000"))
    valgrind.chmod(0o755)
    sides = ["--base", side("base"), "--head", side("head", ms=1.1), "--relink", script(tmp_path / "relink", relink)]
    return sides, {"env": os.environ | {"PATH": str(valgrind.parent)}}


def of_layouts(folder):
    return [row for row in rows(folder) if row["variant"].startswith("layout")]


def trials(found):
    return collections.Counter(row["variant"] for row in found)


EACH_SIX_TIMES = {f"layout {layout} {side}": 6 for layout in range(1, 9) for side in ("base", "head")}


def test_the_trials_of_its_layouts_are_rows(side, tmp_path):
    sides, how = suspect(side, tmp_path, COPY)
    result = call("gate", *sides, "--out", tmp_path / "gate", "--trust-times", **how)
    assert result.returncode == 10, result.stdout + result.stderr
    assert re.match(r"over 8 layouts the time changed by \+(9|10)\.", ruling(tmp_path / "gate")["reason"])
    found = of_layouts(tmp_path / "gate")
    assert trials(found) == EACH_SIX_TIMES and {row["status"] for row in found} == {"ok"}
    assert [row["position"] for row in found] == list(range(96))
    orders = {tuple(row["variant"][-4:] for row in found if row["round"] == number) for number in range(1, 7)}
    assert len(orders) > 1  # drawn for each pair
    again = call("gate", "--from", tmp_path / "gate", "--out", tmp_path / "again")
    assert again.returncode == 10 and ruling(tmp_path / "again")["reason"] == ruling(tmp_path / "gate")["reason"]
    assert "missing" not in again.stdout


def test_stopped_in_a_layout_it_is_continued(side, tmp_path):
    sides, how = suspect(side, tmp_path, STOPS_ONCE.format(mark=tmp_path / "mark"))
    stopped = call("gate", *sides, "--out", tmp_path / "gate", "--trust-times", **how)
    assert stopped.returncode == 130, stopped.stdout + stopped.stderr
    before = of_layouts(tmp_path / "gate")
    assert 32 < len(before) < 48 and {row["round"] for row in before} == {1, 2, 3}
    resumed = call("gate", *sides, "--resume", tmp_path / "gate", "--trust-times", **how)
    assert resumed.returncode == 10, resumed.stdout + resumed.stderr
    after = of_layouts(tmp_path / "gate")
    assert after[:len(before)] == before and len(after) == len(before) + 4 * 16  # the third round is begun anew
    assert {(row["session"], row["round"]) for row in after} == {(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6), (2, 7)}
    assert ruling(tmp_path / "gate")["reason"].startswith("over 8 layouts")
    (tmp_path / "relink").write_text("#!/bin/sh\nexit 1\n")  # they are all measured: nothing is linked again
    again = call("gate", *sides, "--resume", tmp_path / "gate", "--trust-times", **how)
    assert again.returncode == 10 and "could not relink" not in again.stderr and of_layouts(tmp_path / "gate") == after
