"""A browser jumps from each statement to the same line of code, plain and patched."""

import html
import json
import re
import shutil
import subprocess

import pytest
from comparison import BUILD, PIPELINES, PYTHON, environment
from marks import EACH_HALIDE, NEEDS_HALIDE

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = NEEDS_HALIDE
LISTED = """
document.querySelectorAll(".jump-to-host-asm-btn").forEach(button => {
  const pane = document.getElementById("host-assembly-pane");
  const height = parseInt(getComputedStyle(document.getElementById("assemblyContent")).lineHeight, 10);
  pane.scrollTo = options => { jumps.push(lines[options.top / height - 1]); };
  button.click();
});
"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium (make test-all installs one)")
@EACH_HALIDE
def test_a_browser_jumps_to_the_same_lines(halide, tmp_path):
    seen = []
    for patched in (False, True):
        subprocess.run([*[BUILD / "halide-patched", "--"] * patched, PYTHON, "-c", PIPELINES + 'page(layer(), "one.html")'],
                       cwd=tmp_path, env=environment(halide), check=True)
        page = tmp_path / "one.html"
        script = ("<script>const jumps = []; const lines = document.querySelector('#assemblyContent pre')"
                  ".textContent.split('\\n'); window.addEventListener('load', () => {" + LISTED +
                  "document.title = JSON.stringify({jumps, statement: "
                  "document.getElementById('ir-code-pane').innerText});});</script>")
        page.write_text(page.read_text().replace("</body>", script + "</body>"))
        shown = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                                "--dump-dom", page.as_uri()], capture_output=True, text=True)
        title = re.search(r"<title>(.*?)</title>", shown.stdout, re.S)
        seen.append(json.loads(html.unescape(title.group(1))))
    for page in seen:
        page["jumps"] = [re.sub(r"BB\d+_|\s+", " ", line) for line in page["jumps"]]
        page["statement"] = re.sub(r"\s+", " ", page["statement"])
    assert seen[0]["jumps"] and all('%"' in line for line in seen[0]["jumps"])
    assert seen[0] == seen[1]
