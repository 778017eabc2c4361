"""The tests that the page about payments gives to its readers, typed in as it says.

`make chaos` runs these; `make test` has the rest of the page, its race, and one kill, in
tests/platform/cli/test_payments_page.py.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "platform" / "docs" / "payments.md"
FILES = ("bank.py", "payments.py", "test_payments.py")


def test_the_page_s_own_tests_pass(tmp_path: Path) -> None:
    """They kill the run at every hop, and let two answers race."""
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        name = block.partition("\n")[0].removeprefix("# ")
        if name in FILES:
            (tmp_path / name).write_text(block, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
