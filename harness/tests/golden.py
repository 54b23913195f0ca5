"""Texts that people read are files in golden/ beside the test. CLIFFBENCH_BLESS=1 writes them anew: a reviewer sees the difference."""

import os
import pathlib


def check(path: pathlib.Path, text: str) -> None:
    if "CLIFFBENCH_BLESS" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    kept = path.read_text() if path.exists() else ""
    assert text == kept, f"{path} differs; if that is right: CLIFFBENCH_BLESS=1 scripts/setup/python -m pytest {path.parent.parent}"
