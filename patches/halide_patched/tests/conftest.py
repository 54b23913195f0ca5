"""The package as its wheel lays it out, for tests of both ways in which an import reaches Halide."""

import shutil

import pytest
from comparison import lay_out


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("a site"))


@pytest.fixture(scope="session")
def sites(site, tmp_path_factory):
    """Folders of packages: by libHalide's own calls, and, where these cannot be pointed elsewhere (as on macOS), by Python's
    methods."""
    by_methods = tmp_path_factory.mktemp("by methods") / "site"
    shutil.copytree(site, by_methods)
    with open(by_methods / "halide_patched/attach.py", "a") as source:
        source.write("\n\ndef rebound(library, address):\n    return None\n")
    return {"calls": site, "methods": by_methods}
