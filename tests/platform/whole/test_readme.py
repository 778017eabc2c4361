"""The README is true: its examples run, one after another, as a newcomer would paste them."""

import inspect
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[3] / "platform" / "README.md"


SERVED = "8123"
"""Stands in the one example that needs a server; `server/test_sdk.py` runs it."""

LED = "Members("
"""Stands in the one example that needs a model; `test_members.py` runs it."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a person's session holds after all examples that need no server, and what they said."""

    names: dict[str, Any]
    said: str


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Paste the examples, one after another, in a home of their own."""
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    examples = [example for example in examples if not (SERVED in example or LED in example)]
    names: dict[str, Any] = {"__name__": "readme"}
    with redirect_stdout(StringIO()) as said, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINERVA_HOME", str(tmp_path_factory.mktemp("readme")))
        for example in examples:
            exec(compile(example, README.name, "exec"), names)  # noqa: S102  # our own README
    return Session(names, said.getvalue())


@pytest.mark.slow
def test_the_examples_run_one_after_another(session: Session) -> None:
    """The worker, the wrapped function and the team all answer."""
    assert session.said.splitlines() == [
        "6 words",
        "3 words",
        "HELLO THERE",
        "a long text",
        "You have ten days.",
        "needs_human How much may I pay? {'to': 'Kim'}",
        "ok paid 12",
        "5 words",
        "3 words",
        "3 words",
        "ok {'office.word_count': {'words': 4}}",
        "printed: a short note",
        "printed: one page",
    ]


@pytest.mark.slow
def test_the_tests_among_the_examples_pass(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer's first test is a copy of one of them."""
    tests: dict[str, Callable[..., None]] = {
        name: value for name, value in session.names.items() if name.startswith("test_")
    }
    for name, test in tests.items():
        (tmp_path / name).mkdir()
        given = {"tmp_path": tmp_path / name, "monkeypatch": monkeypatch}
        test(**{key: given[key] for key in inspect.signature(test).parameters})

    assert list(tests) == [
        "test_the_worker_reads_its_files",
        "test_the_team_takes_what_is_attached",
        "test_a_function_reads_its_file",
    ]
