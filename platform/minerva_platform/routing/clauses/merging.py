"""Merge the pieces of a request into clauses by what the members say about them.

Each run of pieces has a score for each member. The best division of the request is the one whose
clauses their members know best, less a price for each change of the member. So a list of nouns of
one member stays whole, an object that two verbs share stays with both, and a wish is cut off only
where somebody else, or nobody, clearly knows it better.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from minerva_platform.routing.clauses.splitting import Piece

MAX_CLAUSE_CHARACTERS: Final = 300
"""Characters of several pieces that are read as one clause. Longer ones are pasted text."""

_GROWTH: Final = 0.5
"""A clause's score counts by its words to this power: long ones say more, but repeat themselves."""
_CHANGE: Final = 0.09
"""The price of a change of the member, for each unit of the request's weight."""

Label = str | None
"""A member, or None for nobody."""


class Clause(NamedTuple):
    """A run of pieces, and whom it is for."""

    text: str
    label: Label


class Known(NamedTuple):
    """The scores of a run of pieces, and whether its own words name a subject."""

    scores: Mapping[Label, float]
    names_subject: bool = True


class _Path(NamedTuple):
    value: float
    clauses: tuple[Clause, ...]


def merge(pieces: Sequence[Piece], know: Callable[[str, bool], Known]) -> list[Clause]:
    """Return the clauses of the best division. Neighbours may have the same label.

    `know` scores a run of pieces; its second argument is True if the run stands by itself, so that
    it could be nobody's. A run that names no subject has the label of the one before.
    """
    change = _CHANGE * sum(_weight(piece.text) for piece in pieces)
    ends: list[dict[Label, _Path]] = [{} for _ in range(len(pieces) + 1)]
    for end in range(1, len(pieces) + 1):
        for start in reversed(range(end)):
            text = "".join(piece.text for piece in pieces[start:end])
            if end - start > 1 and len(text) > MAX_CLAUSE_CHARACTERS:
                break
            is_bound = pieces[start].is_bound or (end < len(pieces) and pieces[end].is_bound)
            known = know(text, not is_bound)
            for label, score in known.scores.items():
                before = _before(ends[start], label, known, change) if start else _Path(0.0, ())
                if before is None:
                    continue
                counted = score if known.names_subject else max(score, 0.0)
                value = before.value + _weight(text) * counted
                if label not in ends[end] or value > ends[end][label].value:
                    ends[end][label] = _Path(value, (*before.clauses, Clause(text, label)))
    best = max(ends[-1].values(), key=lambda path: path.value)
    return list(best.clauses)


def _before(
    paths: Mapping[Label, _Path], label: Label, known: Known, change: float
) -> _Path | None:
    """Return the best way to a clause of `label`, with the price of the change."""
    if not known.names_subject:
        return paths.get(label)
    ways = [
        path if other == label else path._replace(value=path.value - change)
        for other, path in paths.items()
    ]
    return max(ways, key=lambda path: path.value, default=None)


def joined(clauses: Sequence[Clause]) -> list[Clause]:
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
