"""README's blocks are run as pasted: in one shell, in order, and a line that fails or prints something else is named."""

import subprocess
import sys

import pytest
import readme

GOOD = """
```sh
mkdir -p place && cd place
word=here
false  # exit code 1: as it must
```
```yaml
no: command
```
```sh
echo "$word"; basename "$PWD"; echo "REGRESSION  0.8x [0.7, 0.9]   +19 %  parse"
```
prints
```text
here
REGRESSION      0.841x [0.838, 0.846]  -18.9 %  parse
```
```python
import sys
print(len(sys.argv))
```
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", ""),
        ("echo", "exit 3; echo", "the shell ended"),
        ("word=here", "word=there", "no line of the output is like: here"),
        ("here\nREG", "there\nREG", "no line of the output is like: there"),
        ("parse\n```\n```python", "sort\n```\n```python", "is like: REGRESSION"),
        ("false  #", "true  #", "ended with 0, not with 1"),
        ("import sys", "import nothing_like_it", "ended with 1, not with 0"),
    ],
)
def test_a_page_is_run_as_pasted(tmp_path, old, new, says):
    page = tmp_path / "page.md"
    page.write_text(GOOD.replace(old, new, 1) if old else GOOD)
    if not says:
        return readme.run_page(page, tmp_path)
    with pytest.raises(readme.NotSo, match=says):
        readme.run_page(page, tmp_path)


def test_shell_and_python_of_readme_are_apart_and_each_line_is_one():
    found = readme.blocks((readme.ROOT / "README.md").read_text())
    lines = [line for language, block in found if language == "sh" for line in block]
    assert {language for language, _ in found} == {"sh", "python", "text"}
    assert not [line for line in lines if "import " in line or "OWNER" in line]
    syntax = subprocess.run(["bash", "-n"], input="\n".join(lines), text=True, capture_output=True)
    assert (syntax.returncode, syntax.stderr) == (0, "")
    assert not [line for line in lines if len(line) > 104], "wider than its box on GitHub"


def test_the_stand_ins_are_those_that_readme_names(tmp_path):
    text = (readme.ROOT / "README.md").read_text()
    assert all(name in text for name in readme.STAND_INS)
    usage = subprocess.run([sys.executable, readme.__file__, "--nothing"], capture_output=True)
    assert usage.returncode == 2
