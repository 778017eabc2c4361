"""Merge the pieces of a request into clauses by what the members say about them.

Each run of pieces has a score for each member. The best division of the request is the one whose
clauses their members know best, less a price for each change of the member. So a list of nouns of
one member stays whole, an object that two verbs share stays with both, and a wish is cut off only
where somebody else, or nobody, clearly knows it better.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

from minerva_platform.routing.clauses.content_words import names_subject, thing_stems
from minerva_platform.routing.clauses.splitting import Piece, words_of_clause
from minerva_platform.text.grammar import commands_en, is_mere_name

MAX_CLAUSE_CHARACTERS: Final = 300
"""Characters of several pieces that are read as one clause. Longer ones are pasted text."""

_GROWTH: Final = 0.5
"""A clause's score counts by its words to this power: long ones say more, but repeat themselves."""
_CHANGE: Final = 0.15
"""The price of a change of the label, for each unit of the request's weight."""

_LIST_BEFORE: Final = re.compile(r"(?:[,，·\n]|[가-힣](?:와|과|랑|하고))\s*$")
_LIST_AFTER: Final = re.compile(r"\s*(?:및|그리고|and|or)\s", re.IGNORECASE)
"""What stands between the names of a list."""

Label = str | None
"""A member, or None for nobody."""


class Clause(NamedTuple):
    """A run of pieces, and whom it is for."""

    text: str
    label: Label


class _Path(NamedTuple):
    value: float
    clauses: tuple[Clause, ...]


def merge(
    pieces: Sequence[Piece], know: Callable[[str, bool], Mapping[Label, float]]
) -> list[Clause]:
    """Return the clauses of the best division. Neighbours may have the same label.

    `know` scores a run of pieces for each label; its second argument is True if the run stands by
    itself, so that it could be nobody's.
    """
    price = _CHANGE * sum(_weight(piece.text) for piece in pieces)
    ends: list[dict[Label, _Path]] = [{} for _ in range(len(pieces) + 1)]
    for end, is_apart in product(range(1, len(pieces) + 1), (False, True)):
        if ends[end]:
            continue  # a list that is too long for one clause is taken apart
        for start in reversed(range(end)):
            text = "".join(piece.text for piece in pieces[start:end])
            if end - start > 1 and len(text) > MAX_CLAUSE_CHARACTERS:
                break
            is_bound = pieces[start].is_bound or (end < len(pieces) and pieces[end].is_bound)
            for label, score in know(text, not is_bound).items():
                is_listed = pieces[start].is_listed and not is_apart
                before = _before(ends[start], label, price, in_list=is_listed)
                if before is None:
                    continue
                value = before.value + _weight(text) * score
                if label not in ends[end] or value > ends[end][label].value:
                    ends[end][label] = _Path(value, (*before.clauses, Clause(text, label)))
    return list(max(ends[-1].values(), key=lambda path: path.value).clauses)


def _before(
    paths: Mapping[Label, _Path], label: Label, price: float, *, in_list: bool
) -> _Path | None:
    """Return the best way to a clause of `label`, with the price of a change.

    A list of names is one clause, as each name alone says too little.
    """
    if not paths:
        return _Path(0.0, ())
    ways = (
        path if other == label else path._replace(value=path.value - price)
        for other, path in paths.items()
        if other == label or not in_list
    )
    return max(ways, key=lambda path: path.value, default=None)


def with_subjects(pieces: Iterable[Piece]) -> list[Piece]:
    """Return `pieces`, each that names no subject joined to the one before (표로 정리해줘)."""
    result: list[Piece] = []
    for piece in pieces:
        if result and not names_subject(piece.text):
            result[-1] = result[-1]._replace(text=result[-1].text + piece.text)
        else:
            result.append(piece)
    return result


def with_lists(pieces: Iterable[Piece], details: Collection[str]) -> list[Piece]:
    """Return `pieces`, those of a list of names marked.

    A mere name asks for nothing: its verb stands at the end in Korean (`진단 코드, 환자 식별을
    표로`), mostly in front in English. What is asked of a name (`details`: the standard, the
    length) is a wish without a verb.
    """
    result: list[Piece] = []
    was_name = False
    for piece in pieces:
        text = words_of_clause(piece.text)
        is_name = is_mere_name(text) and thing_stems(text).isdisjoint(details)
        before = result[-1].text if result else ""
        goes_on = _LIST_BEFORE.search(before) is not None or _LIST_AFTER.match(piece.text)
        is_listed = is_name or (was_name and not commands_en(text.lower().split()))
        result.append(piece._replace(is_listed=bool(goes_on) and is_listed))
        was_name = is_name
    return result


def join_clauses(clauses: Iterable[Clause]) -> list[Clause]:
    """Return `clauses` with neighbours of one label made one."""
    found: list[Clause] = []
    for clause in clauses:
        if found and found[-1].label == clause.label:
            found[-1] = Clause(found[-1].text + clause.text, clause.label)
        else:
            found.append(clause)
    return found


def _weight(text: str) -> float:
    return float(max(1, len(re.findall(r"\w+", text))) ** _GROWTH)
