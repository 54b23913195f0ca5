"""The order and the words of the table of changes: every number is the judge's."""

import pytest

from report import made
from report.say import changes, story

AT = {"size": "3072x2048", "format": "HTML", "target": "host"}


def ratio(variant, median, lo, hi, buffers="1", program="conceptual_stmt@halide-19.0.0"):
    seen = made.seen(median, lo=lo, hi=hi)
    place = {"program": program, "params": AT | {"buffers": buffers}}
    return made.ratio(variant, buffers, seen) | place


@pytest.fixture
def halide():
    return story.declared()[0]


def test_the_order_is_that_of_what_was_measured(halide):
    lines = [
        ratio("buffer_stub", 2.0, 1.5, 3.0),
        ratio("lean_listing", 9.0, 8.0, 9.5),
        ratio("marker_lines", 1.01, 0.9, 1.2),
        ratio("image_param", 99.0, 98.0, 99.5),
        ratio("marker_lines", 4.0, 3.0, 5.0, buffers="8"),
    ]
    text = changes.changes_table(halide, {"run": lines})
    order = [
        text.index(f"| `{variant}` |")
        for variant in (
            "lean_listing",
            "marker_lines",
            "buffer_stub",
            "clone_module",
            "image_param",
        )
    ]
    assert order == sorted(order) and "| `regex_filter` |" not in text
    assert (
        "no measurable difference: 1.01x [0.900, 1.20] (1 matrix)<br>4.00x [3.00, 5.00] (8 matrices) | not measured |"
        in text
    )


def test_an_axis_that_a_run_does_not_have_agrees_with_anything():
    wanted = {"free_memory": "kept", "dims": "default"}
    assert story.agrees(wanted, {"dims": "default"})
    assert not story.agrees(wanted, {"dims": "default", "free_memory": "returned"})


def test_what_only_an_m1_can_decide_is_not_comparable_elsewhere():
    assert "ten_minutes" in story.about_another("AMD EPYC") and not story.about_another("Apple M1")
