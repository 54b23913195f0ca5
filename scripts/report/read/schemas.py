"""The JSON Schemas of results/: each record that the report reads is what they say, or is refused with its file and field."""

import functools
import json
import pathlib
from collections.abc import Callable

import fastjsonschema

from report.read.files import Unreadable

RESULTS = pathlib.Path(__file__).parents[3] / "results"


def schema(name: str) -> dict:
    """The schema of a "row", "verdict", "session" or "program"."""
    return json.loads(
        (
            RESULTS
            / {"row": "schema.json", "verdict": "verdicts.schema.json"}.get(
                name, f"{name}.schema.json"
            )
        ).read_text()
    )


def check(name: str, record: dict, where: object) -> None:
    """Raises Unreadable, in one sentence that begins with `where`."""
    try:
        (verdict if name == "verdict" else compiled(name))(record)
    except fastjsonschema.JsonSchemaValueException as error:
        missing = (
            [key for key in error.rule_definition if key not in error.value]
            if error.rule == "required"
            else []
        )
        raise Unreadable(
            f"{where}: {error.name} has no field {missing[0]}"
            if missing
            else f"{where}: {error.message}"
        ) from None


@functools.cache
def compiled(name: str) -> Callable:
    return fastjsonschema.compile(schema(name))


@functools.cache
def by_kind() -> dict[str, Callable]:
    """A check for each kind of verdict: unlike the choice of all kinds, its refusals name a field."""
    whole = schema("verdict")
    kinds = whole.pop("oneOf")
    return {
        kind["properties"]["kind"]["const"]: fastjsonschema.compile(whole | {"allOf": [kind]})
        for kind in kinds
    }


def verdict(line: dict) -> None:
    by_kind().get(line.get("kind"), compiled("verdict"))(line)
