"""The arguments of the methods that are replaced, as Python gives them."""

import importlib.util
import pathlib

import pytest

spec = importlib.util.spec_from_file_location("methods", pathlib.Path(__file__).parent.parent / "halide_patched/methods.py")
methods = importlib.util.module_from_spec(spec)
spec.loader.exec_module(methods)


@pytest.mark.parametrize("words, named, known", [
    ((1,), {}, {"a": 1}), ((), {"b": 2}, {"b": 2}), ((1,), {"b": 2}, {"a": 1, "b": 2}), ((), {}, {}),
    ((1,), {"a": 2}, None), ((1, 2), {"a": 3}, None),  # given by place and by name
    ((1, 2, 3), {}, None), ((), {"c": 3}, None),       # too many, unknown
])
def test_arguments_are_known_by_name_or_not_at_all(words, named, known):
    assert methods.given(words, named, "a", "b") == known
