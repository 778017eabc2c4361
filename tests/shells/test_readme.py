"""The first page is true: its commands are run as a stranger would paste them."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_, REVIEW, ASK, NEW_TEAM = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
ACTIVATE = "source .venv/bin/activate"
HERE = f'source "{sys.prefix}/bin/activate"'
"""The same where the tests run from another environment than the checkout's own."""


def paste(text: str, *, at: Path) -> "subprocess.CompletedProcess[str]":
    """Run the lines of a block in a fresh shell that knows no environment yet."""
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    return subprocess.run(
        ["/bin/bash", "-e", "-o", "pipefail", "-c", text],
        cwd=at,
        env={**environment, "PATH": os.defpath},
        capture_output=True,
        check=False,
        text=True,
    )


def test_the_review_writes_what_the_page_shows() -> None:
    """The page quotes how the report begins."""
    done = paste(REVIEW.replace(ACTIVATE, HERE), at=ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
    bad, worst, first = done.stdout.splitlines()[:3]
    if bad[:1].isdigit():  # a reader of English
        assert all(text[:39] in README for text in (bad, worst, first))
    assert (ROOT / "review" / "report.html").exists()


def test_the_commands_that_ask_are_answered() -> None:
    """In the order of the page, in one shell."""
    assert ASK.startswith(ACTIVATE)
    done = paste(ASK.replace(ACTIVATE, HERE), at=ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("\nok · ") + done.stderr.startswith("ok · ") == 3
    for told in ("PAT_NM", "governance", "Usage: minerva "):
        assert told in done.stdout


def test_a_new_team_is_installed_as_the_page_says(tmp_path: Path) -> None:
    """The command itself prints the same lines, from beside the checkout."""
    checkout = tmp_path / "minerva"
    (checkout / "platform" / "minerva_platform").mkdir(parents=True)
    (checkout / "teams").mkdir()
    new, install, tests, check = (line.partition("  ")[0] for line in NEW_TEAM.splitlines())
    done = paste(f"{HERE}\n{new}", at=checkout)

    assert done.returncode == 0, done.stderr
    assert f"\n  {install}\n  {tests}\n  {check}\n" in done.stdout
    assert (checkout / install.split()[-1] / "pyproject.toml").exists()
