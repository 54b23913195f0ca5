"""The issues' claims beside what was seen: none is left out, and every number is the judge's."""

import fnmatch
import tomllib

import issue_tables
import pytest
from report.say import story

AT = {"size": "3072x2048", "format": "HTML", "target": "host"}


def ratio(variant, median, lo, hi, buffers="1", program="conceptual_stmt@halide-19.0.0"):
    return {
        "kind": "ratio",
        "program": program,
        "variant": variant,
        "params": AT | {"buffers": buffers},
        "ratio": {"n": 6, "median": median, "lo": lo, "hi": hi},
    }


def claim(name="ten_minutes", program="conceptual_stmt@halide-19.0.0", **more):
    return {
        "kind": "claim",
        "id": name,
        "program": program,
        "text": "it is long",
        "quantity": "time",
        "where": AT,
        "measured": True,
        "as_expected": True,
        "expected": "held",
        "words": "held",
        "seen": {"n": 6},
        "seen_text": "700 s [650, 710]",
    } | more


@pytest.fixture
def halide():
    return story.declared()[0]


def test_every_claim_of_an_issue_is_in_its_table():
    said = {
        (pattern, name)
        for issue in story.declared()
        for one in issue["said"]
        for name in one.get("claims", ())
        for pattern in issue["programs"]
    }
    for path in sorted((story.FILE.parent.parent / "cases").glob("*/case.toml")):
        data = tomllib.loads(path.read_text())
        for case in data.get("case", [data]):
            for declared in case.get("claim", []):
                each = declared.get("each")
                names = (
                    [declared["id"].replace("{}", word) for word in each]
                    if isinstance(each, list)
                    else [declared["id"]]
                )
                for name in names if declared.get("origin") == "theirs" else []:
                    assert any(
                        name == known
                        and fnmatch.fnmatch(
                            f"{case['name']}@halide-19", pattern.replace("marker_search", "*")
                        )
                        for pattern, known in said
                    ), f"results/issues.toml says nothing of {case['name']}'s claim {name}"


def test_every_change_that_is_named_is_declared():
    for issue in story.declared():
        known = {change["variant"] for change in issue["change"]}
        assert {said["change"] for said in issue["said"] if "change" in said} <= known


def test_a_verdict_has_its_unit_and_an_exponent_is_called_one():
    assert issue_tables.verdict_words(claim()) == "700 s [650, 710] (held, n = 6)"
    words = issue_tables.verdict_words(
        claim(
            quantity="exponent", as_expected=False, words="refuted", seen_text="1.50 [1.40, open]"
        )
    )
    assert words == "exponent 1.50 [1.40, open] (refuted, expected held, n = 6)"
    assert (
        issue_tables.verdict_words(claim(elsewhere=True, words="refuted"))
        == "700 s [650, 710] (not comparable, n = 6)"
    )
    assert (
        issue_tables.verdict_words(claim(measured=False, reason="no such Halide"))
        == "not measured here (no such Halide)"
    )


def test_points_with_one_result_share_a_line(halide):
    lines = [claim(where=AT | {"buffers": buffers}) for buffers in ("16", "32")] + [
        claim(where=AT | {"buffers": "64"}, words="undecided")
    ]
    cell = issue_tables.seen(halide, {"claims": ["ten_minutes"]}, {"run": lines})
    assert cell == (
        "it is long: 700 s [650, 710] (held, n = 6); at buffers 16; buffers 32<br>"
        "it is long: 700 s [650, 710] (undecided, n = 6); at buffers 64"
    )


def test_the_order_is_that_of_what_was_measured(halide):
    lines = [
        ratio("buffer_stub", 2.0, 1.5, 3.0),
        ratio("lean_listing", 9.0, 8.0, 9.5),
        ratio("marker_lines", 1.01, 0.9, 1.2),
        ratio("image_param", 99.0, 98.0, 99.5),
        ratio("marker_lines", 4.0, 3.0, 5.0, buffers="8"),
    ]
    text = issue_tables.changes_table(halide, {"run": lines})
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
    assert order == sorted(order) and "`regex_filter`" not in text
    assert (
        "no measurable difference: 1.01x [0.900, 1.20] (1 matrix)<br>4.00x [3.00, 5.00] (8 matrices) | not measured |"
        in text
    )


def test_an_axis_that_a_run_does_not_have_agrees_with_anything():
    wanted = {"free_memory": "kept", "dims": "default"}
    assert story.agrees(wanted, {"dims": "default"})
    assert not story.agrees(wanted, {"dims": "default", "free_memory": "returned"})


def test_what_only_an_m1_can_decide_is_not_comparable_elsewhere():
    decided = {
        cpu: issue_tables.run_of([claim()], {}, cpu)[0]["elsewhere"]
        for cpu in ("AMD EPYC", "Apple M1")
    }
    assert decided == {"AMD EPYC": True, "Apple M1": False}


def test_a_note_stands_below_what_was_seen(halide):
    said = {"claims": ["ten_minutes"], "note": "as we read it"}
    assert issue_tables.seen(halide, said, {"run": [claim()]}).endswith("<br>*as we read it*")
    assert issue_tables.seen(halide, {"note": "alone"}, {"run": []}) == "*alone*"
