"""The step of .github/workflows/pages.yml, run as it stands there, leaves pages of which each link and image leads somewhere,
and a picture for sites that show a link to them."""

import html.parser
import os
import pathlib
import re
import struct
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
WORKFLOW = (ROOT / ".github/workflows/pages.yml").read_text()
AT, SOURCE = "https://somebody.example/cliffbench", "https://forge.example/somebody/cliffbench"
RUNS = sorted(page.parent.name for page in (ROOT / "results/published").glob("*/report.html"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """As the workflow's own step makes it, in a folder of its own."""
    [command] = re.findall(r"^ +run: (.*)$", WORKFLOW, re.M)
    place = tmp_path_factory.mktemp("pages")
    for name in ("scripts", "results", "docs"):
        (place / name).symlink_to(ROOT / name)
    made = subprocess.run(["bash", "-euc", command], cwd=place, env=os.environ | {"AT": AT, "SOURCE": SOURCE}, capture_output=True,
                          text=True)
    assert made.returncode == 0, made.stderr
    return place / re.search(r"path: (\w+)", WORKFLOW)[1]


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.found += [given[name] for name in ("href", "src") if given.get(name) and tag not in ("use", "image")]
        self.ids.add(given.get("id"))
        if given.get("http-equiv") == "refresh":
            self.found.append(given["content"].partition("url=")[2])


def test_every_link_and_image_leads_somewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(RUNS)
    for page in pages:
        links = Links(page.read_text())
        for link in links.found:
            if link.startswith(("https:", "data:")):
                continue
            file, mark, anchor = link.partition("#")
            target = page.parent / file if file else page
            assert (target / "index.html" if target.is_dir() else target).is_file(), f"{page.relative_to(site)}: {link}"
            assert not mark or anchor in links.ids, f"{page.relative_to(site)}: {link}"
    for page in site.rglob("*.md"):
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
            assert link.startswith(("https:", "#")) or (page.parent / link).is_file(), f"{page.relative_to(site)}: {link}"


def meta(page):
    return dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">', page.read_text()))


@pytest.mark.parametrize("run", RUNS)
def test_a_link_to_a_run_shows_its_title_sentence_and_picture(site, run):
    page = site / run / "report.html"
    told = meta(page)
    assert told["og:title"].startswith("cliffbench: ") and re.search(r"\d+x \[\d+, \d+\]", told["og:description"])
    assert told["description"] == told["og:description"] == told["og:image:alt"]
    assert told["og:image"] == f"{AT}/{run}/figures/card.png" and told["og:url"] == f"{AT}/{run}/report.html"
    picture = (site / run / "figures/card.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and struct.unpack(">II", picture[16:24]) == (1200, 630)
    assert (told["og:image:width"], told["og:image:height"]) == ("1200", "630")


def test_the_index_leads_to_the_newest_run_and_shows_the_same(site):
    assert f"url={max(RUNS)}/report.html" in (site / "index.html").read_text()
    assert meta(site / "index.html").items() >= {(name, text) for name, text in meta(site / max(RUNS) / "report.html").items()
                                                 if name.startswith("og:")}


def test_the_figures_of_docs_are_there(site):
    figures = {path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.svg")}
    assert figures and all((site / path).is_file() for path in figures)


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    made = subprocess.run([ROOT / "scripts/release/pages.py", tmp_path, "--at", AT], capture_output=True, text=True)
    assert made.returncode == 2 and "is not an empty folder" in made.stderr and [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_readme_has_each_named_fix_with_an_interval():
    text = (ROOT / "README.md").read_text().replace("&nbsp;", " ")
    for name in ("regex filter", "clone avoidance", "id-based kernels", "skipped SIMD"):
        own = re.search(rf"^\| \*\*{name}\*\*.*?(?=^\| \*\*|^$)", text, re.M | re.S)
        assert re.search(r"x \[[\d.]+, [\d.]+\]", own[0]), name


def test_readme_uses_the_first_release_and_names_its_owner_in_one_place():
    [release] = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[:1]
    readme = (ROOT / "README.md").read_text()
    assert re.findall(r"uses: (\S+)/cliffbench@(\S+)", readme)[0][1] == f"v{release}"
    addresses = re.findall(r"\bOWNER/|OWNER\.", readme)
    assert len(addresses) <= 1 and "git clone" not in readme
