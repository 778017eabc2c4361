"""Refuse a request about names that the code does not have, instead of an empty answer."""

from collections.abc import Iterator, Sequence
from typing import Final

from minerva_insilico.core.facts.errors import NameKind, UnknownNameError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.name_question import NameQuestion, QuestionKind
from minerva_insilico.core.queries.nearest import is_known, unknown

_ABOUT_NAMES: Final[frozenset[QuestionKind]] = frozenset(
    {"callees", "callers", "definition", "importers", "imports", "uses"}
)
"""Questions in which a word in the place of a name is taken for one."""
_NAME_KINDS: Final[dict[QuestionKind, NameKind]] = {
    "callees": "symbol",
    "callers": "symbol",
    "importers": "module",
    "imports": "module",
}
"""The kind of thing that a question takes a name for. Elsewhere it may be any kind."""


OF_SYMBOLS: Final[frozenset[QuestionKind]] = _ABOUT_NAMES - {"uses"}
"""Questions that are never about a column of a schema, which the code need not have."""


def refuse_unknown(
    index: Index, question: NameQuestion, names: Sequence[str], *, is_found: bool
) -> None:
    """Refuse a question all of whose names the code does not have.

    Args:
        index: The code.
        question: The kind of question.
        names: The names that it is about.
        is_found: True if its words were found, but not as names.

    Raises:
        UnknownNameError: it names the first of them, and what is nearest to it.
    """
    if question.phrases or question.kind == "text":
        return
    if not names and not is_found and question.kind in _ABOUT_NAMES:
        names = question.missing
    if names and not any(is_known(index, name) for name in names):
        raise unknown(index, _NAME_KINDS.get(question.kind, "name"), names[0])


def unknown_among(
    index: Index, question: NameQuestion, names: Sequence[str]
) -> Iterator[UnknownNameError]:
    """Yield an error for each name that the code does not have, beside some that it has."""
    if question.kind != "text":
        for name in dict.fromkeys((*names, *question.missing)):
            if not is_known(index, name):
                yield unknown(index, _NAME_KINDS.get(question.kind, "name"), name)
