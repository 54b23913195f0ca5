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
from report.read import files, load
from report.say import claims

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
NAMED = (
    "regex filter",
    "clone avoidance",
    "id-based kernels",
    "skipped SIMD",
)  # the fixes that the issues name
FIRST = 900  # px: the first screen
CHECKS = (pathlib.Path(__file__).parent / "browser_checks.js").read_text()
VALIDATION = {
    "machine": {},
    "rows": [
        {
            "series": "A/A",
            "slowdown_percent": 0,
            "method": "cliffbench gate",
            "alarms": 0,
            "decisions": 300,
            "low": 0,
            "high": 0.0123,
            "mean_pairs": 20.1,
            "seconds_per_decision": 2.1,
        }
    ],
}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    one = made.write(tmp_path_factory.mktemp("one") / "run")
    files.write_json(one / "validation.json", VALIDATION)
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


def rows_of(page, about="Our own claims"):
    return page.locator(f"[aria-label='{about}'] table.claims tbody tr")


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
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", ["one", "three", "published"])
@pytest.mark.parametrize("width", [360, 400, 704, 768, 1024, 1280, 1920])
def test_no_width_scrolls_sideways_and_every_claim_is_visible(opened, pages, name, width):
    page = opened(pages[name], width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    rows = rows_of(page, "Our own claims" if name == "published" else "Claims of others")
    count = rows.count()
    if name == "published":
        page.get_by_label(f"Show all {count}").check()
    assert (count > 50 if name == "published" else count == 2) and all(
        rows.nth(place).is_visible() for place in range(count)
    )
    assert page.locator("figure svg, figure img").count() == page.locator("figure").count() >= 5


def test_of_many_claims_thirty_are_shown_until_all_are_asked_for(opened, pages):
    page = opened(pages["published"], java_script_enabled=False)
    rows, seen = rows_of(page), rows_of(page).locator("visible=true")
    assert seen.count() == claims.MOST < rows.count()
    page.emulate_media(media="print")
    assert seen.count() == rows.count()  # paper has no button
    page.emulate_media(media="screen")
    page.get_by_label(f"Show all {rows.count()}").check()
    assert seen.count() == rows.count()


def test_a_figure_of_seven_lines_opens_one_of_all(opened, pages):
    page = opened(pages["published"], java_script_enabled=False)
    whole = page.locator("main > section .figures details.whole").first
    assert not whole.locator("img").is_visible()
    whole.locator("summary").click()
    whole.locator("img").scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert whole.locator("img").evaluate("image => image.naturalWidth") > 0


@pytest.mark.parametrize("name", ["one", "three", *(path.parent.name for path in ALL_PUBLISHED)])
def test_every_image_is_there_when_everything_is_opened(opened, pages, name):
    page = opened(pages[name])
    broken = wrong(page, "brokenImages")
    assert broken == [], f"{len(broken)} of {page.locator('img').count()} images are broken"


def test_it_can_be_read_without_javascript(opened, pages):
    page = opened(pages["one"], java_script_enabled=False)
    assert rows_of(page, "Claims of others").count() == 2 and page.locator("button").count() == 0
    page.locator("#made-x > summary").click()
    page.locator("details.measurements > summary").click()
    assert "--benchmark_filter=" in page.locator("details.measurements code").first.inner_text()


def test_the_first_screen_says_what_how_much_how_sure_where_and_what_to_do(opened, pages):
    page = opened(pages["published"])
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator("header > .answer").inner_text().startswith("Halide 19 needs")
    for text in (
        "halide-patched",
        "Measured on",
        "What each proposed fix saves",
        "Apple M1",
        "not measured yet",
        "make bench",
    ):
        box = page.get_by_text(text).first.bounding_box()
        assert box and box["y"] + box["height"] <= FIRST, text
    for name in NAMED:
        row = page.locator(".fixes tbody tr", has=page.get_by_text(name, exact=True)).first
        assert (
            re.search(r"\d\S*x \[[\d.]+, [\d.]+\]", row.inner_text())
            and row.bounding_box()["y"] + row.bounding_box()["height"] <= FIRST
        )
    assert page.locator(".fixes figure svg").bounding_box()["y"] < 200


def test_on_a_phone_the_first_figure_comes_first(opened, pages):
    page = opened(pages["published"], 420)
    for name in NAMED:
        box = page.locator(".fixes svg text", has_text=name).first.bounding_box()
        assert box and box["y"] + box["height"] <= FIRST, name


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


def test_a_claim_s_link_shows_it_where_few_are_shown(opened, pages):
    page = opened(pages["published"])
    row = rows_of(page).last
    assert not row.is_visible()
    link = row.locator("a.anchor")
    assert link.get_attribute("href") == "#" + row.get_attribute("id")
    page.goto(pages["published"] + link.get_attribute("href"))
    assert row.is_visible() and row.bounding_box()["y"] < 900


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages that go online (scripts/pages.py), served."""
    folder = tmp_path_factory.mktemp("site") / "site"
    handler = functools.partial(Silent, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(
            [sys.executable, ROOT / "scripts/pages.py", folder, "--at", address],
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
    broken = wrong(page, "brokenImages")
    assert broken == [] and page.said == []
    links = page.evaluate(
        "[...document.querySelectorAll('a[href]')].map(link => link.href.split('#')[0])"
    )
    picture = page.evaluate("document.querySelector('[property=\"og:image\"]').content")
    ours = sorted({link for link in links if link.startswith(site)} | {picture})
    assert len(ours) > 40
    assert [link for link in ours if page.request.get(link).status != 200] == []


def test_what_is_closed_is_loaded_when_it_is_opened(opened, pages):
    page = opened(pages["one"])
    assert len(page.asked) == 1 or all(url.startswith("data:") for url in page.asked[1:])
    page.locator("#made-x > summary").click()
    page.wait_for_function(
        "[...document.querySelectorAll('#made-x img')].every("
        "image => { image.scrollIntoView(); return image.naturalWidth > 0; })"
    )
    assert any(url.endswith("figures/made-x-stages.svg") for url in page.asked)


def test_filters_hide_claims(opened, pages):
    page = opened(pages["published"])
    visible = page.locator("#claims table.claims tbody tr:visible")
    count = page.locator("#claims table.claims tbody tr").count()
    options = (
        page.get_by_label("verdict")
        .locator("option")
        .evaluate_all("all => all.map(one => one.value)")
    )
    page.get_by_label("verdict").select_option(options[-1])
    assert (
        0 < visible.count() < count and f"of {count} shown" in page.locator("#filters").inner_text()
    )
    page.get_by_label("verdict").select_option("all")
    page.get_by_role("searchbox", name="text").fill("no such words")
    assert visible.count() == 0


def test_tables_sort_both_ways(opened, pages):
    page = opened(pages["one"])
    page.locator("#made-x > summary").click()
    page.locator("details.measurements > summary").click()
    head = page.locator("details.measurements").get_by_role("columnheader", name="wall time")
    values = lambda: page.locator("details.measurements tbody td:nth-child(3)").all_inner_texts()  # noqa: E731
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending" and [
        text[:4] for text in values()[:3]
    ] == ["1.00", "2.00", "4.00"]
    head.get_by_role("button").click()
    assert (
        head.get_attribute("aria-sort") == "descending"
        and values()[0].startswith("16.0")
        and values()[-1] == "–"
    )


def test_the_copy_button_copies_or_selects_the_command(opened, pages):
    page = opened(pages["one"])
    button = page.get_by_role("button", name="copy: make bench", exact=True).first
    button.click()
    page.wait_for_function("button => button.textContent !== 'copy'", arg=button.element_handle())
    assert page.evaluate("getSelection().toString()") == "make bench"


def test_the_keyboard_reaches_the_claims_and_their_scrolling(opened, pages):
    page = opened(pages["three"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the claims"
    page.keyboard.press("Enter")
    assert page.url.endswith("#claims")
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(part => part.tabIndex === 0)"
    )


def test_the_accessibility_tree_has_headings_tables_and_named_figures(opened, pages):
    page = opened(pages["published"])
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("main").count() == 1 and page.get_by_role("navigation").count() == 1
    assert page.get_by_role("table").first.get_by_role("rowheader").count() >= len(NAMED)
    images = page.get_by_role("img").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label') || one.alt)"
    )
    assert len(images) >= 8 and all(images)


def test_print_opens_the_claims_leaves_the_rest_as_it_is_and_drops_controls(opened, pages):
    page = opened(pages["one"])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(
        "[...document.querySelectorAll('#others > details, #claims > details')].every(part => part.open)"
    )
    assert not page.locator("#rest details[open]").count()
    assert (
        not page.locator("#filters").is_visible()
        and page.locator("button.copier:visible").count() == 0
    )
