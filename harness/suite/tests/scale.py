"""The cost of plan, status, merge and judge by the row: scripts/setup/python harness/suite/tests/scale.py [ROWS...]     (10^5 and 10^6)

Makes up a program of ROWS / 40 cells and the rows of 4 shards and of 100, 40 rounds each, and prints time and memory a
row."""

import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

from built import CLIFFBENCH, files, sealed
from made_case import made_case
from records import row, session

ROUNDS = 40


def measured(*words):
    """CPU seconds and highest resident bytes of a call, which must succeed."""
    pid = os.posix_spawn(CLIFFBENCH, [str(word) for word in (CLIFFBENCH, *words)], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, words
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def lines_in(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def random_numbers(seed):
    """As std::mt19937_64 gives them (M. Matsumoto and T. Nishimura)."""
    mask = (1 << 64) - 1
    state = [seed & mask]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & mask)
    while True:
        for i in range(312):
            mixed = (state[i] & (mask << 31 & mask)) | (state[(i + 1) % 312] & 0x7FFFFFFF)
            state[i] = state[(i + 156) % 312] ^ (mixed >> 1) ^ (0xB5026F5AA96619E9 if mixed & 1 else 0)
        for x in state:
            x ^= (x >> 29) & 0x5555555555555555
            x ^= (x << 17) & 0x71D67FFFEDA60000
            x ^= (x << 37) & 0xFFF7EEE000000000
            yield x ^ (x >> 43)


def shuffle(items, numbers):
    for i in range(len(items), 1, -1):
        at = next(numbers) % i
        items[i - 1], items[at] = items[at], items[i - 1]


def schedule(cells, seed):
    """(round, cell) in the order of a plan's trials: schedule() in harness/suite/plan/plan.cpp."""
    points = {}
    for cell in cells:
        points.setdefault(json.dumps(cell["params"]), []).append(cell)
    numbers = random_numbers(seed)
    for turn in range(1, ROUNDS + 1):
        order = [list(point) for point in points.values()]
        shuffle(order, numbers)
        for point in order:
            shuffle(point, numbers)
            yield from ((turn, cell) for cell in point)


def make_rows(place, shards):
    """The rows of all shards, as the runs of so many machines of one kind would have left them."""
    plan, declared = files.read_json(place / "plan.json"), json.loads((place / "made.json").read_text())
    machine = json.loads(subprocess.run([CLIFFBENCH, "doctor", "--json"], capture_output=True, check=True).stdout)
    lines = [[] for _ in range(shards)]
    for position, (turn, cell) in enumerate(schedule(plan["cells"], plan["seed"])):
        shard = cell["block"] // 2 % shards
        time_s = 1e-3 * (1 + (position * 7919 % 1000) / 1e5) / (3 if cell["variant"] == "fast" else 1)
        made = row(cell["variant"], cell["params"], turn, time_s, run=plan["run"], session=shard + 1, program="made",
                   name=cell["name"], position=position, limit_s=20, process_s=0.01, process_rss_bytes=10_000_000,
                   stages={"copy": time_s / 3, "search": time_s / 2}, digest="0123456789abcdef0123456789abcdef")
        lines[shard].append(sealed(made) + "\n")
    for number in range(1, shards + 1):
        folder = place / f"rows/{number}"
        for name in ("sessions", "programs", "cases"):
            (folder / name).mkdir(parents=True)
        files.write_json(folder / f"sessions/{plan['run']}.{number}.json",
                         session(run=plan["run"], session=number, seed=plan["seed"], shard=[number, shards], machine=machine))
        files.write_json(folder / "programs/made.json", declared)
        files.write_json(folder / "plan.json", plan | {"shard": [number, shards]})
        (folder / "rows.jsonl").write_text("".join(lines[number - 1]))


def costs(rows, shards=4):
    """CPU seconds and bytes a row, by verb."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        points = rows // ROUNDS // 2
        program = made_case(place / "made", "write()", axes=(("size", [str(i) for i in range(1, points // 100 + 1)]),
                                                             ("kind", [f"k{i}" for i in range(100)])), claims=[{}])
        seen = {"plan": measured("plan", program, "--rounds", ROUNDS, "--profile", "quick", "--out", place / "plan.json")}
        os.system(f"'{program}' --describe >'{place}/made.json'")
        maker = multiprocessing.Process(target=make_rows, args=(place, shards))  # a child's peak memory begins at its parent's
        maker.start()
        maker.join()
        count = sum(map(lines_in, place.glob("rows/*/rows.jsonl")))
        seen["status"] = measured("status", place / "rows")
        seen["merge"] = measured("merge", *(place / "rows").iterdir(), "--out", place / "all")
        seen["judge"] = measured("judge", place / "all")
        return count, {verb: (seconds / count, size / count) for verb, (seconds, size) in seen.items()}


if __name__ == "__main__":
    for wanted in [int(word) for word in sys.argv[1:]] or [100_000, 1_000_000]:
        for machines in (4, 100):
            count, seen = costs(wanted, machines)
            for verb, (seconds, size) in seen.items():
                print(f"{count:>9} rows of {machines:>4} shards  {verb:<6} {seconds * 1e6:6.2f} us of CPU and {size:6.0f} bytes a row")
