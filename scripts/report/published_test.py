"""The published reports, the README's table and the index are what the published rows give."""

import pathlib
import re
import shutil

import publish
import pytest

from report import render
from report.made import files_of
from report.read import load

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    "page",
    sorted((ROOT / "results/published").glob("*/report.html")),
    ids=lambda path: path.parent.name,
)
def test_a_published_report_is_what_its_rows_give(page, tmp_path):
    folder = page.parent
    copy = tmp_path / folder.name
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder) not in files_of(folder):
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    render.write(load.load(copy), copy, folder.relative_to(ROOT).as_posix())
    assert files_of(copy) == files_of(folder)


def test_each_time_in_the_words_for_a_figure_stands_in_a_table_of_the_run():
    readme = (ROOT / "README.md").read_text().replace("&nbsp;", " ")
    tables = "".join(re.findall(r"<!-- report: .*?<!-- end -->", readme, flags=re.S))
    words = "".join(re.findall('alt="(.*?)"', readme))
    times = re.findall(r"[\d.,]+ (?:ns|ms|s|min|minutes|seconds)\b", words)
    assert len(times) >= 6 and [time for time in times if time not in tables] == []


def test_the_readme_and_the_index_show_what_is_published(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_bytes((ROOT / "README.md").read_bytes())
    [folder] = re.findall(r"<!-- report: (\S+) -->", readme.read_text())
    render.splice(load.load(ROOT / folder), pathlib.Path(folder), readme)
    assert readme.read_text() == (ROOT / "README.md").read_text()
    shutil.copytree(
        ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("local", "figures")
    )
    changes = pathlib.Path(shutil.copy(publish.CHANGES, tmp_path))
    changes.write_text(changes.read_text().replace("| `buffer_stub` |", "| `gone` |"))
    publish.index(tmp_path / "results/published", changes)
    assert changes.read_text() == publish.CHANGES.read_text()
    assert (tmp_path / "results/published/README.md").read_text() == (
        ROOT / "results/published/README.md"
    ).read_text()
