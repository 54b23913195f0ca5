"""Wrong words to the scripts, and checkouts in odd places: a sentence, exit 2, and nothing is begun."""

import random
import shutil

from attempt import Attempt, must_refuse
from material import ROOT
from text import unclean
from words import EMPTY_AND_ODD

SCRIPTS = ROOT / "scripts"
LINES = [["bootstrap"], ["bootstrap", "bench"], ["claims"], ["cross-macos"], ["cross/fetch"], ["fleet"], ["fleet", "."], ["fuzz"], ["fuzz", "1"],
         ["gate"], ["gate", "HEAD", "HEAD"], ["gate_demo"], ["halide-patched"], ["release"], ["sanitize"],
         ["slurm/collect"], ["slurm/judge"],
         ["slurm/submit", "1"], ["slurm/watch"], ["test"], ["test", "--quick"], ["test-arm"], ["validate"], ["version"], ["version", "commit"]]
PLACES = 20
NOTHING = {"NO_PACKAGES": "1"}
LETTERS = "ab1 '\"$;\\#:&()[]{}*?!~`|<>=+,@%^-_\n\tünï日"


def wrong_words(line, word):
    """In a copy that holds the scripts alone: what got further would have nothing to build."""
    def act(place):
        shutil.copytree(SCRIPTS, place.work / "scripts", symlinks=True, ignore=shutil.ignore_patterns("attack", "report", "__pycache__"))
        script, *words = line
        result = place.start([place.work / "scripts" / script, *words, word], env=NOTHING)
        return must_refuse(result) or unclean(place)
    return Attempt("setup", f"{' '.join(line)} {word[:40]!r}", act)


def odd_place(name):
    """Set-up in a folder of this name: done, or one sentence."""
    def act(place):
        scripts = place.work / name / "scripts"
        scripts.mkdir(parents=True)
        for file in ("bootstrap", "words.sh"):
            shutil.copy(SCRIPTS / file, scripts)
        result = place.start([scripts / "bootstrap", "format"], env=NOTHING)
        return ("" if result.code == 0 else must_refuse(result)) or unclean(place)
    return Attempt("setup", f"bootstrap in a folder {name!r}", act)


def attempts(_material, seed):
    for line in LINES:
        for word in EMPTY_AND_ODD:
            yield wrong_words(line, word)
    draw = random.Random(seed)
    for _ in range(PLACES):
        yield odd_place("a" + "".join(draw.sample(LETTERS, 5)))
