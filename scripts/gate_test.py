"""make gate: the benchmarks of this repository can be measured by the gate; the script builds the right two trees and passes on
what the gate says."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()
ALL = "CLIFFBENCH_ALL" in os.environ  # in CI: every program; else one that is quick
SEARCH = "cases/marker_search/search.cpp"
# Stands in for cmake: configuring makes a build.ninja, building a gate that finds the slower search in the head alone.
CMAKE = """#!/bin/sh
echo "cmake $@"
case "$*" in
  --preset*) mkdir -p build && touch build/build.ninja ;;
  *--target*) [ -z "$BROKEN" ] || exit 1
    cat >"$2/cliffbench" <<'END'
#!/bin/sh
echo "gate: $@"
for side in base head; do
  tail -n 1 build/gate/$side/cases/marker_search/search.cpp
  grep -c 'size() / 10' build/gate/$side/cases/marker_search/search.cpp >build/gate/$side.slower
done
exit $(($(cat build/gate/head.slower) > $(cat build/gate/base.slower) ? 10 : 0))
END
  chmod +x "$2/cliffbench" ;;
esac
"""


@pytest.mark.skipif("CLIFFBENCH_SANITIZED" in os.environ, reason="a sanitizer makes every benchmark slow")
def test_the_gate_measures_the_benchmarks_of_this_repository(tmp_path):
    """Stopped when the first pairs are there: then each benchmark has been run on both sides and has a count of iterations."""
    rows, side = tmp_path / "gate/rows.jsonl", BUILD if ALL else BUILD / "cases/marker_search"
    with open(tmp_path / "said", "w") as said:
        gate = subprocess.Popen([BUILD / "cliffbench", "gate", "--base", side, "--head", side, "--budget", "20m", "--batch", "2ms",
                                 "--instructions", "never", "--time-unchanged", "--out", tmp_path / "gate"],
                                cwd=tmp_path, stdout=said, stderr=subprocess.STDOUT)
        while gate.poll() is None and not (rows.exists() and rows.read_bytes().count(b"\n") >= 4):
            time.sleep(0.05)
        gate.send_signal(signal.SIGINT)
        assert gate.wait() == 130, (tmp_path / "said").read_text()[-3000:]
    tried = json.loads((tmp_path / "gate/gate.json").read_text())["benchmarks"]
    assert len(tried) > (20 if ALL else 1)
    assert not [one["name"] for one in tried if one["iterations"] < 1 or one["not_timed"]]
    first = [json.loads(line) for line in rows.read_text().splitlines()[:4]]
    assert {row["status"] for row in first} == {"ok"}
    benchmarks = {(row["program"], row["name"]) for row in first}  # two programs may share a name, one for each Halide
    assert len({(row["program"], row["name"], row["digest"]) for row in first}) == len(benchmarks)  # no wrong output


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A repository with the script and what is changed, and a folder of programs in which cmake is ours. The branch topic
    is slower than the commit where it left main."""
    where = tmp_path_factory.mktemp("template")
    for name in ("scripts/gate", "scripts/words.sh", SEARCH):
        (where / "my clone" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, where / "my clone" / name)
    (where / "my clone/.gitignore").write_text("/build/\n")
    (where / "bin").mkdir()
    (where / "bin/cmake").write_text(CMAKE)
    (where / "bin/cmake").chmod(0o755)
    (where / ".gitconfig").write_text("[user]\nname = n\nemail = e\n")
    assert call(where / "my clone", "set -e; git init -q -b main; git add -A; git commit -qm c; git checkout -qb topic;"
                f"{SLOWER} git commit -qam t; git checkout -q main; echo '// main' >>{SEARCH}; git commit -qam m").returncode == 0
    return where


def call(clone, words):
    environment = {"PATH": f"{clone.parent}/bin:{os.environ['PATH']}", "HOME": str(clone.parent)}
    return subprocess.run(["sh", "-c", words], cwd=clone, text=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


SLOWER = f"echo '// size() / 10' >>{SEARCH};"
CASES = {  # what is done in the clone; the call; its exit code; what it prints
    "nothing": ("true", "scripts/gate", 0, "nothing has changed since"),
    "new file": ("touch new", "scripts/gate", 0, "gate: gate --base"),
    "working tree": (SLOWER, "GATE_FLAGS='--budget 1m' scripts/gate", 10,
                     "gate: gate --base build/gate/base/build --head build/gate/head/build --budget 1m\n"),
    "branch": ("git checkout -q topic", "scripts/gate", 10, "// size() / 10\n"),
    "two commits": ("true", "scripts/gate main topic", 10, "// main\n// size() / 10\n"),
    "what is compiled": (SLOWER, "ONLY=call_kernel BROKEN=1 scripts/gate", 13, "/build --target cliffbench call_kernel\n"),
    "empty": ("true", "scripts/gate ''", 2, "BASE is empty"),
    "unknown": ("true", "scripts/gate nowhere", 2, "there is no commit nowhere\n"),
    "no repository": ("rm -rf .git", "scripts/gate", 2, "needs a clone"),
}


@pytest.mark.parametrize("prepare, command, code, text", CASES.values(), ids=CASES)
def test_two_trees_are_built_and_compared(tmp_path, template, prepare, command, code, text):
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    clone = tmp_path / "my clone"
    assert call(clone, prepare).returncode == 0
    before = call(clone, "git status --short").stdout
    result = call(clone, command)
    assert result.returncode == code and text in result.stdout, result.stdout
    assert call(clone, "git status --short").stdout == before  # of the working tree and of git's index
    if code == 2:
        assert result.stdout.count("\n") == 1
