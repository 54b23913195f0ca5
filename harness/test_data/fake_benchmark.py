"""A made-up Google Benchmark program for the tests of the gate: no clock decides anything.

Speaks --benchmark_list_tests, --benchmark_filter, --benchmark_min_time and --benchmark_out as
the library does. The test writes `SETTINGS = {...}` in front of it:

    names    list of benchmarks; "one" unless given
    ms       made-up time of an iteration; 1.0
    batches  factors of the time, of each repetition that the flag asks for; the first is 1, each later one 1 % more
    noise    relative noise, which the number of the run gives; 0.005
    slow     numbers of the runs (from 1, listing apart) that take 10 % longer
    slower   name of one that takes 20 % longer
    counts   whether it takes --benchmark_min_time=<N>x; True
    unheard  a main of its own with library 1.7: a count is complained of, and the library's default runs instead
    own      arguments of its own, which must stand first
    here     [working folder, value of $MINE, value of $LC_ALL] that it asks for
    sleep_s  how long a run really takes; 0
    busy_s   how long it keeps a processor busy; 0
    at       {number of a run: "crash" | "hang" | "interrupt" | "error" | "nan" | "zero" | "empty" | "replace" | "fill" | "eat"},
             "*" for every run
    regex    takes the filter as an expression; else it must be ^NAME$, or several with | between
    moody    lists other names each time
    says     lines that it prints before the names
    start_s  how long it takes to start
    label    the label of each benchmark
    counters counters of each benchmark
    daemon   leaves a process of its own session behind, which holds its streams
    flood    bytes that it writes to standard output, in a run and when it lists

It imports next to nothing, because most of a test's time is the start of this program.
"""

import os
import sys
import time

HERE = os.path.realpath(__file__)
SIGINT, SIGABRT = 2, 6


def next_run(kind):
    """Counts the runs of this program in a file beside it."""
    file = f"{HERE}.{kind}"
    number = 1
    if os.path.exists(file):
        with open(file) as stream:
            number = int(stream.read()) + 1
    with open(file + ".new", "w") as stream:  # whole or not at all: a test may kill this program at any moment
        stream.write(str(number))
    os.replace(file + ".new", file)
    return number


def parse(words):
    own = SETTINGS.get("own", [])
    if words[:len(own)] != own:
        sys.exit(f"wants {own}")
    if SETTINGS.get("here", HERE) not in (HERE, [os.getcwd(), os.environ.get("MINE"), os.environ.get("LC_ALL")]):
        sys.exit("not here")
    words = words[len(own):]
    flags = {}
    for word in words:
        name, _, value = word.partition("=")
        if not name.startswith("--benchmark_"):
            sys.exit(f"unknown flag: {word}")
        flags[name[len("--benchmark_"):]] = value
    return flags


def count_of(min_time):
    """Iterations of --benchmark_min_time: of 7x exactly 7; of 0.05 what takes 0.05 s."""
    if min_time.endswith("x"):
        if SETTINGS.get("unheard"):
            sys.stderr.write(f'The value of flag --benchmark_min_time is expected to be a double, but actually has value "{min_time}".\n')
            return 500
        if not SETTINGS.get("counts", True):
            sys.exit(f'The value of flag --benchmark_min_time is expected to be a double, but actually has value "{min_time}".')
        return int(min_time[:-1])
    return max(1, round(float(min_time.rstrip("s") or 0) * 1000 / SETTINGS.get("ms", 1.0)))


def flood():
    for _ in range(SETTINGS.get("flood", 0) >> 20):
        os.write(1, b"y" * (1 << 20))


def misbehave(deed):
    if deed == "crash":
        os.kill(os.getpid(), SIGABRT)
    if deed == "hang":
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    if deed == "fill":  # the disk that its temporary files are on
        try:
            with open(os.environ["TMPDIR"] + "/../filling", "wb", buffering=0) as stream:
                while stream.write(b"x" * 1000):
                    pass
        except OSError:
            sys.exit(3)
    if deed == "eat":
        bytearray(400_000_000)
    if deed == "replace":  # as a linker does it: a new file under the old name
        with open(HERE) as old, open(HERE + ".new", "w") as new:
            new.write(old.read() + "# built anew\n")
        os.chmod(HERE + ".new", 0o755)
        os.replace(HERE + ".new", HERE)
    if deed == "interrupt":
        os.kill(os.getppid(), SIGINT)
        time.sleep(600)


def result(name, number, iterations, deed, repetition=0):
    if deed == "error":
        return '{"name": "%s", "error_occurred": true, "error_message": "no such file"}' % name
    noise = SETTINGS.get("noise", 0.005) * (number * 7919 % 1000 / 500 - 1)  # -1 to 1
    ms = SETTINGS.get("ms", 1.0) * (1 + noise) * (1.1 if number in SETTINGS.get("slow", []) else 1)
    ms *= 1.2 if name == SETTINGS.get("slower") else 1
    ms *= SETTINGS.get("batches", [1 + repetition / 100] * (repetition + 1))[repetition]
    if deed == "zero":
        ms = 0
    more = "".join(f'"{name}": {value}, ' for name, value in SETTINGS.get("counters", {}).items())
    more += f'"label": "{SETTINGS["label"]}", ' if "label" in SETTINGS else ""
    return ('{"name": "%s", "run_name": "%s", "run_type": "iteration", "iterations": %d, "real_time": %s, "cpu_time": %r, '
            '%s"time_unit": "ms"}' % (name, name, iterations, "nan" if deed == "nan" else repr(ms), ms, more))


def found_by(expression, name):
    if SETTINGS.get("regex"):
        import re
        return re.search(expression, name)
    around = len(expression[1:]) - len(expression[1:].lstrip("("))  # pairs of parentheses, which mean nothing
    return f"^{'(' * around}{name}{')' * around}$" in expression.split("|")


def listed(expression, names):
    """As the library does it: a leading - excludes, and an invalid expression lists nothing and ends well."""
    if expression == "^":
        return names
    import re
    try:
        pattern = re.compile(expression.removeprefix("-"))
    except re.error as error:
        sys.stderr.write(f"Could not compile benchmark re: {error}\n")
        sys.exit(0)
    return [name for name in names if bool(pattern.search(name)) != expression.startswith("-")]


def main():
    time.sleep(SETTINGS.get("start_s", 0))
    flags = parse(sys.argv[1:])
    iterations = count_of(flags.get("min_time", "0.5"))
    names = SETTINGS.get("names", ["one"])
    flood()
    if "list_tests" in flags:
        mood = next_run("listed")
        names = [f"{name}{mood}" if SETTINGS.get("moody") else name for name in names]
        found = listed(flags["filter"], names)
        for line in SETTINGS.get("says", []) + found:
            print(line)
        if not found:
            sys.stderr.write(f"Failed to match any benchmarks against regex: {flags['filter']}\n")
        return
    number = next_run("runs")
    if SETTINGS.get("daemon") and os.fork() == 0:
        os.setsid()
        time.sleep(5)
        os._exit(0)
    deeds = SETTINGS.get("at", {})
    deed = deeds.get(number, deeds.get("*", ""))
    misbehave(deed)
    time.sleep(SETTINGS.get("sleep_s", 0))
    while time.process_time() < SETTINGS.get("busy_s", 0):
        pass
    repetitions = range(int(flags.get("repetitions", "1")))
    found = [result(name, number, iterations, deed, one) for name in names if found_by(flags["filter"], name) for one in repetitions]
    with open(flags["out"], "w") as stream:
        stream.write("" if deed == "empty" else '{"benchmarks": [%s]}' % ", ".join(found))


main()
