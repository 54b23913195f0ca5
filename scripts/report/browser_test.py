"""The page in a real browser (make test-all installs one): what it shows, and that it asks nobody for anything."""

import functools
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import pytest

from report import made, render
from report.read import files, load, published

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="no playwright here; make test-all installs it"
)
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="no axe-core here; make test-all installs it"
)
pytestmark = pytest.mark.skipif(not BROWSER, reason="no Chromium here; make test-all installs it")
ROOT = pathlib.Path(__file__).parent.parent.parent
ALL_PUBLISHED = sorted((ROOT / "results/published").glob("*/report.html"))
NAMED = ("regex filter", "clone avoidance", "id-based kernels", "skipped SIMD")  # the issues' fixes
FIRST = 900  # px: the first screen
CHECKS = (pathlib.Path(__file__).parent / "browser_checks.js").read_text()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    one = made.write(tmp_path_factory.mktemp("one") / "run")
    files.write_json(
        one / "validation.json", {"date": "2026-01-02", "machine": {}, "rows": [made.VALIDATED]}
    )
    three = made.write_three_sets(tmp_path_factory.mktemp("three") / "run")
    made_here = {
        name: render.write(load.load(folder), folder).as_uri()
        for name, folder in (("one", one), ("three", three))
    }
    return (
        made_here
        | {"published": max(ALL_PUBLISHED).as_uri()}
        | {path.parent.name: path.as_uri() for path in ALL_PUBLISHED}
    )


def wrong(page, check):
    return page.evaluate(f"() => {{ {CHECKS} return {check}(); }}")


@pytest.fixture
def opened(browser):
    """Opens a page and notes what it complains about and asks for."""
    contexts = []

    def open_page(address, width=1280, **how):
        context = browser.new_context(viewport={"width": width, "height": 900}, **how)
        contexts.append(context)
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        if how.get("java_script_enabled", True) and address != "about:blank":
            page.locator("#view output").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", ["one", "three", "published"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_from_disk_and_is_accessible(opened, pages, name, scheme):
    page = opened(pages[name], color_scheme=scheme)
    assert page.said == [] and [url for url in page.asked if url.startswith("http")] == []
    assert page.asked[0] == pages[name] and all(url.startswith("data:") for url in page.asked[1:])
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    page.locator("#rows .opener").first.click()
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", ["one", "three", "published"])
@pytest.mark.parametrize("width", [360, 400, 704, 768, 1024, 1280, 1920])
def test_no_width_scrolls_sideways_and_every_row_is_visible(opened, pages, name, width):
    page = opened(pages[name], width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    rows = page.locator("#rows tbody tr")
    assert rows.count() > (800 if name == "published" else 5)
    assert rows.count() == page.locator("#rows tbody tr:visible").count()
    assert page.locator("figure svg, figure img").count() == page.locator("figure").count() >= 3


@pytest.mark.parametrize("width, height", [(1280, 900), (390, 844)])
def test_trust_and_contents_stand_above_the_first_table_in_one_screen(opened, pages, width, height):
    page = opened(pages["published"], width)
    assert page.locator("header > .answer").inner_text().startswith("Halide 19 needs")
    table = page.locator("table").first.bounding_box()["y"]
    for part in page.locator("header > *").all():
        box = part.bounding_box()
        assert box["y"] + box["height"] <= min(height, table), part.inner_text()
    text = page.locator("header").inner_text()
    for words in (
        "How far to trust it",
        "Measured on",
        "Contents",
        "Get halide-patched",
        "make bench",
    ):
        assert words in text
    for name in NAMED:
        row = page.locator(".fixes tbody tr", has=page.get_by_text(name, exact=True)).first
        assert re.search(r"\d\S*x", row.inner_text())


@pytest.mark.parametrize("name", ["one", "three", *(path.parent.name for path in ALL_PUBLISHED)])
def test_every_image_is_there_when_everything_is_opened(opened, pages, name):
    page = opened(pages[name])
    broken = wrong(page, "brokenImages")
    assert broken == [], f"{len(broken)} of {page.locator('img').count()} images are broken"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ALL_PUBLISHED, ids=lambda path: path.parent.name)
def test_each_figure_s_words_can_be_read_on_a_phone(opened, path, scheme):
    """None below 11 pixels, cut off at the figure's edge or printed over another, in the page or in a file of its own."""
    page = opened(path.as_uri(), 420, color_scheme=scheme)
    assert wrong(page, "scrollingFigures") == []
    whole = "".join(
        f"<figure>{file.read_text().split('?>')[-1]}</figure>"
        for file in sorted(path.parent.glob("figures/*.svg"))
    )
    for content in ("", "<style>figure{margin:0} svg{width:388px;height:auto}</style>" + whole):
        if content:
            page.set_content(content)
        assert page.locator("figure svg text").count() > (
            100 if content else 50
        )  # most are files of their own
        for check in ("lettersBelow11", "wordsCutOff", "wordsOverEachOther"):
            assert wrong(page, check) == [], check


def test_no_word_of_a_picture_of_docs_is_cut_off(opened):
    page = opened("about:blank")
    for file in sorted((ROOT / "docs").rglob("*.svg")):
        page.set_content(f"<figure>{file.read_text()}</figure>")
        assert page.locator("figure svg text").count() and wrong(page, "wordsCutOff") == [], file


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages that go online (scripts/release/pages.py), served."""
    folder = tmp_path_factory.mktemp("site") / "site"
    handler = functools.partial(Silent, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(
            [sys.executable, ROOT / "scripts/release/pages.py", folder, "--at", address],
            check=True,
            capture_output=True,
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield address
        server.shutdown()


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def test_online_the_index_leads_to_a_page_whose_images_and_links_are_all_there(opened, site):
    page = opened(site + "/")
    page.wait_for_url("**/report.html")
    page.locator("#view output").wait_for()
    broken = wrong(page, "brokenImages")
    assert broken == [] and page.said == []
    links = page.evaluate(
        "[...document.querySelectorAll('a[href]')].map(link => link.href.split('#')[0])"
    )
    picture = page.evaluate("document.querySelector('[property=\"og:image\"]').content")
    ours = sorted({link for link in links if link.startswith(site)} | {picture})
    assert len(ours) > 30
    assert [link for link in ours if page.request.get(link).status != 200] == []


def choose(page, **values):
    for name, value in values.items():
        page.locator(f"#view [name={name}]").select_option(value)


def shown(page):
    """The opener's words of each row that is shown, in their order."""
    return page.locator("#rows tbody tr:not([hidden]) .opener").all_inner_texts()


def test_without_javascript_everything_is_there_unfiltered(opened, pages):
    page = opened(pages["published"], java_script_enabled=False)
    rows = page.locator("#rows tbody tr")
    assert rows.count() == rows.locator("visible=true").count() > 800
    assert page.locator("button").count() == 0 and not page.locator("#view").is_visible()
    row = rows.nth(40)
    page.goto(pages["published"] + "#" + row.get_attribute("id"))
    assert row.bounding_box()["y"] < FIRST
    assert "build/cliffbench run" in page.locator("#all > p").inner_text()


def test_filters_and_order_stand_in_the_address_and_come_back_from_it(opened, pages):
    page = opened(pages["published"])
    count = len(shown(page))
    assert f"{count} of {count} shown" in page.locator("#view output").inner_text()
    choose(page, case="freivalds@zkcuda-model")
    choose(page, kind="cell", field="m31", dims="small")
    page.get_by_role("searchbox", name="words").fill("kernel_ids kept")
    page.get_by_role("columnheader", name="seen").get_by_role("button").click()
    found = shown(page)
    assert 0 < len(found) < 20 and set(found) == {"kernel_ids"}
    assert f"{len(found)} of {count} shown" in page.locator("#view output").inner_text()
    for part in (
        "case=freivalds%40zkcuda-model",
        "kind=cell",
        "field=m31",
        "dims=small",
        "sort=seen",
    ):
        assert part in page.url
    again = opened(page.url)
    assert shown(again) == found and again.locator("#view [name=field]").input_value() == "m31"
    page.get_by_role("button", name="show all").click()
    assert len(shown(page)) == count and page.url.endswith("#all")


def test_numbers_of_different_units_do_not_mix_in_the_order(opened, pages):
    page = opened(pages["published"] + "#all?sort=seen")
    texts = page.locator("#rows tbody td:nth-child(3)").all_inner_texts()
    numbers = [re.match(r"(?:>= )?(-?[\d.,]+)\s*(x|%|s|ms|MB|)", text) for text in texts]
    units = [found[2] if found else "none" for found in numbers]
    assert [unit for place, unit in enumerate(units) if unit not in units[:place]][:2] == ["x", "%"]
    assert units == sorted(units, key=["x", "%", "s", "ms", "MB", "", "none"].index)
    ratios = [float(found[1]) for found in numbers if found and found[2] == "x"]
    assert len(ratios) > 500 and ratios == sorted(ratios)


def test_an_opened_row_shows_its_rounds_its_control_and_how_to_repeat_it(opened, pages):
    page = opened(pages["published"])
    choose(page, case="freivalds@zkcuda-model", patch="kernel_ids", kind="cell")
    opener = page.locator("#rows tr:not([hidden]) .opener").first
    opener.click()
    detail = page.locator("tr.detail")
    assert opener.get_attribute("aria-expanded") == "true" and detail.locator("svg").count() == 2
    assert detail.locator("svg").first.locator("circle").count() == 6
    text = detail.inner_text()
    for words in (
        *(
            "build/cliffbench run freivalds@zkcuda-model --axis field=",
            "--variant baseline,kernel_ids",
        ),
        *("--benchmark_filter='^freivalds/field:", "variant:kernel_ids$'", "rows.jsonl.gz", "seed"),
    ):
        assert words in text, words
    again = opened(page.url)
    assert again.locator("tr.detail").inner_text() == text
    assert again.locator("tr.detail").bounding_box()["y"] < FIRST
    opener.click()
    assert detail.count() == 0 and "row=" not in page.url


def test_a_ratio_whose_interval_is_smaller_than_the_mark_is_not_drawn(opened, tmp_path):
    thin = [made.ratio("fast", size, made.seen(4, lo=3.999, hi=4.001)) for size in "124"]
    kept = [line for line in made.verdicts() if line["kind"] != "ratio"]
    rows = [
        made.row(variant, "1", time * wobble, round=number)
        for number, wobble in enumerate((1.0, 1.3, 0.8), 1)
        for variant, time in (("baseline", 4.0 / wobble), ("fast", 1.0))
    ]
    folder = made.write(tmp_path / "run", kept + thin, rows)
    page = opened(render.write(load.load(folder), folder).as_uri() + "#all?kind=cell&patch=fast")
    page.locator("#rows tr:not([hidden]) .opener").first.click()
    assert "not drawn, its interval is smaller than a dot" in page.locator("tr.detail").inner_text()
    assert page.locator("tr.detail svg").count() == 0


def test_a_link_to_a_row_opens_it_and_a_link_to_a_view_shows_it(opened, pages):
    page = opened(pages["published"])
    page.evaluate("document.querySelector('#controls').open = true")
    worst = page.locator("#controls ol a").first
    number = worst.inner_text()
    worst.click()
    row = page.locator("#rows tr:has(.opener[aria-expanded='true'])")
    assert number in row.inner_text() and row.bounding_box()["y"] < FIRST
    page.get_by_role("link", name="All controls, sorted").click()
    page.wait_for_url("**#all?kind=control*")
    page.wait_for_function(
        "!document.querySelector('#rows tbody tr:not([hidden]):not(.control)')"
    )  # the address changes first
    kinds = page.locator("#rows tbody tr:not([hidden])").evaluate_all(
        "all => all.map(one => one.className)"
    )
    assert set(kinds) == {"control"} and len(kinds) > 50


def test_print_shows_the_claims_and_what_was_chosen_and_no_controls(opened, pages):
    page = opened(pages["published"])
    page.emulate_media(media="print")
    visible = page.locator("#rows tbody tr:visible")
    claims = visible.count()
    assert 50 < claims < 300 and not page.locator("#view").is_visible()
    assert page.locator("button.copier:visible").count() == 0
    page.emulate_media(media="screen")
    choose(page, kind="cell")
    page.emulate_media(media="print")
    assert visible.count() > claims


def test_the_keyboard_reaches_the_table_and_opens_a_row(opened, pages):
    page = opened(pages["three"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the table"
    page.keyboard.press("Enter")
    assert page.url.endswith("#all")
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(part => part.tabIndex === 0)"
    )
    page.locator("#rows .opener").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("tr.detail").count() == 1


def test_the_page_and_its_folder_are_small():
    for page in ALL_PUBLISHED:
        assert page.stat().st_size <= 600_000 and published.size(page.parent) <= published.MOST


def test_the_copy_button_copies_or_selects_the_command(opened, pages):
    page = opened(pages["one"])
    button = page.get_by_role("button", name="copy: make bench PROFILE=full", exact=True).first
    button.click()
    page.wait_for_function("button => button.textContent !== 'copy'", arg=button.element_handle())
    assert page.evaluate("getSelection().toString()") == "make bench PROFILE=full"
