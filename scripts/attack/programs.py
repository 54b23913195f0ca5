"""Hostile programs: each deed in the base or the head of a gate, in a case, in a command."""

import os
import time

from attempt import Attempt, kill_group, last
from material import FAST, fake, steady

GATE_DEEDS = {  # settings of the made-up program: exit codes that tell the truth
    "crashes": (dict(at={"*": "crash"}), {13}),
    "crashes at its 10th run": (dict(at={10: "crash"}), {13}),
    "errors": (dict(at={"*": "error"}), {13}),
    "nan": (dict(at={"*": "nan"}), {13}),
    "writes nothing": (dict(at={"*": "empty"}), {13}),
    "takes no time": (dict(ms=0.0), {13}),
    "takes negative time": (dict(ms=-1.0), {13}),
    "takes 1e-300 ms": (dict(ms=1e-300), {0, 2, 10, 13}),
    "takes 1e300 ms": (dict(ms=1e300), {0, 10, 13}),
    "lists other names each time": (dict(moody=True), {2, 13}),
    "lists nothing": (dict(names=[]), {2, 13}),
    "has a name twice": (dict(names=["one", "one"]), {2, 13}),
    "has odd names": (dict(names=["one", "a b", "$(touch hit)", "\x1b[31m", "%s", "x" * 9000]), {0, 2, 10, 13}),
    "leaves a daemon": (dict(daemon=True), {0, 10, 13}),
    "floods": (dict(flood=64 << 20), {0, 10, 13}),
    "refuses counts": (dict(counts=False), {0, 10, 13}),
}
CASE_DEEDS = {
    "exits 3": "sys.exit(3)", "aborts": "os.kill(os.getpid(), 6)", "is killed": "os.kill(os.getpid(), 9)",
    "writes nothing": "pass", "writes half": "open(out, 'w').write('{\"benchmarks\": [')",
    "writes bits": "open(out, 'wb').write(bytes(range(256)))", "writes deep": "open(out, 'w').write('[' * 100000)",
    "takes no time": "write(real_time=0.0)", "takes negative time": "write(real_time=-1.0)",
    "nan": "write(real_time=float('nan'))", "infinite": "write(real_time=float('inf'))", "1e400": "write(real_time=1e400)",
    "text for time": "write(real_time='fast')", "another unit": "write(time_unit='weeks')",
    "another digest each time": "write(label=str(os.getpid()))", "a label of bits": "write(label='\\x01\\u202e')",
    "another name": "write(name='other')", "no iterations": "write(iterations=0)", "negative iterations": "write(iterations=-3)",
    "a stage of nan": "write(**{'stage:copy': float('nan')})", "a huge stage": "write(**{'stage:copy': 1e308})",
    "an error with bits": "write(error_occurred=True, error_message='\\x1b[31m\\n' * 50)",
    "its file is a link": "os.symlink('/etc/passwd', out)", "its file is a FIFO": "os.mkfifo(out)", "its file is a folder": "os.mkdir(out)",
    "closes its streams": "os.close(1); os.close(2); write()", "floods stderr": "os.write(2, b'y' * (1 << 24)); write()",
    "replaces itself": "open(sys.argv[0], 'a').write('#'); write()",
    "removes its folder": "import shutil; shutil.rmtree(os.environ['TMPDIR']); write()",
    "stops itself": "import signal; signal.alarm(3); os.kill(os.getpid(), 19); write()",
}
COMMANDS = {"false": {13}, "no_such_command": {13}, "kill -9 $$": {13}, "kill -TERM $$": {13}, "exit 300": {13}, "true; true": {0, 10, 12, 14},
            "'": {2, 13}, "yes | head -c 30000000": {0, 10, 12, 14}, "setsid sleep 20 &": {0, 10, 12, 14}, "kill -STOP $$ & true": {0, 10, 12, 13, 14},
            "exec 1>&- 2>&-; true": {0, 10, 12, 14}, "rm -rf \"$TMPDIR\"; true": {0, 10, 12, 13, 14}, "echo \"$(yes | head -n 9)\" >&2; false": {13}}


def alive_in(place):
    """Processes whose working folder lies in this attempt's folder."""
    alive = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(str(place.folder)) and int(pid) != os.getpid():
                alive.append(int(pid))
        except OSError:
            continue
    return alive


def left_alive(place):
    """What outlives its runner by more than two seconds: a killed one cannot wait for the end of its trial."""
    for _ in range(20):
        if not (alive := alive_in(place)):
            return ""
        time.sleep(0.1)
    for pid in alive:
        kill_group(pid)
    return f"left {len(alive)} processes alive"


def of_gate(side, deed, settings, codes):
    def act(place):
        sides = {"base": {}, "head": {}} | {side: settings} if side != "both" else {"base": settings, "head": settings}
        base, head = (fake(place.work / name, **sides[name]) for name in ("base", "head"))
        result = place.call("gate", "--base", base, "--head", head, "--out", "gate", "--limit", "5s", "--budget", "20s", *FAST, timeout=60)
        wrong = "" if result.code in codes else f"exit {result.code}, one of {sorted(codes)} was due: {last(result.said)}"
        return wrong or left_alive(place) or said_of_numbers(result)
    return Attempt("programs", f"gate, the {side} {deed}", act)


def said_of_numbers(result):
    for word in ("nan", "-nan", "000000000x", " inf"):
        if f" {word}" in result.out.replace("not a number", "") and word != " inf":
            return f"a number that is none was printed: {word}"
    return ""


def of_case(variant, deed, body):
    def act(place):
        case = steady(place.work / "steady")
        text = case.read_text()
        at = text.index("\nn = int(name")
        indented = "\n".join("    " + line for line in body.splitlines())
        stable = text[at:text.index('say(b"d")')]
        case.write_text(text[:at] + f"\nif '{variant}' in name:\n{indented}\nelse:\n" +
                        "\n".join("    " + line for line in stable.strip().splitlines()) + '\nsay(b"d")\n')
        result = place.call("run", case, "--rounds", 1, "--axis", "n=1", "--out", "run", "--limit", "3", timeout=60)
        if result.code not in (0, 13):
            return f"run ended with {result.code}: {last(result.said)}"
        wrong = left_alive(place)
        if not (place.work / "run/rows.jsonl").exists():
            return wrong
        judged = place.call("judge", "run")
        return wrong or ("" if judged.code in (13, 0) else f"judge ended with {judged.code}: {last(judged.said)}") or said_of_numbers(judged)
    return Attempt("programs", f"run, the {variant} {deed}", act)


def of_command(command, codes, first):
    def act(place):
        pair = (command, "true") if first else ("true", command)
        result = place.call("compare", *pair, "--out", "gate", "--budget", "3s", "--limit", "2s", "--trust-times", timeout=60)
        allowed = codes | {13} if first else codes
        return ("" if result.code in allowed else f"exit {result.code}, one of {sorted(allowed)} was due: {last(result.said)}") or left_alive(place)
    return Attempt("programs", f"compare, {'first' if first else 'second'}: {command}", act)


def replaced(side):
    def act(place):
        base, head = fake(place.work / "base"), fake(place.work / "head")
        sly = {"base": base, "head": head}[side]
        text = sly.read_text()
        sly.write_text(text.replace("def main():", "def main():\n    if next_run('sly') == 12:\n"
                                    "        import shutil\n        shutil.copy(HERE, HERE + '.new')\n"
                                    "        open(HERE + '.new', 'a').write('#\\n')\n        os.replace(HERE + '.new', HERE)"))
        result = place.call("gate", "--base", base, "--head", head, "--out", "gate", *FAST, timeout=60)
        return "" if result.code == 13 else f"the {side} was replaced in the middle, exit {result.code}: {last(result.said)}"
    return Attempt("programs", f"gate, the {side} is replaced in the middle", act)


def many_names():
    def act(place):
        names = [f"name{i}" for i in range(100_000)]
        result = place.call("gate", "--base", fake(place.work / "base", names=names), "--head", fake(place.work / "head", names=names),
                            "--out", "gate", "--budget", "1s", *FAST, timeout=30, may_take_s=20)
        return "" if result.code in (0, 12, 13) else f"exit {result.code}: {last(result.said)}"
    return Attempt("programs", "gate, 100,000 names and a budget of 1 s", act)


def attempts(_material, _seed):
    for deed, (settings, codes) in GATE_DEEDS.items():
        for side in ("base", "head", "both"):
            yield of_gate(side, deed, settings, codes)
    for deed, body in CASE_DEEDS.items():
        for variant in ("baseline", "fast", "control"):
            yield of_case(variant, deed, body)
    for command, codes in COMMANDS.items():
        for first in (True, False):
            yield of_command(command, codes, first)
    yield from (replaced("base"), replaced("head"), many_names())
