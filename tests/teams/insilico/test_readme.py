"""The README is true: its examples run as a newcomer would paste them."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico.command.code import app

README = Path(__file__).parents[3] / "teams" / "insilico" / "README.md"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tree is indexed; the example asserts what came of it."""
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)

    exec(compile(example, README.name, "exec"), {})  # noqa: S102  # our own README


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of the README, on a shop without cycles, ends well and says something."""
    monkeypatch.chdir(tmp_path)
    Path("shop").mkdir()
    Path("shop/till.py").write_text("import ledger\n\n\ndef total(prices): return sum(prices)\n")
    Path("shop/ledger.py").write_text("def book(p): ...\n")
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]

    for line in filter(None, lines):
        program, command, *arguments = shlex.split(line)
        assert (program, command) == ("minerva", "code")
        done = CliRunner().invoke(app, arguments)
        assert (line, done.exit_code, done.exception) == (line, 0, None)
        assert done.stdout
