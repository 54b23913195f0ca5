"""The action's script against made repositories. The gate itself is made up, too, but for one call."""

import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import pytest

ROOT = pathlib.Path(__file__).parent.parent
CLIFFBENCH = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute() / "cliffbench"
PROGRAMS = CLIFFBENCH.parent / "test_cases"
BUILD = "mkdir -p out && echo $(cat ms) >out/b && chmod +x out/b"
LINKED = f"mkdir -p out && cp {PROGRAMS}/linked out/b && "
REAL = f"""mkdir -p out && printf '#!%s\\n{{"ms": %s}}\\n' {PROGRAMS}/fake_benchmark $(cat ms) >out/b && chmod +x out/b"""
GONE = "rm -rf {tmp}/origin"
GATE = """#!/bin/sh
[ "$1" != --version ] || exit 0
shift
printf '%s\\n' "$@" >{tmp}/words
[ -z "$UNABLE" ] || {{ echo "cliffbench: $UNABLE" >&2; exit 13; }}
mkdir -p "$8" && echo ruled | tee "$8/rulings.md" >>"$GITHUB_STEP_SUMMARY"
cmp -s "$2" "$4" || exit 10
"""


def sh(where, command):
    return subprocess.run(["sh", "-ec", command], cwd=where, check=True, capture_output=True, text=True).stdout.strip()


@dataclass
class World:
    tmp: pathlib.Path
    first: str  # commit
    output: dict = field(default_factory=dict)

    def filled(self, text):
        return text.replace("{tmp}", str(self.tmp)).replace("{first}", self.first)

    def action(self, prepare="", checkout="git clone -q --depth 1 file://{tmp}/origin checkout", where="checkout", after="", **inputs):
        """The script's result; its outputs by name. `prepare`: before the checkout in origin, `after`: after it in the checkout."""
        sh(self.tmp / "origin", self.filled(prepare))
        if not (self.tmp / "checkout").exists():
            sh(self.tmp, self.filled(checkout))
            sh(self.tmp / "checkout", self.filled(after))
        for name in ("output", "summary"):
            (self.tmp / name).write_text("")
        settings = {"BASE": BUILD, "PROGRAM": "out/b", "CLIFFBENCH": f"{self.tmp}/cliffbench", "GITHUB_OUTPUT": f"{self.tmp}/output",
                    "RUNNER_TEMP": f"{self.tmp}/runner", "GITHUB_STEP_SUMMARY": f"{self.tmp}/summary", "GITHUB_JOB": "perf",
                    "DEFAULT_BRANCH": "main", "PATH": os.environ["PATH"], "HOME": f"{self.tmp}/home"}
        settings |= {name: self.filled(value) for name, value in inputs.items()}
        result = subprocess.run([ROOT / "scripts/gate-action"], cwd=self.tmp / where, env=settings, text=True, timeout=300,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output = dict(line.split("=", 1) for line in (self.tmp / "output").read_text().splitlines())
        assert self.output["exit-code"] == str(result.returncode) and self.output["meaning"], result.stdout
        assert (self.tmp / "summary").read_text().strip(), result.stdout
        return result

    def words(self):
        return (self.tmp / "words").read_text().splitlines()


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """An origin: main has a commit with 1.0 and then 1.2, the branch topic left it at 1.0 for 1.3 and 1.4."""
    where = tmp_path_factory.mktemp("template")
    (where / "home").mkdir()
    (where / "home/.gitconfig").write_text("[user]\nname = n\nemail = e\n")
    sh(where, "export HOME=$PWD/home; c() { echo $1 >ms; git add -A; git commit -qm $1; }; git init -q -b main origin; cd origin;"
              "c 1.0; git checkout -qb topic; c 1.3; c 1.4; git checkout -q main; c 1.2")
    return where


@pytest.fixture
def world(tmp_path, template, monkeypatch):
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "cliffbench").write_text(GATE.format(tmp=tmp_path))
    (tmp_path / "cliffbench").chmod(0o755)
    return World(tmp_path, sh(tmp_path / "origin", "git rev-parse main~1"))


# Inputs, exit code, and what is printed. All of them end with outputs and a summary.
ALL = "git clone -q file://{tmp}/origin checkout"
TOPIC = "git clone -q --depth 1 --branch topic file://{tmp}/origin checkout"
FOUND = {  # the base is the commit with 1.0
    "push": {"BEFORE": "{first}"},
    "pull request": {"checkout": TOPIC, "GITHUB_BASE_REF": "main"},
    "pull request, whole clone without a password": {"checkout": ALL + " --branch topic", "after": GONE, "GITHUB_BASE_REF": "main"},
    "new branch": {"checkout": TOPIC, "BEFORE": "0" * 40},
    "by hand": {"checkout": TOPIC},
    "force push": {"checkout": TOPIC, "BEFORE": "1234567890" * 4},
    "by hand on the main branch": {},
    "a commit": {"AGAINST": "{first}"},
    "a tag": {"prepare": "git tag -a -m one v1 main~1", "AGAINST": "v1"},
    "a branch": {"prepare": "git branch stable main~1", "AGAINST": "stable"},
    "latest tag": {"prepare": "git tag v1 main~1; git tag -a -m elsewhere v9 topic", "AGAINST": "latest-tag"},
    "latest tag of a release": {"prepare": "git tag v1 main~1; git tag v2 main", "AGAINST": "latest-tag"},
    "checkout with a path": {"where": ".", "CHECKOUT": "checkout", "BEFORE": "{first}"},
    "a folder of the gate's name is committed": {
        "prepare": "mkdir -p cliffbench-gate/z; >cliffbench-gate/z/x; git add -A; git commit -q --amend -m 1.2"},
    "compiled before": {"prepare": "mkdir -p {tmp}/runner/cliffbench-tool; cp {tmp}/cliffbench {tmp}/runner/cliffbench-tool",
                        "CLIFFBENCH": "", "NO_PACKAGES": "1"},
    "both builds install the same": {"BASE": f"{BUILD}; mkdir -p $HOME/lib; echo same >$HOME/lib/plugin.so"},
    "programs outside the checkout": {"BASE": f'out={{tmp}}/cache/$(basename "$PWD"); mkdir -p $out; ln -s $out out; {BUILD}'},
}


@pytest.mark.parametrize("inputs", FOUND.values(), ids=FOUND)
def test_the_base_is_found_and_compared(world, inputs):
    result = world.action(**inputs)
    assert result.returncode == 10 and world.output["meaning"] == "regression", result.stdout
    assert (world.tmp / "runner/gate/base/ms").read_text() == "1.0\n", result.stdout
    assert os.listdir(world.output["folder"]) == ["rulings.md"]
    assert sh(world.tmp / "checkout", "git status --short") == ""


ADD = "git -c protocol.file.allow=always submodule --quiet"
SUBMODULE = ("git init -q {tmp}/sub; cd {tmp}/sub; git commit -q --allow-empty -m s; cd {tmp}/origin; git checkout -q main~1;"
             f"{ADD} add file://{{tmp}}/sub sub; git commit -qm 1.0; echo 1.2 >ms;"
             "git commit -qam 1.2; git branch -f main; git checkout -q main")
NEW = f"[ $(cat ms) != 1.0 ] && {BUILD}"
ENDS = {
    "nothing has changed": ({"AGAINST": "HEAD"}, 0, "nothing has changed since HEAD"),
    "head is built by its own command": ({"HEAD": BUILD.replace("$(cat ms)", "1.0")}, 0, ""),
    "shallow clone without a password": ({"after": GONE, "BEFORE": "{first}", "DEFAULT_BRANCH": ""}, 2, "'fetch-depth: 0'"),
    "pull request without a password": ({"after": GONE, "GITHUB_BASE_REF": "topic"}, 2, "'persist-credentials: true'"),
    "no tag": ({"AGAINST": "latest-tag"}, 2, "there is no tag before HEAD to compare with\n"),
    "no commit": ({"AGAINST": "nowhere"}, 2, "there is no commit nowhere to compare with\n"),
    "no branch": ({"GITHUB_BASE_REF": "gone"}, 2, "there is no branch gone that shares a commit with HEAD\n"),
    "an option as a commit": ({"AGAINST": "--upload-pack=touch {tmp}/runner/hole"}, 2, "a commit, a tag or a branch, not '--up"),
    "checkout of another user": ({"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, 2, "git config --global --add safe.directory"),
    "no checkout": ({"where": "."}, 2, "give the same 'path' here"),
    "no folder": ({"CHECKOUT": "src"}, 2, "there is no folder 'src'"),
    "no base": ({"BASE": ""}, 2, "'base' is missing"),
    "no program to build": ({"PROGRAM": "", "BASE": "make all"}, 2, "there is no program 'make all'"),
    "programs that are there": ({"PROGRAM": "", "BASE": "ms", "HEAD": ".git/HEAD"}, 10, ""),
    "open quote": ({"FLAGS": "--margin 'a"}, 2, "a quote is not closed in 'flags'"),
    "own output folder": ({"FLAGS": "--out=x"}, 2, "'flags' has --out"),
    "odd name": ({"NAME": "a/b"}, 2, "'name' has letters"),
    "odd new-target": ({"NEW_TARGET": "maybe"}, 2, "'new-target' is pass or fail"),
    "neither side builds": ({"BASE": "exit 3"}, 13, "::error::the base does not build (exit 3)\n"),
    "neither side makes the program": ({"PROGRAM": "out/other"}, 2, "the base does not build out/other ('program' is a path"),
    "the head does not build": ({"HEAD": "false\n false"}, 13, "::error::the head does not build (false%0A false)\n"),
    "the base does not build": ({"BASE": NEW}, 0, "::warning::nothing was compared, because the base does not build"),
    "the base lacks the program": ({"BASE": f"{NEW} || true"}, 0, "because the base does not build out/b"),
    "the base shall not lack the target": ({"BASE": NEW, "NEW_TARGET": "fail"}, 13, "::error::the base does not build"),
    "submodule that the checkout has": ({"prepare": SUBMODULE, "checkout": f"{ALL}; cd checkout; {ADD} update --init",
                                         "after": "rm -rf {tmp}/sub", "BASE": f"[ -e sub/.git ]; {BUILD}"}, 10, ""),
    "submodule that cannot be cloned": ({"prepare": SUBMODULE, "checkout": ALL, "after": "rm -rf {tmp}/sub"}, 13,
                                        "git cannot fetch the submodules of the base: fatal:"),
    "library outside": ({"BASE": LINKED + f"cat {PROGRAMS}/libstep.so ms >{{tmp}}/libstep.so && ln -s {{tmp}}/libstep.so out"},
                        13, "the head's build replaced {tmp}/libstep.so"),
    "plug-in outside": ({"BASE": f"{BUILD}; mkdir -p $HOME/lib; cat ms >$HOME/lib/plugin.so"}, 13, "replaced {tmp}/home/lib/plugin.so"),
    "the gate cannot measure": ({"UNABLE": "both crash"}, 13, "::error::cliffbench: both crash"),
    "a step of the action fails": ({"BASE": f"{BUILD}; rm -rf {{tmp}}/checkout/.git"}, 13, "::error::the action stopped at: git worktree"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's libraries, and GNU's tools")
@pytest.mark.parametrize("inputs, code, text", ENDS.values(), ids=ENDS)
def test_each_end_has_its_code_and_its_words(world, inputs, code, text):
    result = world.action(**inputs)
    assert result.returncode == code and world.filled(text) in result.stdout, result.stdout
    assert not (world.tmp / "runner/hole").exists()
    if text.startswith("::error::"):
        assert text.split("::")[2].split("%")[0].strip() in (world.tmp / "summary").read_text()


def test_every_word_reaches_the_gate(world):
    world.action(ARGUMENTS="--data 'a b'\n  $HOME *\n", FLAGS="--strict\n--margin \"^a b=10%\"\n", FILTER="-x", BUDGET="7m")
    start = world.words().index("--budget")
    assert [word for word in world.words()[start:] if "gate-results" not in word] == [
        "--budget", "7m", "--out", "--filter=-x", "--strict", "--margin", "^a b=10%", "--", "--data", "a b", "$HOME", "*"]
    text = (ROOT / "action.yml").read_text()
    for name in ("base", "head", "program", "against", "new-target", "filter", "budget", "arguments", "flags", "name"):
        assert f"{name.upper().replace('-', '_')}: ${{{{ inputs.{name} }}}}" in text


def test_a_compiled_tool_is_kept_by_version_and_compiler(tmp_path):
    for name in ("gate-action", "version", "words.sh"):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")

    def key(version, compiler):
        (tmp_path / "scripts/archived.txt").write_text(f"commit {version}\n")
        (tmp_path / "c++").write_text(f"#!/bin/sh\necho {compiler}\n")
        (tmp_path / "c++").chmod(0o755)
        lines = subprocess.run([tmp_path / "scripts/gate-action", "tool"], check=True, capture_output=True, text=True,
                               env={"PATH": os.environ["PATH"], "CXX": f"{tmp_path}/c++", "RUNNER_TEMP": "/r"}).stdout.splitlines()
        assert lines[0] == "path=/r/cliffbench-tool"
        return lines[1:]

    assert key("1234", "g++ 12") == key("1234", "g++ 12") != []
    assert key("1235", "g++ 12") != key("1234", "g++ 12") != key("1234", "g++ 13")
    assert key("$Format:%H$", "g++ 12") == []  # the version is not known


def test_each_call_has_an_artifact_of_its_own(world):
    calls = [{}, {}, {"PROGRAM": "out/c", "BASE": BUILD.replace("/b", "/c")}, {"MATRIX": '{\n  "os": "a/b"\n}'},
             {"MATRIX": '{\n  "os": "a-b"\n}'}, {"GITHUB_JOB": "other"}, {"NAME": "mine"}]
    names, folders = [], []
    for inputs in calls:
        world.action(**inputs)
        names.append(world.output["artifact"])
        folders.append(world.output["folder"])
    assert names[:3] == ["cliffbench-gate-perf-out-b", "cliffbench-gate-perf-out-b-2", "cliffbench-gate-perf-out-c"]
    assert names[3].startswith("cliffbench-gate-perf-os-a-b-") and names[6] == "mine"
    assert len(set(names)) == len(set(folders)) == len(calls)


def test_the_real_gate_is_called_as_it_wants_to_be(world):
    result = world.action(BASE=REAL, CLIFFBENCH=str(CLIFFBENCH), FLAGS="--seed 1 --instructions never")
    assert result.returncode == 10 and "1 REGRESSION" in (world.tmp / "summary").read_text(), result.stdout
    assert set(os.listdir(world.output["folder"])) >= {"rows.jsonl", "rulings.jsonl", "rulings.md", "rulings.xml"}
    result = world.action(BASE=REAL, CLIFFBENCH=str(CLIFFBENCH), BUDGET="soon")
    assert result.returncode == 2 and "is not a time" in (world.tmp / "summary").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each side is built in its own place")
def test_both_sides_are_built_in_one_place_and_find_their_own_files(world):
    """The programs have the place where they were built in them, `other` has the change, too."""
    build = (f"mkdir -p out && cp {PROGRAMS}/linked out/same && cp out/same out/other && cp {PROGRAMS}/libstep.so out/"
             " && pwd >>out/same && (pwd; cat ms) >>out/other && ln -s $PWD/ms own && ")
    world.action(BASE=build + "true", PROGRAM="out")
    side = world.tmp / "runner/gate"
    assert (side / "base/out/same").read_bytes() == (side / "head/out/same").read_bytes()
    for name, ms in (("base", "1.0"), ("head", "1.2")):
        assert f"{side}/{name}\n{ms}".encode() in (side / name / "out/other").read_bytes()
        assert (side / name / "own").read_text() == f"{ms}\n"
    world.action(BASE=build + "cat ms >>out/libstep.so", PROGRAM="out")  # what `same` loads, too
    assert f"{side}/base\n".encode() in (side / "base/out/same").read_bytes()
