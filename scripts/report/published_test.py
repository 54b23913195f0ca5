"""The published reports, the README's table and the index are what the published rows give."""

import datetime
import json
import pathlib
import re
import shutil

import publish
import pytest

from report import render
from report.made import files_of
from report.read import load, published
from report.say import closing

ROOT = pathlib.Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    "page",
    sorted((ROOT / "results/published").glob("*/report.html")),
    ids=lambda path: path.parent.name,
)
def test_a_published_report_is_what_its_rows_give(page, tmp_path):
    folder = page.parent
    copy = tmp_path / folder.name
    shutil.copytree(folder.parent / published.EARLIER, tmp_path / published.EARLIER)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder) not in files_of(folder):
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    render.write(load.load(copy), copy, folder.relative_to(ROOT).as_posix())
    assert files_of(copy) == files_of(folder)


SPLICED = [ROOT / "README.md", ROOT / "docs/platforms.md"]
BLOCK = re.compile(r"<!-- report: (?:headline of|fixes of|a gate by|an M1 by) (\S+) -->")


def test_each_time_in_the_words_for_a_figure_is_in_the_report():
    readme = (ROOT / "README.md").read_text()
    [folder] = set(BLOCK.findall(readme))
    section = re.search("## A slow Halide page\n(.*?)\n## ", readme, re.S)[1]
    words = " ".join([*re.findall('alt="(.*?)"', readme), section])
    times = re.findall(r"[\d.,]+ (?:ns|ms|s|min|minutes|seconds)\b", words)
    report = (ROOT / folder / "report.md").read_text().replace("&nbsp;", " ")
    assert len(times) >= 6 and [time for time in times if time not in report] == []


@pytest.mark.parametrize("page", SPLICED, ids=lambda path: path.name)
def test_a_block_is_what_the_run_gives(page, tmp_path):
    copy = tmp_path / page.name
    copy.write_bytes(page.read_bytes())
    [folder] = set(BLOCK.findall(copy.read_text()))
    render.splice(load.load(ROOT / folder), pathlib.Path(folder), copy)
    assert copy.read_text() == page.read_text()


def test_the_index_shows_what_is_published(tmp_path):
    shutil.copytree(
        ROOT / "results", tmp_path / "results", ignore=shutil.ignore_patterns("local", "figures")
    )
    changes = pathlib.Path(shutil.copy(publish.CHANGES, tmp_path))
    changes.write_text(changes.read_text().replace("| `buffer_stub` |", "| `gone` |"))
    publish.index(tmp_path / "results/published", changes)
    assert changes.read_text() == publish.CHANGES.read_text()
    index = (tmp_path / "results/published/README.md").read_text()
    assert index == (ROOT / "results/published/README.md").read_text()


def test_what_only_the_patches_called_from_cpp_gave_is_not_called_halide_patched():
    """In a run that has not measured the launcher."""
    for folder in (page.parent for page in (ROOT / "results/published").glob("*/report.md")):
        run = load.load(folder)
        for part in run.parts:
            for lines in (part.cells, part.ratios):
                lines[:] = [one for one in lines if one["variant"] not in ("launcher", "import")]
        for block in ("headline.md.j2", "first.md.j2", "short.md.j2"):
            assert "halide-patched" not in render.block_of(run, block, folder).lower()


def test_the_headline_and_the_table_name_what_people_install():
    folder = min(ROOT.glob("results/published/*/report.md")).parent
    run = load.load(folder)
    [headline] = render.block_of(run, "headline.md.j2", folder).splitlines()
    assert "; under `halide-patched` 321 ms (288x" in headline
    table = render.block_of(run, "short.md.j2", folder)
    assert "| `halide-patched`, the whole program (no change to your code) |" in table
    assert "| our four patches, called from C++ |" in table
    assert "\n  halide-patched: the page\n" in closing.text(run, "there", 120)


def test_the_time_of_full_in_the_documents_is_that_of_the_published_run():
    [session] = map(
        json.loads, (p.read_text() for p in ROOT.glob("results/published/*/sessions/*.json"))
    )
    began, ended = (
        datetime.datetime.fromisoformat(session[key].rstrip("Z")) for key in ("started", "ended")
    )
    hours, minutes = divmod(round((ended - began).total_seconds() / 60), 60)
    assert session["profile"] == "full"
    assert (
        f"| {hours} h {minutes} min ({began:%Y-%m-%d}) |"
        in (ROOT / "docs/measuring.md").read_text()
    )
