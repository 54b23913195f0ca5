"""A benchmark that `gate --impact` calls untouched must be so. Pairs of programs that differ in one way, each of which touches
what executes or reads it; and single bytes changed at random, each of which touches whoever executes or reads it, by another
witness (valgrind's lackey)."""

import functools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest
from built import BUILD, call

IMPACT_OF, SOURCES = BUILD / "test_cases/impact_of", pathlib.Path(__file__).parent / "impact"
pytestmark = pytest.mark.skipif(not IMPACT_OF.exists(), reason="this build has no --impact (Linux on x86-64, libzydis-dev)")
ALL = re.findall(r'\{"(\w+)",', (SOURCES / "main.cpp").read_text())
FLAGS = ("-O2",)


def run(*words, **kwargs):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, **kwargs)


def compiled(folder, change=0, shared=0, flags=FLAGS, link=(), more=()):
    """The program in a folder of its own."""
    folder.mkdir(parents=True)
    run("c++", "-O2", "-fPIC", "-shared", "-Wl,-soname,libshared.so", f"-DSHARED={shared}", SOURCES / "shared.cpp",
        "-o", folder / "libshared.so", check=True)
    run("c++", "-std=c++20", *flags, *more, f"-DCHANGE={change}", "-c", SOURCES / "work.cpp", "-o", folder / "work.o", check=True)
    run("c++", *link, *[flag for flag in flags if flag.startswith("-f")], main_object(folder.parent.parent), f"-DCHANGE={change}",
        SOURCES / "by_hand.cpp", folder / "work.o", folder / "libshared.so", "-Wl,-rpath,$ORIGIN", "-lbenchmark", "-pthread",
        "-o", folder / "program", check=True)
    return folder / "program"


@functools.cache
def main_object(place):
    made = place / "main.o"
    run("c++", "-std=c++20", "-O2", "-c", SOURCES / "main.cpp", "-o", made, check=True)
    return made


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("impact")


@functools.cache
def base_of(place, flags=FLAGS, link=()):
    return compiled(place / "base" / "-".join([*flags, *link]).replace("/", "_"), flags=flags, link=link)


def touched(base, head, names=ALL):
    """{benchmark: why}, of those that are touched"""
    result = run(IMPACT_OF, base, head, *names)
    assert result.returncode == 0, result.stderr
    found = dict(line.split("\t") for line in result.stdout.splitlines())
    assert set(found) == set(names)
    return {name: why for name, why in found.items() if why}


# Exceptions and threads are not followed: whoever uses them is touched by any change.
ALWAYS = {"throws", "threaded"}
CHANGES = {1: {"direct", "rare"}, 2: {"inlined"}, 3: {"table"}, 4: {"constant"}, 5: {"virtually"}, 6: {"jumps"}, 7: {"text"}, 8: {"real"},
           9: {"rare"}, 10: {"flag"}, 11: {"throws"}, 12: {"pointers"}, 13: {"renamed"}, 14: {"folded"}, 15: {"aliased"},
           16: {"threaded"}, 17: {"weakly"}, 18: {"allocates"}, 19: {"line"}, 20: {"template"}, 21: {"before_table"}, 22: {"member"},
           23: {"getters"}, 24: {"inserted"}, 25: {"zeroed"}, 26: {"thread_local"}, 27: {"cases"}, 28: {"strings"}, 29: set(ALL),
           30: {"biased"}, 31: {"wide"}, 32: {"shift"}, 33: {"by_hand"}, 34: {"rerouted"}}
# An initialiser runs in every process, the library allocates, and data of threads are copied at the start.
EVERYWHERE = {10, 18, 26, 29}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_touches_what_executes_or_reads_it(place, change):
    wanted = CHANGES[change] | {"throws"}
    found = touched(base_of(place), compiled(place / "change" / str(change), change), sorted(wanted | {"quiet", "by_hand"}))
    assert wanted <= set(found), found
    assert ("quiet" in found) == (change in EVERYWHERE), found
    assert ("by_hand" in found) == (change in EVERYWHERE or change == 33), found  # its table is no change in itself


@pytest.mark.parametrize("flags", [("-O3",), ("-Os",), ("-O2", "-flto")], ids=" ".join)
def test_other_flags_touch_what_becomes_other_code(place, flags):
    for change in (0, 1, 21):
        head = compiled(place / "flags" / f"{''.join(flags)}{change}", change, flags=flags)
        wanted = CHANGES.get(change, set())
        assert wanted <= set(touched(base_of(place, flags), head, sorted(wanted | {"quiet"}))), change
    assert "before_table" in touched(base_of(place), head, ["before_table"])


@pytest.mark.parametrize("link", [("-fuse-ld=gold", "-Wl,--icf=all"), ("-fuse-ld=gold",), ("-fuse-ld=lld-19",), ("-Wl,-z,now",)],
                         ids=" ".join)
def test_other_linkers(place, link):
    if run("c++", *link, "-x", "c++", "-", "-o", "/dev/null", input="int main() {}").returncode != 0:
        pytest.skip("this linker is not installed")
    base, same = base_of(place, link=link), compiled(place / "link" / "".join(link).replace(",", ""), link=link)
    if "gold" not in link[0]:  # it puts code and tables of exceptions on one page, which is then watched
        assert set(touched(base, same)) <= ALWAYS
    changed = compiled(place / "link" / ("changed" + "".join(link).replace(",", "")), 14, link=link)
    assert "folded" in touched(base, changed, ["folded"])


def test_nothing_is_touched_by_comments_symbols_or_debug_information(place):
    assert touched(base_of(place), compiled(place / "same" / "debug", more=("-g",))).keys() <= ALWAYS
    assert touched(base_of(place), compiled(place / "same" / "comment", more=("-DA_NAME_THAT_NOBODY_USES",))).keys() <= ALWAYS


@pytest.mark.parametrize("shared", [1, 2, 3], ids=["code", "table", "constructor"])
def test_another_library_touches_all(place, shared):
    found = touched(base_of(place), compiled(place / "shared" / str(shared), shared=shared), ["quiet", "table"])
    assert len(found) == 2 and "libraries" in found["quiet"]


def test_what_cannot_be_told_is_touched(place, tmp_path):
    base = base_of(place)
    stripped = shutil.copytree(base.parent, tmp_path / "stripped") / "program"
    run("strip", stripped, check=True)
    assert "stripped" in touched(base, stripped)["quiet"]
    fixed = compiled(place / "fixed" / "head", 1, link=("-no-pie",))
    assert "position-independent" in touched(base, fixed)["quiet"]


def test_the_gate_times_only_what_is_touched_and_an_audit(place, tmp_path):
    head, names = compiled(place / "gate" / "table", 3), ["table", "quiet", "direct", "jumps"]
    result = call("gate", "--base", base_of(place), "--head", head, "--impact", "--filter", f"^({'|'.join(names)})$",
                  "--budget", "80s", "--batch", "10ms", "--instructions", "never", "--out", tmp_path / "out", cwd=tmp_path)
    found = [json.loads(line) for line in (tmp_path / "out/rulings.jsonl").read_text().splitlines()]
    rulings = {one["name"]: one for one in found if "name" in one}
    assert set(rulings) == set(names), result.stdout
    untouched = {name for name in names if rulings[name]["ruling"] == "untouched" and rulings[name]["pairs"] == 0}
    assert len(untouched) == 2 and "table" not in untouched, result.stdout  # and one is the audit
    assert "touched, 1 benchmark: table" in result.stdout
    again = call("gate", "--from", tmp_path / "out", "--out", tmp_path / "again", cwd=tmp_path)
    assert again.returncode == result.returncode
    refused = call("gate", "--base", base_of(place), "--head", head, "--impact", "--metric", "instructions", "--out", tmp_path / "none")
    assert refused.returncode == 2 and not (tmp_path / "none").exists()


def bytes_used(program, name, log):
    """Offsets in the program's file image that the benchmark executes or reads."""
    run("valgrind", "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", f"--log-file={log}", program, f"--benchmark_filter=^{name}$",
        "--benchmark_min_time=0.000001", check=True, env=os.environ | {"LD_BIND_NOW": "1"})
    kinds = {" S": "write", " L": "read", " M": "read", "I ": "execute"}
    with open(log) as lines:
        seen = [(kinds[line[:2]], *line[3:].split(",")) for line in lines if line[:2] in kinds]
    own = [(kind, int(at, 16), int(size)) for kind, at, size in seen if int(at, 16) < 0x4000000]  # libraries lie higher
    start = min(at for kind, at, _ in own if kind == "execute") & ~0xfff
    first_code = min(section[1] for section in sections(program) if "X" in section[3])
    # A vector that reads on behind a string's end reads what means nothing; what has 8 bytes or fewer is asked for.
    return {at - start + (first_code & ~0xfff) + i for kind, at, size in own if kind != "write" and size <= 8 or kind == "execute"
            for i in range(size)}


def sections(program):
    """(name, address, offset, flags, size)"""
    lines = run("readelf", "-SW", program).stdout
    found = re.findall(r"\] (\.\S+) +PROGBITS +(\w+) (\w+) (\w+) \w+ +([WAXMST]*)", lines)
    return [(name, int(address, 16), int(offset, 16), flags, int(size, 16)) for name, address, offset, size, flags in found]


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_no_changed_byte_that_is_used_stays_untouched(place, tmp_path):
    flips = int(os.environ.get("CLIFFBENCH_FLIPS", 40))
    names, program, draw = ["jumps", "table", "virtually", "by_hand", "rerouted"], base_of(place), random.Random(49)
    used = {name: bytes_used(program, name, tmp_path / "log") for name in names}
    filled_in = {int(at, 16) + i for at in re.findall(r"^(\w{16}) ", run("readelf", "-rW", program).stdout, re.MULTILINE) for i in range(8)}
    parts = [part for part in sections(program) if part[0] in (".text", ".rodata", ".data", ".data.rel.ro")]
    head = shutil.copytree(program.parent, tmp_path / "head") / "program"
    hits = 0
    while flips:
        name, address, offset, _, size = draw.choice([*parts, parts[0], parts[0]])
        at = draw.randrange(size)
        if address + at in filled_in:  # whatever stands there, the loader writes over it
            continue
        changed = bytearray(program.read_bytes())
        changed[offset + at] ^= 1 << draw.randrange(8)
        head.write_bytes(changed)
        found = touched(program, head, names)
        missed = [one for one in names if address + at in used[one] and one not in found]
        assert not missed, (name, hex(address + at), missed)
        hits += any(address + at in used[one] for one in names)
        flips -= 1
    assert hits > 3
