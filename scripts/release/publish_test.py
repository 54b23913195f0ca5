"""Only what the judge accepts is published; a Mac's rows join x86's, and each machine is published by itself."""

import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

import publish as publishing
import pytest
from built import edit_json, with_values
from made_case import made_case
from report.read import published

ROOT = pathlib.Path(__file__).parent.parent.parent
BUILD = pathlib.Path(os.environ.get("CLIFFBENCH_BUILD", ROOT / "build")).absolute()


def call(*words):
    return subprocess.run([BUILD / "cliffbench", *map(str, words)], capture_output=True, text=True, timeout=120)


def publish(folder, to, **kwargs):
    return subprocess.run([sys.executable, ROOT / "scripts/release/publish.py", folder, "--to", to], text=True, stderr=subprocess.PIPE,
                          env=os.environ | {"CLIFFBENCH_BUILD": str(BUILD), "PYTHONUNBUFFERED": ""}, **{"stdout": subprocess.PIPE} | kwargs)


def edit(folder, pattern, change):
    for path in folder.glob(pattern):
        edit_json(path, change)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("publish") / "run"
    result = call("run", BUILD / "test_cases/empty", "--axis", "number=1", "--rounds", 1, "--out", folder)
    assert result.returncode == 0, result.stderr
    edit(folder, "programs/*.json", lambda record: record["build"].update(dirty=False, commit="0123456789ab"))
    edit(folder, "sessions/*.json", lambda record: record["machine"].update(virtualised=False))
    assert call("judge", folder).returncode == 0
    return folder


@pytest.fixture
def run(measured, tmp_path):
    return pathlib.Path(shutil.copytree(measured, tmp_path / "run"))


def as_a_mac(measured, folder):
    """The same rows as if an Apple M1 had measured them."""
    shutil.copytree(measured, folder)
    machine = {"id": "00000001", "cpu": "Apple M1", "arch": "arm64", "os": "macOS 15.0", "core_kinds": "4 performance, 4 efficiency"}
    edit(folder, "sessions/*.json", lambda record: (record["machine"].update(machine), record.update(run="a-mac")))
    edit(folder, "plan.json", lambda record: record.update(run="a-mac"))
    for path in folder.glob("sessions/*.json"):
        path.rename(path.with_name("a-mac." + path.name.split(".", 1)[1]))
    rows = [with_values(line, run="a-mac") for line in (folder / "rows.jsonl").read_text().splitlines()]
    (folder / "rows.jsonl").write_text("".join(f"{row}\n" for row in rows))
    edit(folder, "programs/*.json", lambda record: (record["build"].update(compiler="AppleClang 17"),
                                                    record["subject"].update(sha256="another")))
    assert call("judge", folder).returncode == 0
    return folder


def refused(result, words, code=13):
    assert result.returncode == code, result.stderr
    assert result.stderr.startswith("publish: not published: ") and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_the_index_names_every_published_run_and_the_missing_machine(run, tmp_path):
    to = tmp_path / "published"
    assert publish(run, to).returncode == 0
    index = (to / "README.md").read_text()
    name = next(to.glob("*/report.html")).parent.name
    assert f"| {name} |" in index and f"({name}/report.html)" in index
    assert "No Apple M1 has measured" in index


def test_no_folder_of_the_machine_is_published(run, tmp_path):
    edit(run, "sessions/*.json", lambda record: record.update(command="build/cliffbench run --out=/home/me/runs/one --profile full"))
    assert publish(run, tmp_path / "published").returncode == 0
    (target,) = (path.parent for path in (tmp_path / "published").glob("*/report.html"))
    assert "--out=one --profile full" in (target / "report.html").read_text()
    assert not any(b"/home/me" in path.read_bytes() for path in target.rglob("*") if path.is_file())
    linked = set(re.findall(r'href="figures/([^"]+)"', (target / "report.html").read_text()))
    assert linked <= {path.name for path in (target / "figures").iterdir()}


def test_a_right_run_is_copied_and_says_what_to_commit(run, tmp_path):
    edit(run, "sessions/*.json", lambda record: record["machine"].update(cpu="Apple M1"))
    result = publish(run, tmp_path / "published")
    assert result.returncode == 0, result.stderr
    (target,) = (path.parent for path in (tmp_path / "published").glob("*/report.html"))
    assert (tmp_path / f"published/earlier/{target.name}.json").is_file()
    assert target.name.endswith("-apple-m1") and f"git add {tmp_path / 'published'} " in result.stdout
    assert {path.name for path in target.iterdir()} == {"rows.jsonl.gz", "verdicts.jsonl.gz", "sessions", "programs",
                                                        "figures", "report.html", "report.md", "cells.csv", "claims.csv"}
    assert {path.suffix for path in (target / "figures").iterdir()} <= {".svg", ".txt", ".png"} and not published.missing_images(target)
    assert [path.name for path in (target / "figures").glob("*.png")] == ["card.png"]
    kept = {name: gzip.decompress((target / f"{name}.gz").read_bytes()) for name in ("rows.jsonl", "verdicts.jsonl")}
    assert kept["verdicts.jsonl"] == (run / "verdicts.jsonl").read_bytes()
    assert sorted(kept["rows.jsonl"].splitlines()) == sorted((run / "rows.jsonl").read_bytes().splitlines())
    assert call("judge", target).returncode in (0, 11)  # as it lies there
    assert (target / "verdicts.jsonl").read_bytes() == (run / "verdicts.jsonl").read_bytes()
    refused(publish(run, tmp_path / "published"), "exists already", 2)


def test_a_macs_rows_join_x86s_and_keep_their_own_machine(measured, tmp_path):
    mac = as_a_mac(measured, tmp_path / "mac")
    both = tmp_path / "both"
    result = call("merge", measured, mac, "--out", both)
    assert result.returncode == 0, result.stderr
    assert call("judge", both).returncode == 0
    verdicts = [json.loads(line) for line in (both / "verdicts.jsonl").read_text().splitlines()]
    assert len(verdicts[0]["machines"]) == 2
    assert {cell["machine"] for cell in verdicts if cell["kind"] == "cell"} == set(verdicts[0]["machines"])
    compilers = {json.loads(program.read_text())["build"]["compiler"] for program in both.glob("programs/*/*.json")}
    assert len(compilers) == 2 and "AppleClang 17" in compilers  # each run keeps its own declaration
    refused(publish(both, tmp_path / "published"), "several machines")
    assert not (tmp_path / "published").exists()


def test_rows_of_another_commit_are_judged_apart(measured, tmp_path):
    mac = as_a_mac(measured, tmp_path / "mac")
    edit(mac, "programs/*.json", lambda record: record["build"].update(commit="ba9876543210"))
    both = tmp_path / "both"
    assert call("merge", measured, mac, "--out", both).returncode == 0
    assert call("judge", both).returncode == 0
    sets = [json.loads(line) for line in (both / "verdicts.jsonl").read_text().splitlines() if '"kind":"set"' in line]
    assert {line["commit"] for line in sets} >= {"ba9876543210"} and len(sets) == 2


def test_a_hosted_mac_has_a_row_of_its_own_and_fills_no_m1_s(run, tmp_path):
    edit(run, "sessions/*.json", lambda record: record["machine"].update(cpu="Apple M1 (Virtual)", arch="arm64", virtualised=True))
    result = publish(run, tmp_path / "published")
    assert result.returncode == 0, result.stderr
    index = (tmp_path / "published/README.md").read_text()
    assert "-apple-m1-virtual | M1, virtual (arm64), " in index and "No Apple M1 has measured" in index


def test_emulation_is_refused(run, tmp_path):
    edit(run, "sessions/*.json", lambda record: record["machine"].update(emulated=True))
    refused(publish(run, tmp_path / "published"), "under emulation")


def test_local_changes_are_refused(run, tmp_path):
    edit(run, "programs/*.json", lambda record: record["build"].update(dirty=True))
    refused(publish(run, tmp_path / "published"), "local changes")


def test_verdicts_that_the_judge_did_not_give_are_refused(run, tmp_path):
    text = (run / "verdicts.jsonl").read_text()
    (run / "verdicts.jsonl").write_text(text.replace('"held":0', '"held":9'))
    assert (run / "verdicts.jsonl").read_text() != text
    refused(publish(run, tmp_path / "published"), "does not match the rows")


def test_a_row_outside_the_schema_is_refused(run, tmp_path):
    line = (run / "rows.jsonl").read_text().splitlines()[0]
    (run / "rows.jsonl").write_text(with_values(line, wall_s="soon") + "\n")
    refused(publish(run, tmp_path / "published"), "wall_s")


def test_a_damaged_row_is_refused(run, tmp_path):
    line = (run / "rows.jsonl").read_text().splitlines()[0]
    with (run / "rows.jsonl").open("a") as file:
        file.write(line.replace('"round":1', '"round":2') + "\n")
    refused(publish(run, tmp_path / "published"), "is damaged")


def test_wrong_output_is_refused(run, tmp_path):
    rows = [with_values(line, digest="another") if '"variant":"control"' in line else line
            for line in (run / "rows.jsonl").read_text().splitlines()]
    (run / "rows.jsonl").write_text("".join(f"{row}\n" for row in rows))
    refused(publish(run, tmp_path / "published"), "cliffbench judge ended with exit code 13")


def test_merged_runs_of_one_machine_and_an_unexpected_verdict_are_published(tmp_path):
    """A refuted claim is a result: it is named, not left out."""
    claims = [{"id": "five", "text": "five\u2028 times\x1b[0m", "range": {"lo": 5.0, "hi": None}}]
    for name in ("one", "two"):
        program = made_case(tmp_path / name, claims=claims, name=name, subject="thing",
                            body="write(real_time=1e6 / (3 if 'fast' in name else 1))")
        assert call("run", program, "--out", tmp_path / f"run-{name}").returncode == 0
        edit(tmp_path / f"run-{name}", "programs/*.json", lambda record: record["build"].update(commit="0123456789ab"))
        edit(tmp_path / f"run-{name}", "sessions/*.json", lambda record: record["machine"].update(cpu="Some CPU"))
    both = tmp_path / "both"
    assert call("merge", tmp_path / "run-one", tmp_path / "run-two", "--out", both).returncode == 0
    assert call("judge", both).returncode == 11
    result = publish(both, tmp_path / "published")
    assert result.returncode == 0, result.stderr
    assert "note: one five is refuted, its case expects held: five\\u2028 times\\x1b[0m" in result.stdout
    assert "48 rows copied" in result.stdout


def test_what_is_too_large_for_a_repository_is_refused(run, tmp_path):
    (run / "cases/empty.md").write_text("# empty\n\n" + "word " * 500_000)
    refused(publish(run, tmp_path / "published"), "more than the 2,000,000 of a published run")
    assert not list((tmp_path / "published").iterdir())


def test_links_of_a_case_lead_to_the_same_from_the_published_place():
    home = ROOT / "cases/call_kernel"
    for before, after in (("[a](../marker_search/README.md#x)", "[a](../../../../cases/marker_search/README.md#x)"),
                          ("[b](bench.hpp)", "[b](../../../../cases/call_kernel/bench.hpp)"),
                          ("[c](#cut)", "[c](../../../../cases/call_kernel/README.md#cut)"),
                          ("[d](https://example.org/)", "[d](https://example.org/)"), ("[e](gone.md)", "e"), ("[f](/etc/passwd)", "f")):
        assert publishing.moved(before, home) == after
    assert publishing.moved("[b](bench.hpp) [d](https://example.org/)", None) == "b [d](https://example.org/)"


def test_what_is_no_run_is_a_wrong_call(tmp_path):
    refused(publish(tmp_path, tmp_path / "published"), "it is not a run's folder", 2)


def sessions_of(text):
    return lambda run: [path.write_text(text) for path in run.glob("sessions/*.json")]


@pytest.mark.parametrize("damage, words", [
    (lambda run: edit(run, "sessions/*.json", lambda record: record.update(machine=None)),
     "a record in {} is not what this version of cliffbench writes"),
    (sessions_of("[]"), "it has no checksum"),
    (sessions_of("[" * 100_000), "it has no checksum"),
    (lambda run: (run / "rows.jsonl").write_text("[" * 100_000), "a record in {} is not what"),
    (lambda run: (run / "rows.jsonl").write_text("5\n"), "a record in {} is not what"),
    (lambda run: ((run / "rows.jsonl").unlink(), (run / "rows.jsonl").mkdir()), "rows.jsonl: it is a folder"),
    (lambda run: edit(run, "programs/*.json", lambda record: record.pop("build")), "a record in {} has no 'build'"),
], ids=["machine null", "a list", "deep session", "deep rows", "rows 5", "rows a folder", "no build"])
def test_an_unknown_record_gets_one_sentence(run, tmp_path, damage, words):
    damage(run)
    refused(publish(run, tmp_path / "published"), words.format(run))


@pytest.mark.parametrize("to", ["file", "file/below"])
def test_where_no_folder_can_be_is_one_sentence(run, tmp_path, to):
    (tmp_path / "file").write_text("mine\n")
    refused(publish(run, tmp_path / to), f"cannot write {tmp_path / 'file'}")
    assert (tmp_path / "file").read_text() == "mine\n"


@pytest.mark.parametrize("most", [100, 4000, 10_000])
def test_a_full_disk_leaves_nothing_of_a_run(run, tmp_path, most):
    to = tmp_path / "published"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    refused(publish(run, to, preexec_fn=limit), "File too large")
    assert not to.exists() or not list(to.iterdir())


def test_a_relative_place_is_where_one_stands(run, tmp_path):
    result = publish(run, "published", cwd=tmp_path)
    assert result.returncode == 0 and list((tmp_path / "published").glob("*/report.html")), result.stderr


def test_publishing_with_a_closed_output_names_the_published_folder(run, tmp_path):
    with open("/dev/full", "w") as full:
        result = publish(run, tmp_path / "published", stdout=full)
    assert result.returncode == 13 and " is published, but cannot write standard output: " in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_a_judge_it_says_how_to_build_one(run, tmp_path):
    result = subprocess.run([sys.executable, ROOT / "scripts/release/publish.py", run, "--to", tmp_path / "published"], capture_output=True,
                            text=True, env=os.environ | {"CLIFFBENCH_BUILD": str(tmp_path)})
    refused(result, f"there is no program {tmp_path}/cliffbench; build it with: make build", 2)
