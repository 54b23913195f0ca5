import pytest
from made_gate import program


@pytest.fixture
def side(tmp_path):
    """side("base", ms=1.1) makes a program below tmp_path."""
    return lambda where, **settings: program(tmp_path / where, **settings)
