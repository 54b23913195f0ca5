"""The action's script against made repositories: no hosted runner is at hand, but all that it does there is in the script."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
CLIFFBENCH = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute() / "cliffbench"
FAKE = CLIFFBENCH.parent / "test_cases/fake_benchmark"
BUILD = f"""mkdir -p out && printf '#!%s\\n{{"ms": %s, "own": ["--size", "3"]}}\\n' {FAKE} $(cat ms) >out/b && chmod +x out/b"""


def git(where, *words):
    return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=where, check=True, capture_output=True,
                          text=True).stdout.strip()


def commit(where, ms):
    (where / "ms").write_text(ms)
    git(where, "add", "-A")
    git(where, "commit", "-qm", ms)
    return git(where, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path):
    """Main with a benchmark of 1 ms, then one of 1.2 ms; a branch from the first with 1.3 ms."""
    where = tmp_path / "origin"
    where.mkdir()
    git(where, "init", "-q", "-b", "main")
    commit(where, "1.0")
    git(where, "checkout", "-q", "-b", "topic")
    commit(where, "1.3")
    git(where, "checkout", "-q", "main")
    commit(where, "1.2")
    return where


def action(tmp_path, checkout, **inputs):
    """The script's result and its outputs. The flags make a made-up program quick."""
    output = tmp_path / "output"
    output.write_text("")
    settings = {"BASE": BUILD, "PROGRAM": "out/b", "ARGUMENTS": "--size 3", "FLAGS": "--seed 1 --instructions never",
                "CLIFFBENCH": str(CLIFFBENCH), "GITHUB_OUTPUT": str(output), "RUNNER_TEMP": str(tmp_path / "runner"),
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")} | inputs
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_") and name not in ("HEAD", "BEFORE")}
    result = subprocess.run([ROOT / "scripts/gate-action"], cwd=checkout, env=clean | settings, capture_output=True, text=True, timeout=300)
    return result, dict(line.split("=", 1) for line in output.read_text().splitlines())


def shallow(tmp_path, origin, branch):
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", branch, f"file://{origin}", "checkout")
    return tmp_path / "checkout"


def test_a_push_is_compared_with_what_was_there_before(tmp_path, origin):
    checkout = shallow(tmp_path, origin, "main")
    result, outputs = action(tmp_path, checkout, BEFORE=git(origin, "rev-parse", "main~1"))
    assert result.returncode == 10, result.stdout + result.stderr
    assert (outputs["exit-code"], outputs["meaning"]) == ("10", "regression")
    assert {path.name for path in (checkout / outputs["folder"]).iterdir()} >= {"rows.jsonl", "rulings.jsonl", "rulings.md", "rulings.xml"}
    assert "1 REGRESSION" in (tmp_path / "summary.md").read_text()
    assert git(checkout, "status", "--short") == ""


def test_a_pull_request_is_compared_with_where_it_left_its_branch(tmp_path, origin):
    """Main is at 1.2 by now and the branch at 1.3; it began at 1.0."""
    checkout = shallow(tmp_path, origin, "topic")
    result, outputs = action(tmp_path, checkout, GITHUB_BASE_REF="main", HEAD=BUILD.replace("$(cat ms)", "1.0"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert outputs["meaning"] == "no regression"
    assert (tmp_path / "runner/gate/base/ms").read_text() == "1.0"
    assert action(tmp_path, checkout, GITHUB_BASE_REF="main")[0].returncode == 10  # the same checkout a second time


def test_a_new_branch_and_a_named_commit(tmp_path, origin):
    checkout = shallow(tmp_path, origin, "main")
    assert action(tmp_path, checkout, BEFORE="0" * 40)[1]["meaning"] == "regression"
    result, outputs = action(tmp_path, checkout, AGAINST="HEAD")
    assert "nothing has changed" in result.stdout and outputs["exit-code"] == "0"


def test_the_latest_tag_is_the_last_release_before(tmp_path, origin):
    git(origin, "tag", "v1", "main~1")
    git(origin, "tag", "-a", "-m", "elsewhere", "v9", "topic")
    checkout = shallow(tmp_path, origin, "main")
    result, _ = action(tmp_path, checkout, AGAINST="latest-tag")
    assert result.returncode == 10, result.stdout + result.stderr
    assert (tmp_path / "runner/gate/base/ms").read_text() == "1.0"
    git(origin, "tag", "v2", "main")  # the commit itself is released
    assert action(tmp_path, checkout, AGAINST="latest-tag")[0].returncode == 10
    git(origin, "tag", "-d", "v1")
    git(checkout, "tag", "-d", "v1")
    result, _ = action(tmp_path, checkout, AGAINST="latest-tag")
    assert result.returncode == 2 and "there is no tag before HEAD" in result.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="what a program loads is known on Linux only")
def test_both_sides_are_built_in_one_place_and_find_their_own_files(tmp_path, origin):
    """The programs have the place where they were built in them, `other` has the change, too."""
    linked = CLIFFBENCH.parent / "test_cases/linked"
    build = (f"mkdir -p out && cp {linked} out/same && cp {linked} out/other && cp {linked.with_name('libstep.so')} out/"
             " && pwd >>out/same && (pwd; cat ms) >>out/other && ln -s $PWD/ms own && ")
    checkout = shallow(tmp_path, origin, "main")
    words = {"PROGRAM": "out", "ARGUMENTS": "", "AGAINST": "HEAD~1", "BUDGET": "2s", "FLAGS": "--instructions never --seed 1"}
    result, outputs = action(tmp_path, checkout, BASE=build + "true", **words)
    rulings = [json.loads(line) for line in (checkout / outputs["folder"] / "rulings.jsonl").read_text().splitlines()[1:]]
    assert {line["program"]: line["ruling"] == "unchanged" for line in rulings} == {"same": True, "other": False}, result.stdout
    side = tmp_path / "runner/gate"
    assert (side / "base/out/same").read_bytes() == (side / "head/out/same").read_bytes()
    for name, ms in (("base", "1.0"), ("head", "1.2")):
        assert f"{side}/{name}\n{ms}".encode() in (side / name / "out/other").read_bytes()
        assert (side / name / "own").read_text() == ms
    result, outputs = action(tmp_path, checkout, BASE=build + "cat ms >>out/libstep.so", **words)  # what `same` loads, too
    rulings = [json.loads(line) for line in (checkout / outputs["folder"] / "rulings.jsonl").read_text().splitlines()[1:]]
    assert [line["ruling"] for line in rulings if line["ruling"] == "unchanged"] == [], result.stdout
    assert f"{side}/base\n".encode() in (side / "base/out/same").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each side is built in its own place")
def test_programs_outside_the_checkout_are_built_where_they_stay(tmp_path, origin):
    """As Bazel does it: by the checkout's path. Of one path, the head's would take the place of the base's."""
    build = f'out={tmp_path}/cache/$(basename "$PWD"); mkdir -p $out; ln -s $out out; {BUILD}'
    result, _ = action(tmp_path, shallow(tmp_path, origin, "main"), BASE=build, AGAINST="HEAD~1")
    assert result.returncode == 10, result.stdout + result.stderr


def test_two_programs_that_are_built_already(tmp_path, origin):
    for name, ms in (("old", "1.0"), ("new", "1.2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ms").write_text(ms)
        subprocess.run(["sh", "-c", BUILD], cwd=tmp_path / name, check=True)
    result, _ = action(tmp_path, tmp_path, BASE="old/out/b", HEAD="new/out/b", PROGRAM="")
    assert result.returncode == 10, result.stdout + result.stderr


@pytest.mark.parametrize("inputs, code, text", [
    ({"BASE": ""}, 2, "'base' is missing"),
    ({"PROGRAM": "out/other"}, 2, "made no program out/other in the base"),
    ({"PROGRAM": "", "BASE": "make all"}, 2, "there is no program 'make all'"),
    ({"BASE": "exit 3"}, 13, "the base does not build (exit 3)"),
    ({"HEAD": "false"}, 13, "the head does not build (false)"),
    ({"AGAINST": "nowhere"}, 2, "there is no commit nowhere"),
    ({"GITHUB_BASE_REF": "gone"}, 2, "there is no branch gone"),
    ({"BUDGET": "soon"}, 2, "is not a time"),
])
def test_wrong_inputs_are_said(tmp_path, origin, inputs, code, text):
    checkout = shallow(tmp_path, origin, "main")
    against = "" if "GITHUB_BASE_REF" in inputs else inputs.get("AGAINST", "HEAD~1")
    result, outputs = action(tmp_path, checkout, **inputs | {"AGAINST": against})
    assert result.returncode == code and text in result.stdout + result.stderr, result.stdout + result.stderr
    assert outputs["exit-code"] == str(code)


def test_the_action_hands_over_every_input(tmp_path):
    text = (ROOT / "action.yml").read_text()
    script = (ROOT / "scripts/gate-action").read_text()
    for name in ("base", "head", "program", "against", "filter", "budget", "arguments", "flags"):
        assert f"{name.upper()}: ${{{{ inputs.{name} }}}}" in text
        assert f"${{{name.upper()}" in script.replace("$" + name.upper(), "${" + name.upper())
