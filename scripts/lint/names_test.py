"""No two types of the harness share a name: where both are linked into one program, the linker keeps one's functions for both."""

import collections
import pathlib
import re

HARNESS = pathlib.Path(__file__).parent.parent.parent / "harness"
# Comments and texts go, so that only the code's own braces and words are seen.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
SCOPE = re.compile(r"[;{}]")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(\w+)(?:\s+final)?\s*(?::[^:].*)?$", re.DOTALL)


def types_of(text):
    """Types defined directly in the namespace cliffbench: none of an unnamed namespace, of a class or of a function."""
    code = NO_CODE.sub(" ", re.sub(r"^\s*#[^\n]*", "", text, flags=re.MULTILINE))
    scopes, start = [], 0
    for mark in SCOPE.finditer(code):
        before, start = code[start:mark.start()].strip(), mark.end()
        if mark[0] == "}":
            scopes.pop()
        elif mark[0] == "{":
            if scopes == ["namespace cliffbench"] and (defined := TYPE.search(before)):
                yield defined[1]
            scopes.append(" ".join(before.split()))


def test_a_type_s_name_is_its_own():
    places = collections.defaultdict(set)
    for path in sorted(HARNESS.rglob("*.[ch]pp")):
        for name in types_of(path.read_text()):
            places[name].add(path.relative_to(HARNESS).as_posix())
    assert {"Row", "Process", "Interval", "GateFinding", "Metric", "Status"} <= set(places), "types that are there were not seen"
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert not twice, twice


def test_what_is_seen_as_a_type_of_the_namespace():
    text = '''
namespace cliffbench {
struct Forward;
struct Plain { struct Inner {}; enum class Mode { on }; };  // struct Comment {
enum class Word : int { one };
class Derived final : public other::Base { void f() { struct Local {}; } };
template <typename T> struct Table { T t; };
template <> struct Table<int> {};
namespace { struct Hidden {}; }
namespace detail { struct Deeper {}; }
const char* text = "struct Text {";
Plain made() { return Plain{}; }
}  // namespace cliffbench
struct Outside {};
'''
    assert list(types_of(text)) == ["Plain", "Word", "Derived", "Table"]
