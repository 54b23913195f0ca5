"""The workflows are right as far as actionlint can know; GitHub alone can run them."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONLINT = shutil.which("actionlint") or shutil.which("actionlint", path=str(ROOT / ".deps/go/bin"))


def test_there_are_workflows():
    assert WORKFLOWS


@pytest.mark.skipif(not ACTIONLINT, reason="no actionlint; scripts/setup/bootstrap test-all installs it where Go is")
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_finds_nothing(workflow):
    result = subprocess.run([ACTIONLINT, "-no-color", workflow], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.skipif(not ACTIONLINT, reason="no actionlint; scripts/setup/bootstrap test-all installs it where Go is")
def test_the_workflow_in_the_readme_can_be_pasted(tmp_path):
    [pasted] = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(pasted.splitlines()) <= 15
    (tmp_path / "pasted.yml").write_text(pasted)
    result = subprocess.run([ACTIONLINT, "-no-color", tmp_path / "pasted.yml"], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout


def test_every_target_that_a_workflow_makes_is_in_the_makefile():
    targets = {line.split(":")[0] for line in (ROOT / "Makefile").read_text().splitlines() if ":" in line}
    for workflow in WORKFLOWS:
        for line in workflow.read_text().splitlines():
            if "run: make " in line:
                assert line.split("run: make ")[1].split()[0] in targets, line


def test_every_action_of_others_is_pinned_by_its_commit():
    """A tag can be moved; the release stands beside the commit for people."""
    used = [line for path in (*WORKFLOWS, ROOT / "action.yml") for line in path.read_text().splitlines()
            if re.search(r"^\s*(- )?uses: (?!\./)", line)]
    assert used
    assert [line for line in used if not re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []
