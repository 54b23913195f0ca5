"""Figures, by what they draw."""

import math
import pathlib
import re
from unittest import mock
from xml.etree import ElementTree

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from report import made
from report.draw import drawing, figures, looks, panels, svg
from report.draw.figure import fixes, hero, order, scaling, stages, validation
from report.read import load
from report.say import selection, story


@pytest.fixture
def parts(folder):
    return load.load(folder).parts


@pytest.fixture
def table(parts):
    return looks.looks([part.declared for part in parts])


def drawn_lines(axes):
    """The points of lines, and of the pieces of hlines and vlines."""
    pieces = [
        piece
        for one in axes.collections
        if isinstance(one, LineCollection)
        for piece in one.get_segments()
    ]
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines] + [
        ([x for x, _ in piece], [y for _, y in piece]) for piece in pieces
    ]


def texts(axes):
    return [text.get_text().strip() for text in axes.texts]


def test_scaling_draws_samples_medians_intervals_stops_skips_and_slopes(parts, table):
    assert scaling.lines_of(parts) == [("n", {})]
    axes = scaling.draw(parts, ["x"], table, ("n", {})).axes[0]
    lines = drawn_lines(axes)
    assert ([8.0], [9]) in lines  # the stop at its limit
    assert ([1.0, 2.0, 4.0], [4.0, 8.0, 16.0]) in lines  # medians, without the stopped size
    assert ([2.0, 2.0], [8.0 * 0.9, 8.0 * 1.1]) in lines
    assert "baseline, 1.90" in texts(axes) and "fast" in texts(axes)
    [triangle] = [
        line
        for line in axes.lines
        if line.get_marker() == "^" and line.get_markerfacecolor() == "none"
    ]
    assert triangle.get_color() == looks.INK
    grey = [line for line in axes.lines if line.get_color() == looks.GREY]
    assert len(grey) == 2
    for line, slope in zip(grey, (1, 2)):
        (x, right), (y, top) = line.get_xdata(), line.get_ydata()
        assert top / y == pytest.approx((right / x) ** slope)


@pytest.mark.parametrize(
    "last, shown", [(1.39, "baseline, 1.90"), (1.41, "baseline"), (0.59, "baseline")]
)
def test_a_line_that_bends_has_no_slope(parts, table, last, shown):
    [line] = [
        found
        for found in parts[0].exponents
        if (found["of"], found["variant"], found["where"]) == ("", "baseline", {})
    ]
    line["local"] = [{"median": 1.0}, None, {"median": last}]
    others = [{**line, "variant": "fast"}, {**line, "of": "stage"}, {**line, "axis": "m"}]
    for other in others:
        other["local"] = [{"median": 1.0}, {"median": 5.0}]
    parts[0].exponents[:0] = others
    assert shown in texts(scaling.draw(parts, ["x"], table, ("n", {})).axes[0])


@pytest.mark.parametrize("sizes", [2, 3])
def test_a_line_needs_three_sizes(parts, sizes):
    parts[0].cells = [made.cell("baseline", str(size + 1), 1.0) for size in range(sizes)]
    assert scaling.lines_of(parts) == ([("n", {})] if sizes == 3 else [])


def test_a_size_that_was_tried_was_not_skipped_and_a_line_of_stops_has_a_name(parts, table):
    part = parts[0]
    stopped = [row for row in part.rows if row.variant == "baseline" and row.status == "timeout"]
    part.rows = [row for row in part.rows if row.variant != "other"] + [
        row._replace(status="skipped", round=2) for row in stopped
    ]
    axes = scaling.draw(parts, ["x"], table, ("n", {})).axes[0]
    assert "skipped" not in texts(axes)
    part.cells = [
        cell for cell in part.cells if cell["variant"] != "baseline" or cell["status"] == "timeout"
    ]
    assert "baseline, stopped" in texts(scaling.draw(parts, ["x"], table, ("n", {})).axes[0])
    part.rows = [row for row in part.rows if row.status != "timeout"]
    assert "skipped" in texts(scaling.draw(parts, ["x"], table, ("n", {})).axes[0])


def test_a_scaling_figure_has_seven_lines_the_baseline_and_most_patched_first(parts, table):
    declared = [
        {"name": f"p{count}", "role": "patch", "patches": ["p"] * count} for count in range(1, 9)
    ]
    parts[0].declared["variants"] += declared
    parts[0].cells += [
        made.cell(variant["name"], size, 1.0) for variant in declared for size in "12"
    ]
    shown = scaling.shown(parts, ("n", {}))
    assert shown[:3] == ["baseline", "p8", "p7"] and len(shown) == 10
    drawing = scaling.described("made@x", parts, ["x"], looks.looks([parts[0].declared]), "n", {})
    drawn = texts(drawing.figure.axes[0])
    assert "7 of 10 variants" in drawing.caption and "p8" in drawn and "p1" not in drawn
    assert drawing.finding.startswith("At n:8: baseline >= 9.00 s.")

    parts[0].cells = [cell for cell in parts[0].cells if cell["variant"] in shown[:7]]
    drawing = scaling.described("made@x", parts, ["x"], looks.looks([parts[0].declared]), "n", {})
    assert "variants" not in drawing.caption


@pytest.mark.parametrize("kind", "ab")
def test_of_two_lines_along_an_axis_the_claimed_one_is_drawn_with_its_own_trials(
    parts, table, kind
):
    part = parts[0]
    part.cells = [
        cell | {"params": cell["params"] | {"kind": one}} for cell in part.cells for one in "ab"
    ]
    part.rows = [row._replace(params=row.params | {"kind": "a"}) for row in part.rows]
    part.claims.append(made.claim(quantity="exponent", axis="n", where={"kind": kind}))
    [line] = scaling.lines_of(parts)
    assert line == ("n", {"kind": kind})
    drawn = scaling.draw(parts, ["x"], table, line).axes[0].lines
    assert any(line.get_marker() == "^" for line in drawn) == (kind == "a")  # the stopped trial


def test_the_point_that_is_claimed_is_the_one_that_is_shown(parts):
    part = parts[0]
    assert dict(selection.best_point(part, part.cells, "baseline", "share"))["n"] == "1"
    part.claims.append(made.claim(quantity="share", where={"n": "2"}))
    assert dict(selection.best_point(part, part.cells, "baseline", "share"))["n"] == "2"


def test_stages_are_stacked_with_the_rest(parts):
    axes = stages.stacked(parts, ["x"], (("n", "4"),)).axes[0]
    bars = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert bars == [(0, 12), (12, 4), (0, 4)]  # a and b of the baseline, then a of fast
    hatches = {bar.get_hatch() for bar in axes.patches[:2]}
    assert len(hatches) == 2
    said = stages.found(parts[0], (("n", "4"),))
    assert said == "a takes 12.0 s of the 16.0 s of baseline, at n:4."


def test_run_order_is_the_time_over_the_median_of_its_cell(folder, parts):
    assert order.deviations(parts)[:2] == [0.25, 1.0]
    parts[0].rows = [
        row._replace(run=run) for run in ("r2", "r1") for row in parts[0].rows
    ]  # one after the other
    assert len(order.deviations(parts)) == 14
    values = [1.0 + place for place in range(36)]
    assert (
        order.drift(values)[0] == (2, 2.0)
        and len(order.drift(values)) == 12
        and order.drift(values[:35]) == []
    )
    assert order.order(load.load(folder)).axes[0].get_yscale() == "log"


def test_the_first_figure_has_a_line_a_way_an_arrow_for_what_was_stopped_and_words_at_the_ends(
    folder,
):
    run = load.load(folder)
    issue = {
        "axis": "n",
        "told": [{"set": run.parts[0].set, "label": "x", "x": "things", "point": {"n": "1"}}],
        "series": [
            {"cell": f"made@x {name}", "says": says}
            for name, says in (("baseline", "before"), ("fast", "after"), ("gone", "none"))
        ],
    }
    elsewhere = issue["told"][0] | {"point": {"n": "1", "target": "another"}}
    figure = hero.draw(run, issue | {"told": [*issue["told"], elsewhere]})
    assert len(figure.axes) == 1  # no panel without a line
    assert hero.draw(run, issue | {"told": [elsewhere]}) is None
    axes = figure.axes[0]
    lines = drawn_lines(axes)
    assert ([1.0, 2.0, 4.0], [4.0, 8.0, 16.0]) in lines and (
        [4.0, 8.0],
        [16.0, 9],
    ) in lines  # medians, then to the stop
    assert {"before", "after"} <= set(texts(axes)) and "none" not in texts(axes)
    assert [
        text
        for text in axes.texts
        if text.arrow_patch and text.xyann[0] == 8.0 or getattr(text, "xy", (0,))[0] == 8.0
    ]


@pytest.mark.parametrize(
    "values, shown", [(["1"], ["1"]), (["tiny"], ["77"]), (["tiny", "little"], ["77", "200"])]
)
def test_sizes_that_no_round_number_separates_are_all_named(values, shown):
    figure, [one] = panels.grid(["x"], 2.8, columns=2)
    sizes = [77, 200] if "tiny" in values else [1]
    one.set_xscale("log")
    one.plot(sizes[: len(values)], [1.0] * len(values))
    hero.ticks([one], dict(zip(sizes, values)))
    figure.canvas.draw()
    assert [text.get_text() for text in one.get_xticklabels()] == shown


@pytest.mark.parametrize("found, end", [((4, 3, 6), 6), ((0.5, 0.4, 0.9), 1), ((4,), 4)])
def test_a_ratio_stands_beside_the_end_of_its_interval(found, end):
    _, [axes] = panels.grid([""], 1)
    ratio = dict(zip(("median", "lo", "hi"), found))
    column = {"says": "here", "colour": 0, "code": False}
    fixes.points(axes, [{"ratio": None}, {"ratio": ratio}], [column] * 2, 0)
    [bar], [words] = axes.patches, axes.texts
    assert bar.get_x() + bar.get_width() == found[0] and words.xy[0] == end
    wanted = [] if len(found) == 1 else [([found[1], found[2]], [0, 0])]
    assert drawn_lines(axes) == wanted


@pytest.fixture(scope="module")
def published():
    """The figures of the published run, by the names of their files."""
    path = max((pathlib.Path(__file__).parents[3] / "results/published").glob("*/rows.jsonl.gz"))
    run, made = load.load(path.parent), []
    with mock.patch.object(
        svg, "svg_of", lambda figure: made.append(figure) or '<svg width="1pt"></svg>'
    ):
        drawn = figures.draw_all(run, story.issues(run))
    return dict(zip((one.file for one in drawn), made, strict=True))


def test_our_own_fixes_stand_below_a_line(published):
    axes = published["fixes"].axes[0]
    [words] = [text for text in axes.texts if text.get_text() == "beyond the issues:"]
    [line] = [line for line in axes.lines if line.get_ls() == "--"]
    assert words.get_position()[1] == line.get_ydata()[0]
    above, below = (
        {
            text.get_text()
            for text in axes.texts
            if (text.get_position()[1] > words.get_position()[1]) == is_below
        }
        for is_below in (False, True)
    )
    theirs, ours = (
        {fix["name"] for fix in story.declared("fix") if bool(fix["by"]) == by_them}
        for by_them in (True, False)
    )
    assert above & theirs and below & ours and not above & ours and not below & theirs


def test_in_a_published_figure_no_word_is_cut_off_or_covers_another_and_no_point_or_bar_lies_outside(
    published,
):
    for name, figure in published.items():
        FigureCanvasAgg(figure).draw()
        page = figure.bbox.padded(1)
        beyond = set()  # names of ticks outside an axis, which are not drawn
        for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.majorTicks, *axis.minorTicks):
                beyond |= set() if low <= tick.get_loc() <= high else {tick.label1, tick.label2}
        words = [
            (one.get_text(), one.get_window_extent())
            for one in figure.findobj(Text)
            if one not in beyond and one.get_text().strip() and not one.get_rotation()
        ]
        assert len(words) > 5
        for place, (text, box) in enumerate(words):
            assert page.contains(*box.min) and page.contains(*box.max), (name, text)
            for other, its in words[place + 1 :]:
                common = Bbox.intersection(box, its)
                assert common is None or min(common.size) < 2, (name, text, other)
        for line in (line for axes in figure.axes for line in axes.lines):
            if line.get_transform().contains_branch(line.axes.transData):
                for point in line.get_transform().transform(line.get_xydata()):
                    seen = line.axes.bbox.padded(1).contains(*point)
                    assert seen or not all(map(math.isfinite, point)), (name, line.get_label())
        for bar in (bar for axes in figure.axes for bar in axes.patches if bar.get_width()):
            shown = Bbox.intersection(bar.get_window_extent(), bar.axes.bbox.padded(1))
            assert shown and shown.height > 0.9 * bar.get_window_extent().height, name


def test_the_gate_s_rates():
    row = made.VALIDATED
    axes = validation.draw(
        [row, row | {"series": "+5 %", "slowdown_percent": 5, "alarms": 300}]
    ).axes[0]
    assert drawn_lines(axes)[0] == ([0, 1], [1, 100]) and validation.draw([]) is None
    axes = validation.draw([row | {"method": "another"}, row]).axes[0]
    assert [line.get_label() for line in axes.lines] == [row["method"], "another"]
    places = [line.get_xdata()[0] for line in axes.lines]
    assert places == pytest.approx([-0.08, 0.08])  # the gate on the left


def test_every_variant_of_a_program_looks_different_even_without_colour():
    variants = (
        [{"name": "baseline", "role": "baseline"}]
        + [{"name": f"p{i}", "role": "patch"} for i in range(11)]
        + [{"name": f"r{i}", "role": "reference"} for i in range(5)]
        + [{"name": f"c{i}", "role": "control"} for i in range(2)]
    )
    table = looks.looks([{"variants": variants}])
    assert len({(look["marker"], look["filled"], look["line"]) for look in table.values()}) == len(
        variants
    )
    assert table["baseline"]["color"] == looks.INK
    few = looks.looks([{"variants": variants[:6] + variants[12:]}])  # 5 patches, 5 references
    assert len({few[name]["marker"] for name in few if name[0] in "pr"}) == 10
    assert table == looks.looks(
        [{"variants": variants}, {"variants": variants[:3]}]
    )  # one look in every program


def test_variants_of_one_program_share_no_colour_while_there_are_any():
    def program(*names):
        return {"variants": [{"name": name, "role": "patch"} for name in names]}

    table = looks.looks(
        [program(*"abcdefgh"), program(*"ijk"), program("a", "l"), program("k", "m")]
    )
    for group in ("abcdefgh", "ijk", "al", "km"):
        assert len({table[name]["color"] for name in group}) == len(group)


def test_every_colour_can_be_seen_on_light_and_dark():
    def light(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    for colour in looks.COLOURS:
        for page in ("#ffffff", "#0d1117"):
            bright, dark = sorted((light(colour), light(page)), reverse=True)
            assert (bright + 0.05) / (dark + 0.05) >= 3, (colour, page)


def test_slopes_of_reference_end_with_the_panel_or_are_left_out():
    def slopes(top):
        axes = Figure().subplots()
        axes.set(xscale="log", yscale="log", xlim=(2, 200), ylim=(3, top))
        scaling.references([axes], (2, 3), (2, 200))
        assert (axes.get_xlim(), axes.get_ylim()) == ((2, 200), (3, top))
        return [tuple(pytest.approx(values) for values in line) for line in drawn_lines(axes)]

    assert slopes(3000) == [([2, 200], [3, 300]), ([2, 2 * 1000**0.5], [3, 3000])]
    assert slopes(6) == [([2, 4], [3, 6])]  # a slope of 2 would be too short
    assert slopes(4) == []


@pytest.mark.parametrize(
    "low, high, shown",
    [
        (0.95, 2, [1, 1.1, 1.2, 1.4, 1.6, 1.8, 2]),
        (0.5, 3, [0.5, 0.7, 1, 1.4, 2, 3]),
        (0.9, 20, [1, 2, 5, 10, 20]),
        (0.9, 100, [1, 3, 10, 30, 100]),
        (0.9, 5000, [1, 10, 100, 1000]),
        (0.5, 1e6, [1, 100, 1e4, 1e6]),
    ],
)
@pytest.mark.parametrize("side", "xy")
def test_an_axis_of_ratios_has_ticks_that_can_be_read(low, high, shown, side):
    axis = getattr(Figure().subplots(), side + "axis")
    panels.ratio_axis(axis, low, high)
    assert axis.get_scale() == "log"
    assert list(axis.get_majorticklocs()) == pytest.approx(shown)
    assert not len(axis.get_minorticklocs())
    assert axis.get_major_formatter()(1000, 0) == "1,000x"
    assert axis.get_major_formatter()(1.4, 0) == "1.4x"


def test_few_samples_are_drawn_and_always_the_same():
    assert selection.thinned(list(range(1000)), 4) == [0, 250, 500, 750] and selection.thinned(
        [1, 2], 4
    ) == [1, 2]


def test_svg_is_shortened_but_says_the_same(parts, table):
    figure = scaling.draw(parts, ["x"], table, ("n", {}))
    figure.axes[0].annotate("0.854 of 12.3456", (1, 1))
    text = svg.svg_of(figure)
    assert "0.854 of 12.3456" in text and looks.INK in text
    assert (
        not re.search(r'd="[^"]*\d\.\d{3,}', text) and "<!--" not in text and "metadata" not in text
    )
    inline = svg.inline(text, 'a "name"')
    assert (
        looks.INK not in inline
        and "currentColor" in inline
        and 'aria-label="a &quot;name&quot;"' in inline
    )
    figure.axes[0].set_title(' id="m" href="#none')  # words, no references
    assert ' id="m" href="#none' in svg.with_short_ids(svg.svg_of(figure), "f1_")
    assert looks.INK not in svg.alone(text) and '<rect class="paper"' in svg.alone(text)


def test_references_within_a_figure_all_lead_somewhere(folder):
    (folder / "verdicts.jsonl").write_text(
        made.lines_of(made.verdicts() + [made.claim(id="far", lo=1e6)])
    )
    drawn = figures.draw_all(load.load(folder))
    ids_of = [re.findall(r'<[^>]* id="([^"]+)"', one.svg) for one in drawn]
    assert len(set(sum(ids_of, []))) == len(sum(ids_of, [])) > 0  # of one page
    for one, ids in zip(drawn, map(set, ids_of)):
        ElementTree.fromstring(svg.alone(one.svg).split("?>", 1)[1])
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', one.svg)) <= ids, one.file


def test_groups_that_say_something_are_kept_and_words_too():
    inner = '<g><g clip-path="url(#p)"/><g style="a"><text style="b" x="1"> style="b" &lt;g></text>\n</g></g>'
    assert svg.without_empty_groups(inner) == inner.removeprefix("<g>").removesuffix("</g>")
    twice = '<text style="b" x="1"> style="b"</text>\n<text style="b" x="2">2</text>\n'
    assert (
        svg.hoisted(twice)
        == '<g style="b">\n<text x="1"> style="b"</text>\n<text x="2">2</text>\n</g>\n'
    )


def test_a_style_that_is_there_twice_is_a_class_of_its_own_figure():
    drawn = f'<svg x="1"><path style="fill:{looks.INK}"/><use style="fill:{looks.INK}"/><text style="b"> style="b"</text></svg>'
    text = svg.with_short_ids(drawn, "f1_")
    assert text == (
        f'<svg x="1">\n<style>.f1_s0{{fill:{looks.INK}}}</style><path class="f1_s0"/><use class="f1_s0"/>'
        '<text style="b"> style="b"</text></svg>'
    )
    assert looks.INK not in svg.inline(text, "x") and looks.INK not in svg.alone(text)


def test_a_mistake_in_a_figure_is_named(folder, monkeypatch):
    with pytest.raises(ValueError, match="the figure mine has the section 'runs', not one of"):
        drawing.Description("mine", "runs", 9, lambda run: None)
    broken = drawing.Description("mine", "run", 9, lambda run: 1 / 0)
    monkeypatch.setattr(figures, "ALL", [broken])
    with pytest.raises(drawing.FigureFailed, match="the figure mine failed with ZeroDivision"):
        figures.draw_all(load.load(folder))
