"""The sinks that a rule may forbid, and the other names that they have."""

from typing import Final

SINKS: Final = ("log", "print", "exception", "file", "http", "queue", "template")
"""Where values may go: a log, the terminal, the text of an exception, a file, another service by
HTTP, a queue, an answer or a page."""

ALIASES: Final = {"logging": "log", "stdout": "print", "stderr": "print"}
"""Names that policies and the code search have used since their first version."""


def sink_name(name: str) -> str:
    """Return the one name of a sink: `log` for `logging`."""
    return ALIASES.get(name, name)


def is_sink(name: str) -> bool:
    """True if a rule may forbid it."""
    return sink_name(name) in SINKS
