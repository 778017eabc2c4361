"""Each command finds the function that does its work, which takes the command's own options."""

import inspect
from collections.abc import Iterator
from typing import get_type_hints

import pytest

from minerva_platform.cli.io.command import Options, find_work
from minerva_platform.cli.main import app


def commands(kind: type[Options] = Options) -> Iterator[type[Options]]:
    """Yield the options of each command."""
    for below in kind.__subclasses__():
        if hasattr(below, "work"):
            yield below
        yield from commands(below)


@pytest.mark.parametrize("options", [*commands()], ids=lambda options: options.__name__)
def test_the_work_of_a_command_takes_its_options(options: type[Options]) -> None:
    """The function is named by a text, which no type checker follows."""
    assert app.registered_commands
    work = find_work(options)
    (name,) = inspect.signature(work).parameters

    assert issubclass(options, get_type_hints(work)[name])
