"""How numbers, times and intervals are written for people."""

import pytest

from report.made import seen
from report.say import units


@pytest.mark.parametrize(
    "value, text", [(12.345, "12.3"), (9.996, "10.0"), (1234, "1230"), (0.0123, "0.0123"), (0, "0")]
)
def test_three_digits(value, text):
    assert units.digits(value) == text


def test_one_unit_for_a_table():
    assert (
        units.time_unit([2.0, 0.03]) == (1e-3, "ms")
        and units.time_unit([]) == (1.0, "s")
        and units.time_unit([7.0]) == (1.0, "s")
    )


def test_open_and_missing_intervals():
    assert units.interval({"n": 3, "median": 2.0}) == "2.00"
    assert units.interval(seen(2.0, hi=None)) == "2.00 [1.80, open]"
    assert units.interval(None) == "–"
    assert (
        units.interval({"n": 1, "median": None, "lo": 0, "hi": 1.3, "stopped": 1})
        == "<= 1.30 (1 stopped run)"
    )
