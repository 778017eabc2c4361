"""Refuse a request about names that the code does not have, instead of an empty answer."""

from collections.abc import Iterator, Sequence
from typing import Final

from minerva_insilico.core.facts.fault import NameKind, UnknownNameError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.nearest import is_known, unknown
from minerva_insilico.core.queries.question import Mode, Question

_ABOUT_NAMES: Final[frozenset[Mode]] = frozenset(
    {"callees", "callers", "definition", "importers", "imports", "uses"}
)
"""Modes in which a word in the place of a name is taken for one."""
_KINDS: Final[dict[Mode, NameKind]] = {
    "callees": "symbol",
    "callers": "symbol",
    "importers": "module",
    "imports": "module",
}
"""What a name is taken for in a mode; elsewhere it may be anything."""


OF_SYMBOLS: Final[frozenset[Mode]] = _ABOUT_NAMES - {"uses"}
"""Modes in which nobody means a column of a schema, which the code need not have."""


def refuse_unknown(
    index: Index, question: Question, names: Sequence[str], *, is_found: bool
) -> None:
    """Refuse a question all of whose names the code does not have.

    Args:
        index: The code.
        question: What is asked.
        names: The names that it is about.
        is_found: Whether its words were found without being names.

    Raises:
        UnknownNameError: it names the first of them, and what is nearest to it.
    """
    if question.phrases or question.mode == "text":
        return
    if not names and not is_found and question.mode in _ABOUT_NAMES:
        names = question.missing
    if names and not any(is_known(index, name) for name in names):
        raise unknown(index, _KINDS.get(question.mode, "name"), names[0])


def unknown_among(
    index: Index, question: Question, names: Sequence[str]
) -> Iterator[UnknownNameError]:
    """Yield an error for each name that the code does not have, beside some that it has."""
    if question.mode != "text":
        for name in dict.fromkeys((*names, *question.missing)):
            if not is_known(index, name):
                yield unknown(index, _KINDS.get(question.mode, "name"), name)
