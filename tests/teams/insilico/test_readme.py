"""The README is true: its example runs as a newcomer would paste it."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[3] / "teams" / "insilico" / "README.md"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tree is indexed; the example asserts what came of it."""
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)

    exec(compile(example, README.name, "exec"), {})  # noqa: S102  # our own README
