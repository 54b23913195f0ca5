"""make gate and make gate-demo in a short form: every benchmark of this repository can be measured by the gate; the two
scripts build the right two trees and pass on what the gate says."""

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
PAIRS = 10
# Stands in for cmake: configuring makes a build.ninja, building a gate that finds the slower search in the head alone.
CMAKE = """#!/bin/sh
echo "$@" >>"$ASKED"
case "$*" in
  --preset*) mkdir -p build && touch build/build.ninja ;;
  *--target*) cat >"$2/cliffbench" <<'END'
#!/bin/sh
for side in base head; do
  grep -c 'size() / 10' build/gate/$side/cases/marker_search/search.cpp >build/gate/$side.slower
done
[ -z "$UNPROVEN" ] || exit 14
exit $(($(cat build/gate/head.slower) > $(cat build/gate/base.slower) ? 10 : 0))
END
  chmod +x "$2/cliffbench" ;;
esac
"""


@pytest.mark.skipif("CLIFFBENCH_SANITIZED" in os.environ, reason="a sanitizer makes every benchmark slow")
def test_the_gate_measures_every_benchmark_of_this_repository(tmp_path):
    """Stopped when the first pairs are there: then each benchmark has been run on both sides and has a count of iterations."""
    rows = tmp_path / "gate/rows.jsonl"
    with open(tmp_path / "said", "w") as said:
        gate = subprocess.Popen([BUILD / "cliffbench", "gate", "--base", BUILD, "--head", BUILD, "--budget", "20m", "--batch", "2ms",
                                 "--instructions", "never", "--time-unchanged", "--out", tmp_path / "gate"],
                                cwd=tmp_path, stdout=said, stderr=subprocess.STDOUT)
        while gate.poll() is None and not (rows.exists() and rows.read_bytes().count(b"\n") >= PAIRS * 2):
            time.sleep(0.1)
        gate.send_signal(signal.SIGINT)
        assert gate.wait() == 130, (tmp_path / "said").read_text()[-3000:]
    tried = json.loads((tmp_path / "gate/gate.json").read_text())["benchmarks"]
    assert len(tried) > 20
    assert not [one["name"] for one in tried if one["iterations"] < 1 or one["trouble"]]
    first = [json.loads(line) for line in rows.read_text().splitlines()[:PAIRS * 2]]
    assert {row["status"] for row in first} == {"ok"}
    benchmarks = {(row["program"], row["name"]) for row in first}  # two programs may share a name, one for each Halide
    assert len({(row["program"], row["name"], row["digest"]) for row in first}) == len(benchmarks)  # no wrong output


@pytest.fixture
def clone(tmp_path):
    """A repository with the two scripts and what they change, and a folder of programs in which cmake is ours."""
    for name in ("scripts/gate", "scripts/gate_demo", "scripts/words.sh", "cases/marker_search/search.cpp"):
        (tmp_path / "my clone" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "my clone" / name)
    (tmp_path / "my clone/.gitignore").write_text("/build/\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cmake").write_text(CMAKE)
    (tmp_path / "bin/cmake").chmod(0o755)
    return tmp_path / "my clone"


def call(clone, *words):
    environment = {name: value for name, value in os.environ.items() if name not in ("ONLY", "GATE_FLAGS")}
    environment |= {"PATH": f"{clone.parent}/bin:{os.environ['PATH']}", "ASKED": str(clone.parent / "asked"), "HOME": str(clone.parent)}
    return subprocess.run([clone / words[0], *words[1:]], cwd=clone, capture_output=True, text=True, env=environment)


def commit(clone):
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "c"]):
        subprocess.run(["git", *words], cwd=clone, check=True)


def test_the_demonstration_passes_comments_and_fails_more_work(clone):
    commit(clone)
    result = call(clone, "scripts/gate_demo")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "exit code 10" and "exit code 0" in result.stdout


def test_a_machine_on_which_nothing_can_be_shown_is_said(clone, monkeypatch):
    commit(clone)
    monkeypatch.setenv("UNPROVEN", "1")
    result = call(clone, "scripts/gate_demo")
    assert result.returncode == 14 and result.stderr.count("\n") == 1 and "try again when nothing else is running" in result.stderr


def test_the_working_tree_is_compared_with_the_main_branch(clone):
    commit(clone)
    assert "nothing has changed" in call(clone, "scripts/gate").stdout
    search = clone / "cases/marker_search/search.cpp"
    search.write_text(search.read_text() + "// size() / 10\n")
    assert call(clone, "scripts/gate").returncode == 10
    status = subprocess.run(["git", "status", "--short"], cwd=clone, capture_output=True, text=True).stdout
    assert status == " M cases/marker_search/search.cpp\n"  # and git's index is as it was


@pytest.mark.parametrize("script", ["scripts/gate", "scripts/gate_demo"])
def test_without_a_repository_it_is_one_sentence(clone, script):
    result = call(clone, script)
    assert result.returncode == 2 and result.stderr.count("\n") == 1 and "needs a clone" in result.stderr
