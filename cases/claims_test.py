"""Every claim of a case is measured by its full profile (one that nothing measures would stay "not measured" for ever), or by
the command for an Apple M1 in docs/platforms.md.
"""

import collections
import json
import pathlib
import re
import subprocess
import tomllib

import pytest
from programs import BUILD, BUILT, PROGRAMS, declared, measured, verified_cells


def frozen(params):
    return tuple(sorted(params.items()))


def is_measured(claim, cells):
    """`cells`: {(variant, point)} of the case."""
    points = [dict(point) for variant, point in cells if variant == claim["variant"] and claim["where"].items() <= dict(point).items()]
    if claim["quantity"] == "exponent":
        lines = collections.Counter(frozen({name: value for name, value in point.items() if name != claim["axis"]}) for point in points)
        return any(sizes >= 4 for sizes in lines.values())
    if claim["quantity"] in ("ratio", "memory", "agreement"):
        return any((claim["against"], frozen(point)) in cells for point in points)
    return bool(points)


def test_the_full_profile_measures_every_claim(tmp_path):
    document = (pathlib.Path(__file__).parents[1] / "docs/platforms.md").read_text()
    [command] = re.findall(r"^    build/cliffbench run (conceptual_stmt@.*)$", document, re.MULTILINE)
    cells = collections.defaultdict(set)
    for number, request in enumerate((["--profile", "full"], command.split())):
        plan = tmp_path / f"{number}.json"
        subprocess.run([BUILD / "cliffbench", "plan", *request, "--out", plan], check=True, capture_output=True)
        for cell in json.loads(plan.read_text())["cells"]:
            cells[cell["program"]].add((cell["variant"], frozen(cell["params"])))
    claims = {}
    for program in BUILT:
        cases = declared(program)
        for case in cases:
            name = program.name if len(cases) == 1 else f"{case['case']}@{case['subject']['name']}"
            claims[name] = case["claims"]
    assert cells.keys() <= claims.keys() and len(cells) > 3
    lost = [(name, claim["id"]) for name, mine in cells.items() for claim in claims[name] if not is_measured(claim, mine)]
    assert not lost


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_each_stage_has_a_time(program, tmp_path):
    """Those of the baselines, and those of claims."""
    cells = verified_cells(program, tmp_path / "plan.json")
    wanted = {names[0]: set() for (_, variant), names in cells.items() if variant == "baseline"}
    for case in declared(program):
        for claim in case["claims"]:
            if claim["of"]:
                [name] = [names[0] for (_, variant), names in cells.items()
                          if variant == claim["variant"] and names[0].startswith(case["case"] + "/")]
                wanted.setdefault(name, set()).add(f"stage:{claim['of']}")
    for name, stages in wanted.items():
        [run] = measured(program, [name], "--benchmark_min_time=1x")
        stages |= {key for key in run if key.startswith("stage:")}
        assert {stage for stage in stages if not run.get(stage, 0) > 0} == set(), name


VERBS = r"\b(are|builds?|changes|costs?|depends?|does|grows?|has|is|makes?|needs?|records?|removes?|saves?|takes?)\b"


def test_a_claim_is_a_sentence_that_stands_alone():
    """The reports show each by itself, and sort them."""
    for path in pathlib.Path(__file__).parent.glob("*/case.toml"):
        data = tomllib.loads(path.read_text())
        for says in (claim["says"] for case in data.get("case", [data]) for claim in case.get("claim", [])):
            assert re.search(VERBS, says), f"{path}: no sentence: {says}"
            assert not re.match(r"(and|but|so|it|the same)\b", says), f"{path}: leans on another: {says}"
            assert ": " not in says, f"{path}: two sentences: {says}"
