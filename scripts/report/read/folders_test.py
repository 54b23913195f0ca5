"""The rows that the report reads from a run's folder, and the folders that it refuses."""

import html
import json

import pytest

from report import made, render
from report.made import call, files_of, lines_of
from report.read import files, load


def test_programs_kept_by_run_are_used_for_its_rows(tmp_path):
    folder = made.write_three_sets(tmp_path / "three")
    (folder / "programs/t").mkdir()
    other = made.declaration(subject={"name": "x", "version": "on M1", "sha256": "cd"})
    files.write_json(folder / "programs/t/made@x.json", other)
    assert [part.declared["subject"]["version"] for part in load.load(folder).parts] == [
        "1",
        "1",
        "on M1",
    ]


def test_of_too_many_rows_whole_rounds_are_read(tmp_path, monkeypatch):
    folder = made.write_many(tmp_path / "many", 3_750)  # ten rounds, from 0
    monkeypatch.setattr(load, "MOST_ROWS", 1_000)
    run = load.load(folder)
    assert {row.round for row in run.parts[0].rows} == {1, 5, 9} and len(
        run.parts[0].rows
    ) == 3 * 375
    assert (
        "3,750 rows: figures and opened rows use one round in 4"
        in render.write(run, folder).read_text()
    )


def test_bad_folders_are_one_sentence_and_a_code(folder):
    assert call().returncode == 2
    missing = call(folder / "nowhere")
    assert (
        missing.returncode == 13
        and "cannot read" in missing.stderr
        and missing.stderr.count("\n") == 1
    )
    kept = (folder / "sessions/r.1.json").read_text()
    files.write_json(folder / "sessions/r.1.json", {"schema": 1})
    assert "sessions/r.1.json: data has no field run" in call(folder).stderr
    (folder / "sessions/r.1.json").write_text(kept)
    (folder / "rows.jsonl").write_text("{}\n")
    schema = call(folder)
    assert (
        schema.returncode == 13 and "has schema None, this program reads schema 1" in schema.stderr
    )
    (folder / "rows.jsonl").write_text("garbage\n")
    assert "rows.jsonl line 1 is not a JSON object" in call(folder).stderr
    (folder / "rows.jsonl").write_text(lines_of([made.row("fast", "1", 1.0, program="made@y")]))
    assert "verdicts.jsonl does not fit the rows; run: cliffbench judge" in call(folder).stderr


def test_a_row_that_the_judge_left_out_is_left_out_with_a_note(folder):
    trials, found = made.rows(), made.verdicts()
    found[0]["left_out"] = [len(trials) + 1]
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    before = call(folder)
    with (folder / "rows.jsonl").open("a") as file:
        file.write('{"schema":1,"ru}\n')
    result = call(folder)
    assert before.returncode == result.returncode == 0, result.stderr
    assert (
        f"rows.jsonl line {len(trials) + 1} is damaged and was left out"
        in (folder / "report.html").read_text()
    )


@pytest.mark.parametrize(
    "name",
    [
        "../../secret",
        "/etc/passwd",
        "a\\u0000b",
        "{{ 7 * 7 }}",
        "<script>bad()</script>",
        "$x$ $y",
        "![x](http://far.away/x.png)",
    ],
)
def test_a_hostile_folder_reads_and_writes_nothing_outside_itself(tmp_path, name):
    (tmp_path / "secret.md").write_text("a secret")
    folder = made.write(tmp_path / "inner/run")
    for path in [
        *folder.rglob("*.json"),
        *folder.glob("*.jsonl"),
    ]:  # as case, variant, axis and run
        text = path.read_text()
        for known, old in (
            ('"case": "made"', "made"),
            ('"other"', "other"),
            ('{"n": "', "n"),
            ('"name": "n"', '"n"'),
            ('"run": "r"', '"r"'),
            ('"runs": ["r"]', '"r"'),
            ('"r.1"', "r"),
            ("2 and 2 made 5", "2 and 2 made 5"),
        ):
            text = text.replace(known, known.replace(old, f'"{name}"' if old[0] == '"' else name))
        path.write_bytes(files.sealed(text.encode()) if path.suffix == ".json" else text.encode())
    result = call(folder)
    assert result.returncode == 0, result.stderr
    assert {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*")} == {
        "secret.md",
        "inner",
    }
    assert list((tmp_path / "inner").iterdir()) == [folder]
    for page in (folder / "report.html", folder / "report.md"):
        text = page.read_text()
        assert name in html.unescape(text).replace("]\\(", "](") or "\\u0000" in name
        assert "](http" not in text or page.suffix == ".html"
        assert (
            "a secret" not in text
            and "root:x" not in text
            and ">49<" not in text
            and "<script>bad" not in text
        )


@pytest.mark.parametrize(
    "change",
    [('"params": {', '"params": 3, "x": {'), ('"round": 1', '"round": ' + "[" * 5000 + "]" * 5000)],
)
def test_a_record_that_is_none_is_one_sentence(folder, change):
    text = (folder / "rows.jsonl").read_text()
    (folder / "rows.jsonl").write_text(text.replace(*change))
    assert text != text.replace(*change)
    result = call(folder)
    assert result.returncode == 13 and len(result.stderr.splitlines()) == 1, result.stderr


def test_an_unfinished_last_row_is_left_out_with_a_note(folder):
    with (folder / "rows.jsonl").open("a") as file:
        file.write('{"schema":1,"ru')
    result = call(folder)
    assert result.returncode == 0 and "is unfinished and was left out" in result.stdout
    assert "is unfinished and was left out" in (folder / "report.html").read_text()


def test_the_order_of_keys_in_a_file_changes_nothing(tmp_path):
    pages = []
    for order in (sorted, lambda keys: sorted(keys, reverse=True)):
        folder = made.write(tmp_path / str(len(pages)) / "run")
        for path in [*folder.rglob("*.json"), *folder.glob("*.jsonl")]:
            if path.suffix == ".json":
                path.write_bytes(
                    files.sealed(
                        json.dumps(reordered(files.read_json(path), order), indent=1).encode()
                    )
                )
            else:
                path.write_text(
                    lines_of(
                        reordered(json.loads(line), order) for line in path.read_text().splitlines()
                    )
                )
        render.write(load.load(folder), folder)
        pages.append(files_of(folder))
    assert pages[0] == pages[1]


def reordered(value, order):
    if isinstance(value, dict):
        return {key: reordered(value[key], order) for key in order(value)}
    return [reordered(one, order) for one in value] if isinstance(value, list) else value


def test_whose_rows_are_in_a_set_is_what_the_judge_said(tmp_path):
    """Not what the dates, machines and commits of the sessions would give."""
    folder = made.write_three_sets(tmp_path / "three")
    found = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    found = [line for line in found if line.get("date") != "2026-02-01"]
    first, _ = [line for line in found if line["kind"] == "set"]
    first["sessions"]["made@x"].append("s.1")
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    rows_of = {part.set.date: {row.run for row in part.rows} for part in load.load(folder).parts}
    assert rows_of == {"2026-01-01": {"r", "s"}, "2026-03-01": {"t"}}
    del first["sessions"]
    (folder / "verdicts.jsonl").write_text(lines_of(found))
    assert (
        f"verdicts.jsonl is not of this version (run: cliffbench judge {folder}): data has no field sessions"
        in call(folder).stderr
    )
