"""Instructions of the search, counted by callgrind: the same in every run, so fit for a gate."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", "build")).absolute()
LIBRARIES = sorted((BUILD / "cases/marker_search_objects").glob("search-*.so"))
pytestmark = [pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind"),
              pytest.mark.skipif("CLIFFBENCH_SANITIZED" in os.environ, reason="valgrind counts no sanitized program")]


def count(library, values, markers, filtered, tmp_path):
    """(bytes of the listing, instructions of one search)"""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=search_markers",
                           f"--callgrind-out-file={tmp_path / 'out'}", BUILD / "count_search", library,
                           str(values), str(markers), str(int(filtered))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[0]), int(re.search(r"Collected : (\d+)", done.stderr).group(1))


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda path: path.stem)
def test_work_grows_as_bytes_times_markers_and_the_filter_ends_it(library, tmp_path):
    size, one = count(library, 2048, 1, False, tmp_path)
    larger_size, larger = count(library, 8192, 1, False, tmp_path)
    _, four = count(library, 8192, 4, False, tmp_path)
    _, filtered = count(library, 8192, 4, True, tmp_path)
    per_byte = (larger - one) / (larger_size - size)
    assert per_byte > 20
    assert 3.5 < four / larger < 4.5
    assert filtered < larger / 3


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda path: path.stem)
def test_the_count_is_the_same_again(library, tmp_path):
    counts = {count(library, 2048, 1, False, tmp_path)[1] for _ in range(2)}
    assert max(counts) - min(counts) < 0.001 * max(counts)


def test_apples_library_does_more_per_byte(tmp_path):
    if len(LIBRARIES) < 2:
        pytest.skip("this build has no libc++")
    per_byte = {}
    for library in LIBRARIES:
        (size, few), (larger_size, many) = (count(library, values, 1, False, tmp_path) for values in (2048, 8192))
        per_byte[library.stem] = (many - few) / (larger_size - size)
    assert per_byte["search-libcxx"] > 1.5 * per_byte["search-libstdcxx"]
