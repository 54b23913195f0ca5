"""scripts/release/release and scripts/version in made repositories; testing and packing are stand-ins there."""

import os
import pathlib
import shutil
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).parent.parent
STAND_INS = {"setup/test": "exit ${TESTS:-0}", "setup/bootstrap": 'echo "set up for $1"',
             "setup/python": 'mkdir -p dist && touch "dist/cliffbench-$(scripts/version)-any.whl" '
                       'dist/cliffbench-"$(scripts/version)"-any.tar.gz; exit ${PACKING:-0}'}


def git(tree, *words):
    return subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                          capture_output=True, text=True).stdout.strip()


@pytest.fixture
def tree(tmp_path):
    """One commit, ready to be released as 1.2.3."""
    tree = tmp_path / "my work"
    for folder in ("scripts/release", "scripts/setup"):
        (tree / folder).mkdir(parents=True)
    for name in ("release/release", "version", "words.sh", "archived.txt"):
        shutil.copy(SCRIPTS / name, tree / "scripts" / name)
    shutil.copy(SCRIPTS.parent / ".gitattributes", tree)
    for name, line in STAND_INS.items():
        (tree / "scripts" / name).write_text(f"#!/bin/sh\n{line}\n")
        (tree / "scripts" / name).chmod(0o755)
    (tree / "scripts/release/readme.py").write_text("import os, sys\nsys.exit(int(os.environ.get('README', '0')))\n")
    (tree / "README.md").write_text("- uses: someone/cliffbench@v1.2.3\n")
    (tree / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2026-01-31\n\n## 1.0.0 - 2025-01-31\n")
    (tree / ".gitignore").write_text("/dist/\n")
    git(tree, "init", "-q")
    git(tree, "config", "user.name", "a")
    git(tree, "config", "user.email", "a@b")
    commit(tree)
    return tree


def commit(tree):
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "--allow-empty", "-m", "x")


def release(tree, version="1.2.3", **settings):
    return subprocess.run([tree / "scripts/release/release", version], capture_output=True, text=True, env=os.environ | settings)


def version(tree, *words):
    return subprocess.run([tree / "scripts/version", *words], capture_output=True, text=True, check=True).stdout.strip()


def test_a_release_tags_packs_and_says_what_is_left(tree):
    result = release(tree)
    assert result.returncode == 0, result.stderr
    assert git(tree, "describe") == "v1.2.3" and version(tree) == "1.2.3"
    assert sorted(path.name for path in (tree / "dist").iterdir()) == ["cliffbench-1.2.3-any.tar.gz", "cliffbench-1.2.3-any.whl"]
    assert result.stdout.startswith("set up for release\nset up for packages\n")
    assert "git push origin v1.2.3" in result.stdout and "twine upload" in result.stdout
    assert release(tree).returncode == 0  # CI, where the tag is there already


@pytest.mark.parametrize("spoil, asked, words", [
    (lambda tree: None, "1.2", "'1.2' is not a version"),
    (lambda tree: None, "", "'' is not a version"),
    (lambda tree: None, "1.2.4", "begins with '## 1.2.3 - 2026-01-31'; make it '## 1.2.4 - "),
    (lambda tree: (tree / "new").touch(), "1.2.3", "the tree has changes"),
    (lambda tree: ((tree / "README.md").write_text("uses: OWNER/cliffbench"), commit(tree)), "1.2.3", "README.md names no owner"),
    (lambda tree: (git(tree, "tag", "v1.2.3"), commit(tree)), "1.2.3", "not this one; release another version"),
], ids=["no version", "none", "changelog", "changes", "owner", "other commit"])
def test_what_is_not_ready_is_one_sentence(tree, spoil, asked, words):
    spoil(tree)
    result = release(tree, asked)
    assert (result.returncode, result.stdout) == (2, "") and words in result.stderr and result.stderr.count("\n") == 1
    assert not (tree / "dist").exists()


@pytest.mark.parametrize("settings, code", [({"TESTS": "8"}, 8), ({"README": "13"}, 13), ({"PACKING": "13"}, 13)])
def test_what_fails_leaves_no_tag(tree, settings, code):
    assert release(tree, **settings).returncode == code
    assert git(tree, "tag") == ""


def test_the_version_is_that_of_git(tree):
    short = git(tree, "rev-parse", "--short=12", "HEAD")
    assert version(tree) == f"0.dev1+g{short}" and version(tree, "commit") == short
    assert version(tree, "time") == git(tree, "show", "-s", "--format=%ct")
    git(tree, "tag", "v1.2.3")
    assert version(tree) == "1.2.3"
    (tree / "new").touch()
    assert version(tree) == "1.2.3+dirty"
    commit(tree)
    assert version(tree) == f"1.2.3.post1+g{git(tree, 'rev-parse', '--short=12', 'HEAD')}"


@pytest.mark.parametrize("prepare", [lambda tree: None, lambda tree: git(tree, "tag", "v1.2.3"),
                                     lambda tree: (git(tree, "tag", "v1.2.3"), commit(tree))], ids=["untagged", "tagged", "later"])
def test_an_archive_without_git_has_the_same_version(tree, tmp_path, prepare):
    prepare(tree)
    archive = tmp_path / "archive"
    archive.mkdir()
    packed = subprocess.run(["git", "-C", tree, "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", archive], input=packed, check=True)
    for word in ((), ("commit",), ("time",)):
        assert version(archive, *word) == version(tree, *word).replace("dev1", "dev0")  # nobody counted the commits


def test_a_copy_without_git_knows_none(tree):
    shutil.rmtree(tree / ".git")
    assert (version(tree), version(tree, "commit"), version(tree, "time")) == ("0.dev0", "unknown", "0")
