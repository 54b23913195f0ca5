"""The schemas of results/ as functions that a test calls: each raises when a record is not what its schema says."""

import json
import pathlib

import fastjsonschema

RESULTS = pathlib.Path(__file__).parent.parent / "results"


Unfit = fastjsonschema.JsonSchemaException


def compiled(name, **more):
    return fastjsonschema.compile(json.loads((RESULTS / name).read_text()) | more)


check_row = compiled("schema.json", additionalProperties=False)  # readers may know fields that are not ours, we do not
check_verdict = compiled("verdicts.schema.json")
