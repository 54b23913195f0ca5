import pytest

from report import made


@pytest.fixture
def folder(tmp_path):
    return made.write(tmp_path / "run")
