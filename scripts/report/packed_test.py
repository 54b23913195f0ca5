"""The folder of a published run: compressed, without what can be made of it again, and in 2 MB."""

import gzip
import re

import pytest

from report import files, load, made, published, render

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
    assert not (packed / "report.csv").exists()
    for text in (page, (packed / "report.md").read_text()):
        assert "rows.jsonl.gz" in text and 'href="report.csv' not in text and "](report.csv)" not in text


@pytest.mark.parametrize("name", published.PACKED)
def test_damaged_bytes_are_named(packed, name):
    path = packed / f"{name}.gz"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(files.Unreadable, match=name):
        load.load(packed)


@pytest.mark.parametrize("rows", ALL, ids=lambda path: path.parent.name)
def test_a_publication_takes_2_mb_at_most(rows):
    assert published.size(rows.parent) <= published.MOST
