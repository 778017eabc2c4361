"""The README is true: its examples run as a newcomer would paste them."""

import importlib.util
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico.commands.code import app

Write = Callable[[str, Mapping[str, str | bytes]], Path]

README = Path(__file__).parents[3] / "teams" / "insilico" / "README.md"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tree is indexed; the example asserts what came of it."""
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)

    exec(compile(example, README.name, "exec"), {})  # noqa: S102  # our own README


SOURCES = {
    "shop/till.py": "import ledger\n\n\ndef total(prices): return sum(prices)\n",
    "shop/ledger.py": "def book(p): ...\n",
    "src/pkg/__init__.py": "",
    "src/README.md": "# Loading\n\nWhen to load by status.\n",
    "src/pkg/a.py": "SQL = 'SELECT status FROM TB_PATIENT'\n\n\n"
    "def load(p): warn(p, 1)\n\n\nclass Patient: ...\n",
    "src/pkg/b.py": "from pkg.a import load\n\n\ndef parse_date(p): return load(p.status)\n",
}


def test_the_commands_run(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of the README ends well and says something."""
    root = write("here", SOURCES)
    monkeypatch.chdir(root)
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]

    for line in filter(None, lines):
        program, command, *arguments = shlex.split(line)
        assert (program, command) == ("minerva", "code")
        done = CliRunner().invoke(app, arguments)
        if "pattern" in arguments and importlib.util.find_spec("ast_grep_py") is None:
            assert "minerva-team-insilico[pattern]" in str(done.exception)
        else:
            assert (line, done.exit_code, done.exception) == (line, 0, None)
            assert done.stdout != "Nothing was found.\n"
