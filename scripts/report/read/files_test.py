"""The report and publish.py open regular files of the folder alone, never through a link; what they write is whole or not there."""

import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

import pytest

from report.read import files, load

SCRIPT = pathlib.Path(__file__).parents[2] / "report.py"
FLIPS = 40
MARKS = "# Mine\n<!-- report: an M1 by {} -->\nold\n<!-- end -->\nthe tail\n"


def report(folder, *words, **kwargs):
    return subprocess.run(
        [sys.executable, SCRIPT, folder, *words],
        capture_output=True,
        text=True,
        timeout=120,
        **kwargs,
    )


def refused(result, words):
    assert result.returncode == 13 and words in result.stderr and result.stderr.count("\n") == 1, (
        result.stderr
    )


def test_every_flipped_bit_of_a_sealed_file_is_noticed(folder):
    for path in (folder / "programs/made@x.json", folder / "sessions/r.1.json"):
        whole, draw = path.read_bytes(), random.Random(18)
        for _ in range(FLIPS // 2):
            text, place = bytearray(whole), draw.randrange(len(whole) * 8)
            text[place // 8] ^= 1 << place % 8
            path.write_bytes(text)
            with pytest.raises(files.Unreadable, match=path.name):
                load.load(folder)
        path.write_bytes(whole)
    assert load.load(folder).parts


@pytest.mark.parametrize(
    "name",
    [
        "rows.jsonl",
        "verdicts.jsonl",
        "programs/made@x.json",
        "sessions/r.1.json",
        "cases/made.md",
        "validation.json",
    ],
)
@pytest.mark.parametrize("kind", ["link", "pipe", "endless"])
def test_only_regular_files_are_read(folder, tmp_path, name, kind):
    path = folder / name
    (tmp_path / "secret.txt").write_text(path.read_text() if path.exists() else "a secret")
    path.unlink(missing_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.symlink_to(
        "/dev/zero" if kind == "endless" else tmp_path / "secret.txt"
    )
    with pytest.raises(files.Unreadable, match=f"cannot read {re.escape(str(path))}: it is "):
        load.load(folder)


def test_the_folder_of_a_gate_is_not_compared_with_runs(folder):
    (folder / "gate.json").write_text("{}")
    with pytest.raises(files.Unreadable, match="is a gate's folder, whose rulings are in"):
        load.load(folder)


@pytest.mark.parametrize("name", ["cases", "sessions", "programs"])
def test_linked_folders_are_not_followed(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(files.Unreadable, match="it is a link"):
        load.load(folder)
    (folder / name).unlink()
    (folder / name).mkdir()
    (folder / name / "link").symlink_to(tmp_path / "elsewhere")
    assert files.inside(folder / name, "*.*") == []


def test_somebodys_figures_stay_and_ours_of_before_go(folder):
    (folder / "figures").mkdir()
    for name in ("mine.png", "mine.svg"):
        (folder / "figures" / name).write_text("mine")
    assert report(folder).returncode == 0
    ours = set((folder / "figures/figures.txt").read_text().splitlines())
    assert ours and ours | {"mine.png", "mine.svg", "figures.txt"} == {
        path.name for path in (folder / "figures").iterdir()
    }
    (folder / "figures/gone.png").write_text("of a case that is measured no more")
    (folder / "kept.png").write_text("outside")
    (folder / "figures/linked.png").symlink_to("../kept.png")
    listed = (folder / "figures/figures.txt").read_text()
    (folder / "figures/figures.txt").write_text(
        listed + "gone.png\nlinked.png\n../kept.png\n../rows.jsonl\nfigures.txt\n\n"
    )
    assert report(folder).returncode == 0
    assert not (folder / "figures/gone.png").exists()
    for name in (
        "figures/mine.png",
        "figures/mine.svg",
        "figures/linked.png",
        "kept.png",
        "rows.jsonl",
    ):
        assert os.path.lexists(folder / name), name
    assert set((folder / "figures/figures.txt").read_text().splitlines()) == ours


def test_linked_figures_are_not_touched(folder, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.png").write_text("mine")
    (folder / "figures").symlink_to(tmp_path / "mine")
    refused(report(folder), "it is a link")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["a.png"]


@pytest.mark.parametrize("name", ["report.html", "report.md", "figures/figures.txt"])
def test_nothing_is_written_through_a_link(folder, tmp_path, name):
    (tmp_path / "mine.txt").write_text("mine")
    (folder / "figures").mkdir()
    (folder / name).symlink_to(tmp_path / "mine.txt")
    refused(report(folder), str(folder / name))
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("link", [False, True])
def test_a_file_is_spliced_whole_or_stays(folder, tmp_path, link):
    readme = tmp_path / "README.md"
    text = MARKS.format(folder.as_posix()).encode() + b"\xff not UTF-8\r\n" + b"x" * 100_000
    readme.write_bytes(text)
    given = readme
    if link:
        given = tmp_path / "link.md"
        given.symlink_to(readme)
    else:  # as on a full disk
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # noqa: E731
        refused(report(folder, "--splice", readme, preexec_fn=limit), "cannot write")
        assert readme.read_bytes() == text and not list(tmp_path.glob("*.new"))
    result = report(folder, "--splice", given)
    if link:
        refused(result, "it is a link")
        assert readme.read_bytes() == text
    else:
        assert result.returncode == 0, result.stderr
        after = readme.read_bytes()
        assert (
            after.startswith(b"# Mine\n")
            and after.endswith(text[text.index(b"<!-- end -->") :])
            and b"\nold\n" not in after
        )


@pytest.mark.parametrize(
    "change, what",
    [
        (lambda it: it.update(command=5), "data.command must be string"),
        (lambda it: it["machine"].update(cpu=None), "data.machine.cpu must be string"),
        (lambda it: it.update(machine="x"), "data.machine must be object"),
        (lambda it: it["machine"].update(speed=1), "'speed'"),
        (lambda it: it.pop("seed"), "data has no field seed"),
        (lambda it: it.update(schema=2), "has schema 2"),
    ],
)
def test_a_field_of_another_kind_is_named(folder, change, what):
    path = folder / "sessions/r.1.json"
    record = files.read_json(path)
    change(record)
    files.write_json(path, record)
    result = report(folder)
    refused(result, what)
    assert str(path) in result.stderr


def test_a_file_without_its_checksum_is_refused(folder):
    path = folder / "sessions/r.1.json"
    path.write_text(json.dumps(files.read_json(path)))
    refused(report(folder), f"{path} is damaged, or no file of cliffbench: it has no checksum")


def test_a_written_file_is_read_by_the_harness_again(tmp_path):
    path = tmp_path / "record.json"
    files.write_json(path, {"text": "naïve \u2028", "b": [1, 2.5, None], "a": {}})
    assert files.read_json(path) == {"text": "naïve \u2028", "b": [1, 2.5, None], "a": {}}
    assert '"text": "naïve \u2028"' in path.read_text()
    lines = path.read_text().splitlines()
    assert (
        lines[-2].startswith(' "check": "')
        and lines[-1] == "}"
        and json.loads(path.read_text())["check"]
    )
