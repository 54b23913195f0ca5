"""Halide on arm64, under emulation: Debian 13's library and Python, unpacked, and what was cross-built for them. `make
test-arm` runs this. Outputs are compared, never times."""

import json
import os
import subprocess
import tomllib

import pytest
from comparison import PIPELINES, ROOT, differences

SYSTEM = ROOT / ".deps/debian13-arm64"
LIBRARIES = SYSTEM / "usr/lib/aarch64-linux-gnu"
PACKAGES = SYSTEM / "usr/lib/python3/dist-packages"
CALLS = PIPELINES.replace("x86-64-linux-sse41-avx-avx2-fma-f16c", "arm-64-linux") + """
page(layer(), "page.html")
page(layer(768, 512), "larger.html", quick)
layer(name="lowered").compile_to_lowered_stmt("lowered.html", [image], hl.StmtOutputFormat.HTML, quick)
compile_to(blur(), {T.stmt_html: "beside.html", T.object: "beside.o", T.stmt: "beside.stmt", T.llvm_assembly: "beside.ll"}, quick)
compile_to(layer(3072, 512), {T.stmt_html: "much.html", T.object: "much.o"}, quick)
compile_to(blur(), {T.object: "after.o", T.llvm_assembly: "after.ll"}, quick)
page(layer(), "nowhere/page.html", quick)
page(layer(), "refused.html", hl.Target("riscv-64-linux"))
"""


def emulated(**variables):
    """A processor that Halide 19 knows, as the default has more than it does."""
    named = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    return ["qemu-aarch64", "-cpu", "cortex-a76", "-L", SYSTEM, *named]


def test_every_variants_page_is_right_and_equal_to_its_baseline():
    variants = tomllib.loads((ROOT / "cases/conceptual_stmt/case.toml").read_text())["variants"]
    for starts_a_program in ("launcher", "launcher_baseline", "import", "import_baseline"):  # nothing starts an emulated one
        del variants[starts_a_program]
    done = subprocess.run([*emulated(LD_LIBRARY_PATH=ROOT / ".deps/arm64/usr/lib/aarch64-linux-gnu"),
                           ROOT / "build/arm64/cases/conceptual_stmt@halide-19.0.0", "--benchmark_format=json", "--benchmark_min_time=0",
                           "--benchmark_filter=^conceptual_stmt/buffers:1/size:96x64/format:HTML/target:host/variant:"
                           f"({'|'.join(variants)})(/|$)"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    runs = {run["name"].partition("/variant:")[2].partition("/")[0]: run for run in json.loads(done.stdout)["benchmarks"]}
    assert sorted(runs) == sorted(variants)
    assert [run for run in runs.values() if "error_message" in run] == []
    for name, fields in variants.items():
        equal = fields.get("same_output_as", "baseline") if isinstance(fields, dict) else "baseline"
        assert equal == "nothing" or runs[name]["label"] == runs[equal]["label"], name


@pytest.fixture(scope="module")
def plain(site, tmp_path_factory):
    return run(site, tmp_path_factory.mktemp("plain"), CALLS)


def run(site, folder, script, *launcher):
    """Programs are started by name, so the emulator stands behind a name of Python's."""
    python = folder.parent / f"{folder.name}.python"
    words = " ".join(f"'{word}'" for word in emulated(
        PYTHONPATH=f"{site}:{PACKAGES}", LD_LIBRARY_PATH=f"{LIBRARIES}/blas:{LIBRARIES}/lapack"))
    python.write_text(f'#!/bin/sh\npreload=${{LD_PRELOAD:-}}\nunset LD_PRELOAD\n'
                      f'exec {words} ${{preload:+-E "LD_PRELOAD=$preload"}} {SYSTEM}/usr/bin/python3 "$@"\n')
    python.chmod(0o755)
    done = subprocess.run([*launcher, python, "-c", script], cwd=folder, capture_output=True, text=True, env=os.environ | {
        "PYTHONDONTWRITEBYTECODE": "1", "HALIDE_PATCHES_VERBOSE": "1"})
    assert done.returncode == 0, done.stderr
    return folder, done


@pytest.mark.parametrize("way", ["launcher", "import"])
def test_the_cure_changes_nothing_else(way, site, plain, tmp_path):
    launcher = [*emulated(), site / "halide_patched/halide-patched", "--"] if way == "launcher" else []
    folder, done = run(site, tmp_path, CALLS if launcher else "import halide_patched\n" + CALLS, *launcher)
    assert "libHalide19.so.0 runs with the patches in " in done.stderr
    assert b"# halide-patched: " in (folder / "page.html").read_bytes()
    assert differences(plain[0], folder) == []
    assert done.stdout == plain[1].stdout
