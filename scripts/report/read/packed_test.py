"""The folder of a published run: compressed, without what can be made of it again, and in 2 MB."""

import gzip
import re

import pytest

from report import made, render
from report.draw import card
from report.read import files, load, published
from report.say import claims, table

ALL = sorted((render.TEMPLATES.parent.parent.parent / "results/published").glob("*/rows.jsonl.gz"))


@pytest.fixture
def packed(folder):
    for name in published.PACKED:
        files.pack(folder / name, folder / f"{name}.gz")
        (folder / name).unlink()
    return folder


def test_the_same_rows_are_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("row\n" * 1000)
        files.pack(tmp_path / name, tmp_path / f"{name}.gz")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == (tmp_path / "a").read_bytes()


def test_its_page_tells_the_same(packed, tmp_path):
    plain = made.write(tmp_path / "plain")
    page, other = (render.write(load.load(one), one, "run").read_text() for one in (packed, plain))
    cells = re.compile(r"<t[dh].*?</t[dh]>", re.DOTALL)
    assert cells.findall(page) == cells.findall(other) and page.count("<svg") == other.count("<svg")
    for text in (page, (packed / "report.md").read_text()):
        assert "rows.jsonl.gz" in text


@pytest.mark.parametrize("name", published.PACKED)
def test_damaged_bytes_are_named(packed, name):
    path = packed / f"{name}.gz"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(files.Unreadable, match=name):
        load.load(packed)


def test_what_its_pages_show_is_beside_them_and_nothing_else(packed):
    render.write(load.load(packed), packed, "run")
    assert not published.missing_images(packed)
    shown = (packed / "report.html").read_text() + (packed / "report.md").read_text()
    drawn = [path for path in (packed / "figures").iterdir() if path.name != render.LIST]
    assert all(
        (path.suffix == ".svg" or path.name == card.FILE) and path.name in shown for path in drawn
    )
    gone = sorted(path.name for path in (packed / "figures").glob("*.svg"))
    for name in gone:
        (packed / "figures" / name).unlink()
    assert published.missing_images(packed) == [f"figures/{name}" for name in gone]


@pytest.mark.parametrize("rows", ALL, ids=lambda path: path.parent.name)
def test_a_publication_takes_2_mb_at_most_and_shows_no_image_that_it_lacks(rows):
    assert published.size(rows.parent) <= published.MOST
    assert published.missing_images(rows.parent) == []


VOID = 'programs = ["made@x"]\nreason = "measured something else"\n'


def test_a_program_that_is_void_says_so_wherever_it_is_shown_and_counts_nowhere(packed):
    (packed / published.VOID).write_text(VOID)
    run = load.load(packed)
    words = "Void until the next publication: made@x, which measured something else."
    page = render.write(run, packed, "run").read_text()
    markdown = (packed / "report.md").read_text()
    figures = re.findall(r"<figcaption>(.*?)</figcaption>", page, re.DOTALL)
    assert len(figures) == 3 and all(
        "Void until the next publication." in caption
        for caption in figures
        if "order.svg" not in caption
    )
    assert (
        page.count(f'<p class="note void">{words}</p>') == 2 and f"**{words}**" in markdown
    )  # of the page, of the program
    claimed = [row["words"] for row in table.rows(run) if row["kind"] != "cell"]
    assert all(one.startswith("void until the next publication (the judge: ") for one in claimed)
    assert claims.counts(run) == dict.fromkeys(claims.VERDICTS, 0) | {"void": 2}
    assert "no claim was measured; 2 more claims" in claims.trust(run, *run.sets)
    assert (
        run.summary["held"] == 1
        and "∅ void until the next publication (the judge: held) |" in markdown
    )


@pytest.mark.parametrize("text", ["programs = 5", "programs", 'programs = ["a"]'])
def test_a_damaged_list_of_what_is_void_is_named(packed, text):
    (packed / published.VOID).write_text(text)
    with pytest.raises(files.Unreadable, match="does not say which programs are void"):
        load.load(packed)
