"""Wrong words on the command line: every option of every verb with values that are none. Nothing may start."""

from attempt import Attempt, must_refuse

EMPTY_AND_ODD = ["", " ", "-", "../../..", "x" * 5000, "grün\n", "\x1b[31m", "/dev/null/x", "nowhere", "%s%n"]
NUMBERS = ["", "nan", "inf", "-inf", "-1", "1e400", "9" * 30, "1,5", "1.5.2", "ten", "1 2", "--", "٣"]
WHOLE = NUMBERS + ["1.5", "-0"]
COUNTS = WHOLE + ["0", "100001"]
TIMES = NUMBERS + ["0", "0s", "-5s", "5 parsecs", "nans", "1e999h", "s"]
SIZES = NUMBERS + ["0", "-5MB", str(2**64), "12QB", "1e30GB"]
SHARDS = ["", "0/2", "3/2", "1", "1/", "/1", "1/0", "-1/2", "1/9999999999", "a/b", "1/2/3", "nan/nan"]
CLAIMS = ["", "x", "steady fast ratio", "steady fast ratio >= ", "steady fast ratio >= nan", "steady fast luck >= 2",
          "steady slow ratio >= 2", "steady fast ratio at m=1 >= 2", "steady fast ratio at n=3 >= 2", "other fast ratio >= 2",
          "steady fast ratio >= 2 <= 1", "steady fast exponent >= 1", "steady fast share of nothing >= 1", "≥", "a" * 20000,
          "steady fast ratio >= inf", "steady fast ratio at n=1,n=2 >= 2", "steady fast ratio >= -inf"]
EXPRESSIONS = ["(" * 20000 + ")" * 20000, "[", "(", "*", "a{99999999}", "\\", "(?<=x)y", "[[:nothing:]]", "x{2,1}", "nothing like it"]
FOLDERS = EMPTY_AND_ODD + ["/etc/passwd", "/dev/null", "/dev/zero", "/proc/self/mem"]
UNWRITABLE = ["", "/dev/null", "/dev/full", "/proc/x", "/etc/passwd", "/nowhere/x", "x" * 5000, "\0"[:0]]


def table(material):
    """(words before, option, values that are none)"""
    case, base, head, run, gate = material.case, material.base, material.head, material.run, material.gate
    run_words, gate_words = ["run", case], ["gate", "--base", base, "--head", head]
    yield run_words, "--rounds", COUNTS
    yield run_words, "--seed", WHOLE
    yield run_words, "--limit", TIMES
    yield run_words, "--memory-limit", SIZES
    yield run_words, "--budget", TIMES
    yield run_words, "--profile", EMPTY_AND_ODD + ["quik"]
    yield run_words, "--axis", EMPTY_AND_ODD + ["n", "n=", "=1", "n=3", "m=1", "n=1,n=2", "n=1,,2"]
    yield run_words, "--variant", EMPTY_AND_ODD + ["fats", "baseline,,fast"]
    yield run_words, "--out", UNWRITABLE
    yield ["run", case], "--resume", FOLDERS
    yield ["run", case], "--plan", FOLDERS
    yield ["run", case, "--plan", material.plan], "--shard", SHARDS
    yield ["run"], None, FOLDERS
    yield ["plan", case, "--out", "plan.json"], "--rounds", COUNTS
    yield ["plan", case, "--out", "plan.json"], "--axis", EMPTY_AND_ODD + ["n=3"]
    yield ["plan", case], "--out", UNWRITABLE
    yield gate_words, "--budget", TIMES
    yield gate_words, "--limit", TIMES
    yield gate_words, "--batch", TIMES + ["2h"]
    yield gate_words, "--metric", EMPTY_AND_ODD + ["time"]
    yield gate_words, "--instructions", EMPTY_AND_ODD + ["sometimes"]
    yield gate_words, "--seed", WHOLE
    yield gate_words, "--filter", ["", *EXPRESSIONS]
    yield gate_words, "--out", UNWRITABLE
    yield gate_words, "--resume", FOLDERS
    yield ["gate"], "--from", FOLDERS
    yield ["gate", "--head", head], "--base", FOLDERS
    yield ["gate", "--base", base], "--head", FOLDERS
    yield ["compare", "true", "true"], "--budget", TIMES
    yield ["compare", "true", "true"], "--limit", TIMES
    yield ["compare", "true", "true"], "--metric", EMPTY_AND_ODD + ["instructions"]
    yield ["compare", "true", "true"], "--resume", FOLDERS
    yield ["compare", "true", "true"], "--out", UNWRITABLE
    yield ["compare", "true"], None, [""]
    yield ["compare"], None, ["", "true"]
    yield ["judge"], None, FOLDERS
    yield ["judge", run], "--claim", CLAIMS
    yield ["list"], None, FOLDERS
    yield ["status"], None, FOLDERS
    yield ["merge", run, "--out", "merged"], None, FOLDERS
    yield ["merge", run], "--out", UNWRITABLE
    yield ["merge", "--out", "merged"], None, FOLDERS
    yield ["schema"], None, FOLDERS
    for verb in ("run", "plan", "judge", "gate", "compare", "list", "status", "merge", "report", "doctor", "schema"):
        yield [verb], None, ["--nonsense", "--nonsense=1", "-x"]
    yield [], None, EMPTY_AND_ODD + ["jugde", "--profil", "RUN"]
    yield ["gate", "--from", gate], "--base", [str(base)]


def attempts(material, _seed):
    for before, option, values in table(material):
        for value in dict.fromkeys(values):
            words = [*before, *([option] if option else []), value]
            name = " ".join(str(word)[:40] for word in ([words[0] if words else "", option or ""] + [repr(value)[:50]]))

            def act(place, words=words):
                return must_refuse_only(place, place.call(*words))
            yield Attempt("words", name, act)


def must_refuse_only(place, result):
    """Refused, and nothing was begun: no row anywhere."""
    rows = [path for path in place.work.rglob("rows.jsonl") if path.stat().st_size]
    if rows:
        return f"exit {result.code}, and trials were started"
    return must_refuse(result)
