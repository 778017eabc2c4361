"""`minerva new team`: what it writes passes its own tests before anybody changed a line."""

import re
import subprocess
import sys
from pathlib import Path


def test_it_passes_its_own_tests_as_it_is(tmp_path: Path) -> None:
    """Before it is installed anywhere, and without a warning about somebody else's settings."""
    project = tmp_path / "made"
    minerva = Path(sys.executable).with_name("minerva")
    subprocess.run([minerva, "new", "team", "field_ops", "--dir", project], check=True)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)]
    done = subprocess.run(command, cwd=project, capture_output=True, check=False, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\n\d+ passed in ", done.stdout)
    assert done.stderr == ""
