"""The Markdown tells the truth: every command is known and takes its flags, the quick ones run (those that install,
measure or write are only looked up); every link leads somewhere."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()
LISTED = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                        cwd=ROOT, capture_output=True, text=True).stdout
# An unpacked archive has no list of its files.
FILES = LISTED.split() or [path.relative_to(ROOT) for path in ROOT.rglob("*.md")
                           if path.relative_to(ROOT).parts[0] not in (".deps", "build") and "local" not in path.parts]
ALL = sorted(path for path in map(pathlib.Path, FILES) if (ROOT / path).exists())
PAGES = [path for path in ALL if len(path.parts) < 4 or path.parts[1] != "published"]
COMMAND = (r"(?:HALIDE_ROOT=\S+ )?(?:make|cmake|cliffbench|\.ci/run|build/[^\s`]*[^\s`/]|scripts/[^\s`]*[^\s`/])(?=[ `]|$)"
           r"[^`]*")
# Programs that a command measures with or asks, and that take no second of it: these are really run.
QUICK = {"build/cases/call_kernel", "build/cases/string_building"}


def commands():
    found = {}
    for page in PAGES:
        for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
            block = re.fullmatch(rf"(?: {{4,}})?({COMMAND})", line)
            spans = [block[1]] if block else re.findall(rf"`({COMMAND})`", line)
            for span in spans:
                found.setdefault(re.sub(r"\s+#.*|\s+\((again|x).*", "", span).replace(r"\|", "|").strip(), f"{page}:{number}")
    return [pytest.param(command, id=f"{where} {command}") for command, where in found.items()]


def run(*words, **kwargs):
    return subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, **kwargs)


def check_make(words):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    wanted = [word for word in words if "=" not in word and word not in ("make", "&&")]
    assert set(wanted) <= set(targets), f"the Makefile has {targets}"
    settings = [word.split("=")[0] for word in words if "=" in word]
    scripts = [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and not path.suffix]
    known = "".join(path.read_text() for path in (ROOT / "Makefile", *scripts))
    assert all(setting in known for setting in settings)


def check_cliffbench(words, tmp_path):
    if len(words) == 1 or "|" in words:
        return
    verb, rest = words[1], words[2:]
    help_text = run(BUILD / "cliffbench", verb, "--help")
    assert help_text.returncode == 0, f"there is no verb {verb}"
    for flag in (word.split("=")[0] for word in rest if word.startswith("--")):
        assert f"{flag} " in help_text.stdout or f"{flag}\n" in help_text.stdout, f"{verb} knows no {flag}"
    if verb in ("list", "doctor") and not any(word.isupper() for word in rest):
        assert run(BUILD / "cliffbench", verb, *rest).returncode == 0
    if verb == "run" and rest and not any(word.isupper() for word in rest) and "--plan" not in rest:
        if "--out" in rest:
            rest[rest.index("--out") + 1] = tmp_path / "out"
        result = run(BUILD / "cliffbench", "run", *rest, "--dry-run")
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", commands())
def test_the_command_is_one(command, tmp_path):
    built = " ".join(path.name for path in (BUILD / "cases").glob("*"))
    for word, needs in (("emit_listing", "emit_listing@"), ("halide", "conceptual_stmt@"), ("conceptual_stmt", "conceptual_stmt@"),
                        ("buffers=", "conceptual_stmt@"), ("embedded_buffer", "conceptual_stmt@")):
        if word in command.lower().replace("halide_root=", "") and needs not in built:
            pytest.skip(f"this build has no {needs}...")
    if "build/halide-patched" in command and sys.platform != "linux":
        pytest.skip("halide-patched is for Linux")
    words = [word for word in shlex.split(command) if not word.startswith("HALIDE_ROOT=")]
    program = words[0]
    if program == "make":
        check_make(words)
    elif program.endswith("cliffbench"):
        check_cliffbench(words, tmp_path)
    elif program.startswith("build/"):
        if "<" in command or not (ROOT / program).is_relative_to(ROOT / "build"):
            return
        path = BUILD / pathlib.Path(program).relative_to("build")
        if "@" in path.name and not path.exists():
            pytest.skip("this build has no such subject")
        assert os.access(path, os.X_OK), f"{path} is not built"
        if program in QUICK and words[1:] and not any(word.isupper() for word in words):
            assert run(path, *words[1:]).returncode == 0
    elif program != "cmake":
        assert (ROOT / program).exists()


def anchors(page):
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ALL, ids=str)
def test_every_link_leads_somewhere(page):
    text = (ROOT / page).read_text()
    assert not re.search(r"\]\\\(", text), "a link is escaped"
    for target in re.findall(r"(?:\]\(|(?:src|srcset)=\")([^)\"]+)", text):
        if target.startswith(("http:", "https:")):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target
