"""The directions of the house: who may include whom, and the harness names no case and no patch."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
# A file may include a header that its folder's pattern matches; the longest folder counts. Gate and suite do not know each other.
ALLOWED = {
    "patches/": r"patches/.*|harness/suite/case/patch\.hpp",
    "cases/": r"cases/.*|patches/.*|harness/suite/kit/(kit|case_data)\.hpp|case_toml\.hpp",
    "harness/": r"harness/.*",
    "harness/core/": r"harness/core/.*",
    "harness/gate/": r"harness/(core|gate)/.*",
    "harness/gate/validation/": r"harness/suite/kit/kit\.hpp",
    "harness/suite/": r"harness/(core|suite)/.*",
}
NO_TEXT = (".svg", ".png", ".gz")


def sources():
    for folder in ("cases", "harness", "patches"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield path.relative_to(ROOT).as_posix(), path.read_text()


def test_layers_include_only_what_their_direction_allows():
    wrong = []
    for name, text in sources():
        pattern = ALLOWED[max((folder for folder in ALLOWED if name.startswith(folder)), key=len)]
        wrong += [f"{name} includes {one}" for one in INCLUDE.findall(text) if not re.fullmatch(pattern, one)]
    assert not wrong, wrong


def test_the_harness_names_no_case_and_no_patch():
    names = [path.name for path in (ROOT / "cases").iterdir() if path.is_dir()]
    names += [path.stem for path in (ROOT / "patches").rglob("*.hpp") if path.stem != "patches"]  # the table
    named = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b(?!/)")
    for name, text in sources():
        if name.startswith("harness/") and "cli" not in name.rsplit("/")[-1]:  # --help shows examples
            assert not (found := named.search(text)), f"{name} names {found[1]}"


def test_no_path_of_one_machine_and_no_registry_host():
    words = [*(f"/{name}/" for name in ("work", "root")), "pypi" + ".org", "deb" + ".debian", "python" + "hosted"]
    hosts = re.compile("|".join([r"(?<![\w}])/(work|root)/", *map(re.escape, words[2:])]))
    # Only what git has: a user's files beside ours, such as the venv of README's block, may name anything.
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not listed:
        pytest.skip("an unpacked archive has no list of its files")
    for relative in listed:
        if (path := ROOT / relative).is_file() and path.suffix not in NO_TEXT:
            text = path.read_text(errors="replace")
            assert not any(word in text for word in words) or not hosts.search(text), relative
