"""`cliffbench gate` from outside, on made-up programs (tests/programs/fake_benchmark.cpp): no clock decides anything."""

import json
import pathlib
import re
import shutil
import subprocess

import golden_test
import pytest
from built import EMPTY, FAULTS, call, plain_build_only, rows
from made_gate import gate, ruling, rulings, runs_of, script

# Rulings and exit codes


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The gates of golden_test.py, measured anew."""
    with pytest.MonkeyPatch.context() as patch:
        place = tmp_path_factory.mktemp("measured")
        patch.setattr(golden_test, "GOLDEN", place)
        golden_test.record(place)
    return place / "recorded"


def words(text):
    """Without numbers, and without which of several is the slowest."""
    text = re.sub("^(slower|measure the first alone[^:]*): .*", "", golden_test.steady(text), flags=re.M)
    return re.sub(r"[-+]?[0-9.]+", "N", " ".join(text.split()))


@pytest.mark.parametrize("name", golden_test.RECORDED)
def test_what_is_measured_is_ruled_as_the_recording(measured, name):
    """Measured with the same rulings as judged again."""
    summary, found = rulings(measured / name)
    again = call("gate", "--from", name, cwd=measured)
    assert rulings(measured / name)[1] == found and summary["exit"] == again.returncode
    golden = (pathlib.Path(golden_test.__file__).parent / "golden/rulings.txt").read_text()
    [kept] = re.findall(rf"^======== {name}: (.*?)(?=^======== |\Z)", golden, re.S | re.M)
    assert words(f"exit {again.returncode}\n{again.stdout}") == words(kept)


def test_the_same_twice_is_ok_after_twelve_pairs(side, tmp_path):
    result = gate(side("base"), side("head"), tmp_path / "gate")
    assert result.returncode == 0, result.stderr + result.stdout
    found = ruling(tmp_path / "gate")
    assert (found["ruling"], found["pairs"], found["metric"]) == ("ok", 12, "cpu")
    notes = json.loads((tmp_path / "gate/rulings.jsonl").read_text().splitlines()[0])["notes"]
    [note] = [note for note in notes if not note.startswith("other programs kept ")]  # which a busy machine adds
    assert note.startswith("fake is identical on both sides, but its libraries are unknown") and note in result.stdout
    written = rows(tmp_path / "gate")
    assert len(written) == 36
    [count] = {row["iterations"] for row in written}  # one for both sides
    assert count == 5  # of 1 ms each, in ten batches of 5 ms
    assert len({(row["round"], row["variant"]) for row in written}) == 36
    orders = {tuple(row["variant"] for row in written if row["round"] == n) for n in range(1, 13)}
    assert len(orders) > 2  # drawn for each pair
    assert not (tmp_path / "gate/scratch").exists() and not (tmp_path / "gate/sides").exists()


def test_disturbed_batches_move_nothing(side, tmp_path):
    disturbed = [1, 1.5, 3, 1, 1, 1.5, 1, 1, 1, 1]
    gate(side("base", batches=disturbed), side("head", batches=[1, *disturbed[:0:-1]]), tmp_path / "same")
    assert ruling(tmp_path / "same")["ruling"] == "ok"
    gate(side("base", batches=disturbed), side("head", ms=1.1), tmp_path / "slower")
    found = ruling(tmp_path / "slower")
    assert (found["ruling"], found["by_mean"]) == ("regression", False)


def test_a_set_up_that_takes_long_is_not_repeated(side, tmp_path):
    assert gate(side("base", busy_s=0.1), side("head", busy_s=0.1), tmp_path / "gate").returncode == 0
    [benchmark] = json.loads((tmp_path / "gate/gate.json").read_text())["benchmarks"]
    assert (benchmark["iterations"], benchmark["batches"]) == (50, 1)


def test_a_base_that_differs_from_itself_proves_nothing(side, tmp_path):
    """With the same seed the order is the same: so the base can know which of its runs are the control's."""
    base, head = side("base"), side("head")
    gate(base, head, tmp_path / "plain")
    order = [row["variant"] for row in rows(tmp_path / "plain") if row["variant"] != "head"]
    pilots = runs_of(base) - len(order)
    control = [pilots + i + 1 for i, variant in enumerate(order) if variant == "control"]
    base = side("base", slow=control)
    base.with_name("fake.runs").unlink()
    result = gate(base, side("head", ms=1.1), tmp_path / "gate")
    assert result.returncode == 14, result.stdout
    found = ruling(tmp_path / "gate")
    assert found["control_moved"] is True and found["ruling"] == "regression"
    assert "UNPROVEN: the base differs from itself at one (1 REGRESSION)." in result.stdout


def test_a_program_that_does_not_ask_what_it_has_not_understood_is_not_given_counts(side, tmp_path):
    assert gate(side("base", unheard=True), side("head", unheard=True), tmp_path / "gate").returncode == 0
    assert {row["iterations"] for row in rows(tmp_path / "gate")} == {5}  # and not 500, the library's half a second


def test_a_pilot_is_shared_and_one_that_dies_leaves_the_others_alone(side, tmp_path):
    names = [f"number {i}" for i in range(60)]
    base, head = side("base", names=names), side("head", names=names, at={1: "crash"})
    gate(base, head, tmp_path / "gate", "--budget", "1ms", "--limit", "5s")
    gate(base, head, tmp_path / "two", "--filter", "number [12]$")
    assert [line["ruling"] for line in rulings(tmp_path / "two")[1]] == ["ok", "ok"]
    benchmarks = json.loads((tmp_path / "two/gate.json").read_text())["benchmarks"]
    assert not [one for one in benchmarks if one["not_timed"]]
    plain = side("plain", names=names)
    gate(plain, plain, tmp_path / "all", "--budget", "3s")
    assert not [row for row in rows(tmp_path / "all") if row["status"] != "ok"]
    benchmarks = json.loads((tmp_path / "all/gate.json").read_text())["benchmarks"]
    assert {(one["iterations"], one["batches"]) for one in benchmarks} == {(5, 10)}
    assert runs_of(plain) <= 4 + len(rows(tmp_path / "all")) + 1  # two groups on both sides, and what was cut off


# Programs of our kit

def test_the_kit_takes_counts():
    result = subprocess.run([EMPTY, "--benchmark_filter=^empty/number:7/variant:baseline$", "--benchmark_min_time=7x",
                             "--benchmark_format=json"], capture_output=True, text=True, timeout=60)
    [one] = json.loads(result.stdout)["benchmarks"]
    assert one["iterations"] == 7


def lying(path):
    """The real program, but each digest "the same" becomes "another"."""
    return script(path, f'{FAULTS} "$@"; code=$?\nfor word; do case "$word" in --benchmark_out=*) '
                        f'sed -i "s/the same/another/" "${{word#*=}}";; esac; done; exit $code')


def test_another_digest_is_wrong_output_unless_it_is_new_on_purpose(tmp_path):
    name = "^faults/deed:lie/size:1/variant:baseline$"
    head = lying(tmp_path / "faults")
    result = gate(FAULTS, head, tmp_path / "gate", "--filter", name)
    assert result.returncode == 13, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "wrong_output" and "'the same'" in found["reason"] and "'another'" in found["reason"]
    result = gate(FAULTS, head, tmp_path / "new", "--filter", name, "--new-output", "--budget", "300ms")
    assert ruling(tmp_path / "new")["ruling"] == "inconclusive"


def test_a_check_that_fails_is_wrong_output(tmp_path):
    result = gate(FAULTS, FAULTS, tmp_path / "gate", "--filter", "deed:wrong/size:1/variant:baseline")
    assert result.returncode == 13
    assert ruling(tmp_path / "gate")["reason"] == "base: wrong: 2 and 2 made 5"
    assert ruling(tmp_path / "gate")["ruling"] == "wrong_output"


@plain_build_only
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_instructions_of_the_same_program_are_the_same(tmp_path):
    result = call("gate", "--base", EMPTY, "--head", EMPTY, "--out", tmp_path / "gate", "--metric", "instructions",
                  "--filter", "number:1/variant:baseline", "--batch", "5ms", "--time-unchanged")
    assert result.returncode == 0, result.stderr
    found = ruling(tmp_path / "gate")
    assert found["ruling"] == "ok" and found["metric"] == "instructions", found
    assert found["instructions"]["base"] > 0 and abs(found["instructions"]["change"]) < 0.001
    assert not (tmp_path / "gate/rows.jsonl").exists() or not rows(tmp_path / "gate")  # no pair was run
