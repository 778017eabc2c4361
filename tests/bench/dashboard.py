"""How soon each page of the dashboard is there on a large log, in a real browser.

The log has 250,000 rows (100 MB). The server reads it while the first page waits; the others are
asked of what was read. Seconds until a page shows its figures; the targets are 30 for the first
page and 5 for each other one.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from _generated_log import write_log
from playwright.sync_api import Page, sync_playwright

ROWS: Final = 250_000
MINERVA: Final = str(Path(sys.executable).with_name("minerva"))
PAGES: Final = ("/agents", "/calls", "/routing?arm=control", "/failures", "/runs?order=slowest")
FILLED: Final = (
    "document.querySelector('.foot span') && !document.querySelector('.panels .skeleton')"
    " && document.querySelector('.panels tbody tr, .waterfall, .question')"
)


@contextmanager
def served(source: Path) -> Generator[str]:
    """Run `minerva dashboard`; give its address."""
    command = [MINERVA, "dashboard", "--port", "0", "--source", str(source)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found
        yield found[0].rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def newest_run(path: Path) -> str:
    """Return the id of the last run in the log."""
    with path.open("rb") as file:
        file.seek(-10_000, os.SEEK_END)
        return str(json.loads(file.read().splitlines()[-1])["run_id"])


def seconds_until_filled(page: Page, url: str) -> float:
    """Return how long a page takes to show its figures."""
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_function(FILLED)
    return time.perf_counter() - began


def main() -> int:
    """Print a line for each page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("chromium is not installed; type: apt-get install chromium")
        return 1
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        log = Path(folder) / "runs.jsonl"
        write_log(log, ROWS)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        with served(Path(folder)) as site:
            for path in ("/", *PAGES, f"/runs/{newest_run(log)}"):
                print(f"{path[:40]:<42}{seconds_until_filled(page, site + path):>6.2f} s")
        browser.close()
    return 0
