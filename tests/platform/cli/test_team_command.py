"""Commands that teams bring: listed without an import, loaded when typed, apart from each other."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import copies
import pytest

PROBE = (
    "import atexit, sys\n"
    "def tell(): print('loaded' if 'minerva_office' in sys.modules else 'not loaded')\n"
    "atexit.register(tell)\n"
    "from minerva_platform.cli import main; main()\n"
)
COMMAND = '''"""Commands of an office."""
import typer
from minerva_platform import RunError
from minerva_platform.cli_kit import say

app = typer.Typer(rich_markup_mode=None, add_completion=False)

@app.command("open")
def open_office(door: str) -> None:
    """Open a door."""
    say(f"{door} is open")

@app.command("close")
def close_office() -> None:
    """Close it."""
    raise RunError("The door is stuck. Push it, then type: minerva office close")
'''


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what installs a distribution with a command `office`, whose module is as given."""

    def install(module: str = COMMAND, *, package: str = "minerva_office") -> None:
        site = tmp_path / "site"
        metadata = site / f"{package}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(
            f"[console_scripts]\nnot-ours = x:y\n\n[minerva.commands]\noffice = {package}:app\n"
        )
        (site / f"{package}.py").write_text(module)
        monkeypatch.setenv("PYTHONPATH", str(site))

    return install


def minerva(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Start the command as people do."""
    return copies.run(
        [sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=False
    )


def test_help_lists_a_command_and_imports_nothing(office: Callable[..., None]) -> None:
    """Help must not cost what a team costs, and must work when the team does not."""
    office("raise RuntimeError")

    done = minerva("--help")

    assert done.returncode == 0
    assert "office" in done.stdout
    assert "A command of minerva-office." in done.stdout
    assert done.stdout.endswith("not loaded\n")


def test_a_command_runs_with_its_own_options(office: Callable[..., None]) -> None:
    """What is typed after the name is the team's business, help included."""
    office()

    assert "front is open" in minerva("office", "open", "front").stderr
    assert "Open a door." in minerva("office", "--help").stdout
    assert minerva("office", "opne").returncode == 2


def test_an_error_of_ours_is_said_in_plain_words(office: Callable[..., None]) -> None:
    """A team's command fails as every command does: one sentence, and 2."""
    office()

    done = minerva("office", "close")

    assert done.returncode == 2
    assert "minerva: The door is stuck." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_command_breaks_no_other(office: Callable[..., None]) -> None:
    """It is named with its place when it is typed; everything else goes on."""
    office('"""An office."""\nimport no_such_library\n')

    broken, well = minerva("office", "open"), minerva("runs")

    assert broken.returncode == 2
    assert "The command `office` (minerva_office:app) cannot be imported" in broken.stderr
    assert "no_such_library" in broken.stderr
    assert well.returncode == 0


def test_a_broken_command_prints_nothing_where_answers_go(office: Callable[..., None]) -> None:
    """Whatever its import does: a program reads that stream."""
    office('print("noise")\nraise SystemExit(0)')

    done = minerva("office", "open", "front")

    assert (done.returncode, done.stdout) == (2, "not loaded\n")
    assert "The command `office` (minerva_office:app) cannot be imported" in done.stderr
    assert "SystemExit: 0" in done.stderr


def test_check_tells_what_is_wrong_with_commands(office: Callable[..., None]) -> None:
    """Whoever installs a team learns it there, not from the first colleague who types it."""
    office("app = 3")

    done = minerva("check")

    assert done.returncode == 2
    assert "The entry point `office` (minerva_office:app) is no typer.Typer." in done.stderr


def test_a_name_brought_twice_is_nobody_s(office: Callable[..., None]) -> None:
    """Which one runs must not depend on the order of folders."""
    office()
    office(package="minerva_bureau")

    done = minerva("office", "open", "front")

    assert done.returncode == 2
    assert "brought twice, by `minerva_bureau:app` and `minerva_office:app`" in done.stderr
