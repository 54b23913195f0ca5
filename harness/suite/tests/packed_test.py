"""The rows of a published run are compressed: every verb reads them as it reads others, none adds to them."""

import gzip
import shutil

import pytest
from built import call, sentence
from made_case import made_case


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    place = tmp_path_factory.mktemp("packed")
    folder = place / "run"
    assert call("run", made_case(place / "made", axes=(("n", ("1",)),)), "--rounds", 2, "--out", folder).returncode == 0
    assert call("judge", folder).returncode == 0
    return folder


@pytest.fixture
def packed(plain, tmp_path):
    folder = tmp_path / "packed"
    shutil.copytree(plain, folder)
    rows = folder / "rows.jsonl"
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress(rows.read_bytes(), mtime=0))
    rows.unlink()
    return folder


@pytest.mark.parametrize("named", ["", "rows.jsonl.gz"])
def test_they_are_judged_as_if_they_were_not(plain, packed, named):
    (packed / "verdicts.jsonl").unlink()
    assert call("judge", packed / named).returncode == 0
    assert (packed / "verdicts.jsonl").read_bytes() == (plain / "verdicts.jsonl").read_bytes()


def test_they_are_merged_and_listed(plain, packed, tmp_path):
    assert call("merge", packed, "--out", tmp_path / "merged").returncode == 0
    assert (tmp_path / "merged/rows.jsonl").read_bytes() == (plain / "rows.jsonl").read_bytes()
    assert call("list", packed).stdout.replace(str(packed), str(plain)) == call("list", plain).stdout
    assert call("run", plain.parent / "made", "--resume", packed, "--dry-run").stdout.startswith("0 cells, 0 trials")


def test_nothing_is_added_to_them(plain, packed):
    before = (packed / "rows.jsonl.gz").read_bytes()
    result = call("run", plain.parent / "made", "--resume", packed)
    assert result.returncode == 13 and "to continue a copy of it: gunzip" in sentence(result)
    assert (packed / "rows.jsonl.gz").read_bytes() == before and not (packed / "rows.jsonl").exists()


def test_both_kinds_in_one_folder_are_refused(plain, packed):
    shutil.copy(plain / "rows.jsonl", packed)
    result = call("judge", packed)
    assert result.returncode == 13 and "holds rows.jsonl and rows.jsonl.gz; remove one of them" in sentence(result)


def test_damaged_bytes_are_one_sentence(packed):
    path = packed / "rows.jsonl.gz"
    data = path.read_bytes()
    flipped = bytearray(data)
    flipped[-6] ^= 1  # of the checksum of the whole
    for damaged, why in ((data[:len(data) // 2], "its compressed data ends too early"), (bytes(flipped), "incorrect data check")):
        path.write_bytes(damaged)
        result = call("judge", packed)
        assert result.returncode == 13 and why in sentence(result) and str(path) in sentence(result)
