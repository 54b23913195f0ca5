"""Memory of plan, status, merge and judge grows with the rows, by about 1 kB each, and a run's not at all. (Times:
scripts/setup/python harness/suite/tests/scale.py.)"""

import os
import subprocess
import time

import pytest
from built import CLIFFBENCH, EMPTY, limited_memory_only, rows
from scale import costs

linux_only = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads /proc")


@limited_memory_only
@pytest.mark.parametrize("shards", [4, 50] if os.environ.get("CI") else [50])
def test_a_row_takes_about_a_kilobyte(shards):
    few, small = costs(10_000, shards)
    many, large = costs(30_000, shards)
    for verb, (_, size) in large.items():
        grown = (size * many - small[verb][1] * few) / (many - few)
        assert grown < 1200, (verb, grown)


@linux_only
@limited_memory_only
def test_a_run_takes_no_more_memory_for_more_trials(tmp_path):
    """Over 10^5 trials by hand; here over 1,000."""
    run = subprocess.Popen([CLIFFBENCH, "run", EMPTY, "--axis", "number=1", "--rounds", "500", "--out", tmp_path / "run",
                            "--quiet"], stdout=subprocess.DEVNULL)
    sizes = {}  # kB, by the rows that were there
    while run.poll() is None:
        with open(f"/proc/{run.pid}/status") as file:
            resident = [line.split()[1] for line in file if line.startswith("VmRSS")]
        log = tmp_path / "run/trials.log"
        if resident and log.exists():
            sizes[log.read_bytes().count(b"\n")] = int(resident[0])
        time.sleep(0.02)
    assert run.returncode == 0 and len(rows(tmp_path / "run")) == 1000
    early = max(size for count, size in sizes.items() if count < 200)
    late = max(size for count, size in sizes.items() if count > 800)
    assert late - early < 200, (early, late)
