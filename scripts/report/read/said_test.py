"""Text of programs and files acts on nothing that the report writes, and what goes wrong is one sentence."""

import contextlib
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import jinja2
import pytest

from report import made, render
from report.read import files, load, said

HOSTILE = "=cmd|' /C calc'!A0\x00\x01\x07\x1b[31m\x7f\x85\r\u202e\u2066\ufeff\ud800\udcff ]]>&<!--"
WORDS = (
    "fast",
    made.LABEL,
    "an issue",
    "too few rounds",
    "x86_64",
    "Debian",
    "things",
    "2 and 2 made 5",
    "-O2",
    "cliffbench run",
)


@pytest.fixture
def hostile(tmp_path):
    """The made run, whose texts begin with such characters; in a folder of such a name."""
    folder = made.write(tmp_path / "run=\x1b[31m\u202e")
    (folder / "cases/made.md").write_bytes(b"# made\n\n\x1b[31m\xff\xfe\xe2\x80\xae first\n")
    for path in (path for path in folder.rglob("*.json*") if path.is_file()):
        text = path.read_text()
        for word in WORDS:
            text = text.replace(json.dumps(word), json.dumps(HOSTILE + word))
        data = text.encode().replace(b"an issue", b"\xff\xfe\xe2\x80\xaean issue")
        path.write_bytes(files.sealed(data) if path.suffix == ".json" else data)
    return folder


def bad(text):
    return {character for character in text if not (character.isprintable() or character in "\n\t")}


def test_no_text_acts_on_a_page_a_figure_a_table_or_the_terminal(hostile):
    result = made.call(hostile)
    assert result.returncode == 0 and not bad(result.stdout), result.stderr
    written = made.files_of(hostile)
    assert len(written) > 5
    for name, content in written.items():
        if name.suffix != ".png":
            assert not bad(content.decode()), name
        if name.suffix == ".svg":
            ElementTree.fromstring(content)
    assert (
        "\\x1b[31m" in (hostile / "report.html").read_text()
        and "\\u202e" in (hostile / "report.md").read_text()
    )


def test_what_is_printable_stays():
    assert said.printable("naïve\t日本\n→ \\x1b 🚀") == "naïve\t日本\n→ \\x1b 🚀"
    assert said.all_printable({"\x01": ["\u202e", 1, None, {"a": "\ud800"}]}) == {
        "\\x01": ["\\u202e", 1, None, {"a": "\\ud800"}]
    }


def test_refusals_cannot_act_on_a_terminal(hostile):
    (hostile / "rows.jsonl").unlink()
    result = made.call(hostile)
    assert (
        result.returncode == 13
        and result.stderr.count("\n") == 1
        and not bad(result.stderr)
        and "\\x1b" in result.stderr
    )


@pytest.mark.parametrize("file", ["sessions/r.1.json", "programs/made@x.json"])
def test_every_field_that_is_needed_is_named_where_it_is_missing(folder, file):
    whole = files.read_json(folder / file)
    for owner, key in [(whole, key) for key in whole] + [
        (whole["machine"], key) for key in whole.get("machine", {})
    ]:
        kept = owner.pop(key)
        files.write_json(folder / file, whole)
        owner[key] = kept
        with pytest.raises(files.Unreadable, match=f"{file}.* has (no field {key}$|schema None)"):
            load.load(folder)


@pytest.mark.parametrize("line", range(len(made.verdicts())))
def test_a_verdict_that_lacks_something_is_one_sentence_or_a_page(folder, line):
    """Each field of it in turn; nothing is drawn."""
    found = made.verdicts()
    for key in list(found[line]):
        broken = [dict(record) for record in found]
        del broken[line][key]
        (folder / "verdicts.jsonl").write_text(made.lines_of(broken))
        with contextlib.suppress(*said.CAUGHT, jinja2.TemplateError):
            render.facts_of(load.load(folder), [], [], "run")


def test_a_changed_date_does_not_fit_the_rows(folder):
    path = folder / "sessions/r.1.json"
    files.write_json(path, files.read_json(path) | {"started": "2025-01-01T00:00:00Z"})
    result = made.call(folder)
    assert (
        result.returncode == 13
        and "does not fit the rows; run: cliffbench judge" in result.stderr
        and result.stderr.count("\n") == 1
    )


@pytest.mark.parametrize(
    "into, words",
    [(">/dev/full", "No space left on device"), ("| true", "Broken pipe"), (">&-", "")],
)
def test_a_standard_output_that_takes_nothing_is_one_sentence(folder, into, words):
    script = f'unset PYTHONUNBUFFERED; set -o pipefail; "$0" "$1" "$2" {into}'
    result = subprocess.run(
        ["bash", "-c", script, sys.executable, made.SCRIPT, folder], capture_output=True, text=True
    )
    expected = f"report: cannot write standard output: {words}\n" if words else ""
    assert (result.returncode, result.stderr) == (13 if words else 0, expected) and (
        folder / "report.html"
    ).exists()


def test_a_package_that_is_missing_or_damaged_is_one_sentence(folder, tmp_path):
    (tmp_path / "jinja2.py").write_text("import nothing_like_it\n")
    result = subprocess.run(
        [sys.executable, made.SCRIPT, folder],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path)},
    )
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert (
        "are missing or damaged (nothing_like_it); install them with: rm -rf .deps/venv && scripts/setup/bootstrap bench"
        in result.stderr
    )
