"""The schemas fit what is made and published, and refuse what they do not name."""

import json
import pathlib

import pytest

from report import made
from report.read import files, schemas

ROOT = pathlib.Path(__file__).parents[3]


def test_made_and_published_lines_are_what_the_schemas_say():
    folders = [path.parent for path in ROOT.glob("results/published/*/rows.jsonl.gz")]
    assert folders
    for kind, lines in (("row", made.rows()), ("verdict", made.verdicts())):
        for line in lines + [
            json.loads(line)
            for folder in folders
            for line in files.unpacked(folder / f"{kind}s.jsonl")
        ]:
            schemas.check(kind, line, "made or published")
            assert kind != "row" or set(line) <= set(schemas.schema("row")["properties"])


@pytest.mark.parametrize(
    "change",
    [{"colour": "red"}, {"verdict": "perhaps"}, {"seen": {"n": 6}}, {"hi": "many"}, {"id": None}],
)
def test_a_schema_refuses_what_it_does_not_name(change):
    with pytest.raises(files.Unreadable, match=next(iter(change))):
        schemas.check("verdict", made.claim(**change), "made")
