"""The README is true: its examples run, one after another, as a newcomer would paste them."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "platform" / "README.md"


def test_the_examples_run_one_after_another(capsys: pytest.CaptureFixture[str]) -> None:
    """The worker, the wrapped function and the team all answer."""
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)

    session: dict[str, object] = {"__name__": "readme"}
    for example in examples:
        exec(compile(example, README.name, "exec"), session)  # noqa: S102  # our own README

    assert capsys.readouterr().out.splitlines() == [
        "3 words",
        "a long text",
        "HELLO",
        "ok {'office.word_count': {'words': 4}}",
    ]
