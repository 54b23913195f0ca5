"""The page in a real browser (make test-all installs one)."""

import shutil
import subprocess

import pytest

from report import load, render
from report.report_test import folder  # noqa: F401  (a fixture)

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0"]


@pytest.mark.skipif(not BROWSER, reason="no Chromium here; make test-all installs it")
def test_the_page_opens_from_disk_without_complaint(folder, tmp_path):  # noqa: F811
    page = render.write(load.load(folder), folder)
    shown = subprocess.run([BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
                           capture_output=True, text=True, timeout=120)
    assert shown.stdout.count("<figure>") == 4 and "1 of 1 claim holds." in shown.stdout
    assert "CONSOLE" not in shown.stderr
