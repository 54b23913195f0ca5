#!/usr/bin/env python3
"""scripts/release/pages.py FOLDER --at URL [--source URL]     puts together what stands online (.github/workflows/pages.yml): the
published runs, the figures of docs/, and an index that leads to the newest run. `--at` is where FOLDER will be found,
`--source` the repository, to which links lead that leave FOLDER. Needs Python alone.
Exit: 0 made, 2 usage.
"""

import argparse
import html
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PUBLISHED, DOCS = ROOT / "results/published", ROOT / "docs"
LEFT_BY_A_JUDGE = ("verdicts.jsonl", "rows.jsonl")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
{head}
</head>
<body>
{body}
</body>
</html>
"""


def absolute(page: pathlib.Path, address: str) -> None:
    """Gives a link's picture its whole address, which other sites need to show it."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r'(<meta property="og:image" content=")(?!https:)', rf"\g<1>{address}/", text, count=1)
    whole = f'<meta property="og:url" content="{address}/{page.name}">\n<meta property="og:type"'
    page.write_text(text.replace('<meta property="og:type"', whole, 1), encoding="utf-8")


def leading_out(page: pathlib.Path, source: str) -> None:
    """A Markdown file's links into the repository, which is not online here."""
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"\]\((?:\.\./){4}", f"]({source}/blob/main/", text), encoding="utf-8")


def page_leading_out(page: pathlib.Path, source: str) -> None:
    """The same of a page, whose script has such links too. Without a repository they are words alone."""
    text = page.read_text(encoding="utf-8")
    if not source:
        text = re.sub(r'<a href="(?:\.\./){3}[^"]*">(.*?)</a>', r"\1", text)
        text = re.sub(r'"sources":\{[^}]*\}', '"sources":{}', text)
    page.write_text(re.sub(r'"(?:\.\./){3}', f'"{source}/blob/main/', text), encoding="utf-8")


def listing(folder: pathlib.Path) -> None:
    """A folder to which a page links needs an index."""
    names = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir())
    items = "\n".join(f'<li><a href="{html.escape(name)}">{html.escape(name)}</a></li>' for name in names)
    (folder / "index.html").write_text(PAGE.format(head=f"<title>{html.escape(folder.name)}</title>",
                                                   body=f"<h1>{html.escape(folder.name)}</h1>\n<ul>\n{items}\n</ul>"), encoding="utf-8")


def index(folder: pathlib.Path, runs: list[str]) -> None:
    """It leads to the newest run, with that run's title, sentence and picture, and names them all."""
    newest = max(runs)
    report = (folder / newest / "report.html").read_text(encoding="utf-8")
    head = "\n".join(re.findall(r'<title>.*?</title>|<meta (?:name="(?:description|twitter:card)"|property="og:[^"]*") [^>]*>', report))
    items = "\n".join(f'<li><a href="{run}/report.html">{run}</a></li>' for run in sorted(runs, reverse=True))
    leads = f'<meta http-equiv="refresh" content="0; url={newest}/report.html">\n{head}'
    (folder / "index.html").write_text(PAGE.format(head=leads, body=f"<h1>cliffbench: published runs</h1>\n<ul>\n{items}\n</ul>"),
                                       encoding="utf-8")


def put_together(folder: pathlib.Path, at: str, source: str) -> list[str]:
    """Returns the runs."""
    runs = sorted(page.parent.name for page in PUBLISHED.glob("*/report.html"))
    for run in runs:
        copy = shutil.copytree(PUBLISHED / run, folder / run, ignore=shutil.ignore_patterns(*LEFT_BY_A_JUDGE))
        absolute(copy / "report.html", f"{at}/{run}")
        page_leading_out(copy / "report.html", source)
        for page in copy.rglob("*.md"):
            leading_out(page, source)
        for inner in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
            listing(inner)
    for figure in sorted(DOCS.rglob("*.svg")):
        copy = folder / "docs" / figure.relative_to(DOCS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(figure, copy)
    index(folder, runs)
    return runs


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--at", required=True)
    parser.add_argument("--source", default="")
    given = parser.parse_args(arguments)
    if given.folder.exists() and (not given.folder.is_dir() or any(given.folder.iterdir())):
        parser.error(f"{given.folder} exists already and is not an empty folder")
    given.folder.mkdir(parents=True, exist_ok=True)
    runs = put_together(given.folder, given.at.rstrip("/"), given.source.rstrip("/"))
    print(f"{len(runs)} run{'s' if len(runs) != 1 else ''} in {given.folder}, to be found at {given.at}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
