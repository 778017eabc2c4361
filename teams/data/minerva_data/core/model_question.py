"""What a model is asked about: the names that the glossary could not resolve, each text once.

Names and the heads of comments only. A schema of any size costs a fixed number of calls; how
many names were left out is told.
"""

import json
from collections.abc import Iterator, Sequence

from minerva_data.core.proposing.proposal import Proposal
from minerva_data.core.query import item_to_query
from minerva_data.core.record import Item, Reason, Recommended, Value
from minerva_data.core.text import key

BATCH = 40
"""Names in one call."""
MOST_CALLS = 3
"""Calls for the unresolved names of one request; none follows one that failed."""

_ASKED: frozenset[Reason] = frozenset({"unknown_words", "refused"})
_PLACES = 5
_LONGEST = 200


class Open(Value):
    """A text that is not resolved, what in it is unknown, and the items that have it."""

    text: str
    parts: tuple[str, ...]
    places: tuple[str, ...]
    indexes: tuple[int, ...]

    @property
    def key(self) -> str:
        """The text without spaces and case."""
        return key(self.text)

    def misses(self, word: str) -> bool:
        """Tell whether `word` (a key) is, holds or is held by one of the unknown parts."""
        return any(part in word or word in part for part in map(key, self.parts))


class Question(Value):
    """What to ask, of `total` texts; `waiting` are proposals made earlier for some of them."""

    opens: tuple[Open, ...] = ()
    total: int = 0
    truncated: bool = False
    waiting: tuple[Proposal, ...] = ()
    rejected: int = 0
    """Texts that are not asked about, since a person rejected the word that they lack."""

    @property
    def batches(self) -> Iterator[tuple[Open, ...]]:
        """The texts, as many as one call holds at a time."""
        return (self.opens[i : i + BATCH] for i in range(0, len(self.opens), BATCH))


def question(items: Sequence[Recommended], known: Sequence[Proposal]) -> Question:
    """Return what to ask about `items`, without what is proposed or rejected already."""
    opens = _unresolved(items)
    words = [one for one in known if one.kind == "word" and one.status != "accepted"]
    asked: list[Open] = []
    waiting: dict[str, Proposal] = {}
    rejected = 0
    for one in opens:
        mine = [word for word in words if word.key in one.key and one.misses(word.key)]
        waiting.update({word.id: word for word in mine if word.status == "proposed"})
        if not _is_covered(one, mine):
            asked.append(one)
        elif all(word.status == "rejected" for word in mine):
            rejected += 1
    most = BATCH * MOST_CALLS
    return Question(
        opens=tuple(asked[:most]),
        total=len(opens),
        truncated=len(asked) > most,
        waiting=tuple(waiting.values()),
        rejected=rejected,
    )


def batch_to_prompt(batch: Sequence[Open]) -> str:
    """Return the texts of one call as JSON, each with its number and what is unknown in it."""
    asked = [
        {"number": number, "name": one.text[:_LONGEST], "unknown": one.parts}
        for number, one in enumerate(batch, start=1)
    ]
    return json.dumps(asked, ensure_ascii=False)


def _is_covered(one: Open, words: Sequence[Proposal]) -> bool:
    keys = [word.key for word in words]
    parts = [key(part) for part in one.parts]
    return all(any(part in word or word in part for word in keys) for part in parts)


def _unresolved(items: Sequence[Recommended]) -> list[Open]:
    found: dict[str, Open] = {}
    for index, recommended in enumerate(items):
        if recommended.best is not None or recommended.reason not in _ASKED:
            continue
        text = item_to_query(recommended.item).text
        known = found.get(key(text))
        if known is None:
            place = (_place(recommended.item, text),)
            parts = recommended.unresolved_parts
            found[key(text)] = Open(text=text, parts=parts, places=place, indexes=(index,))
            continue
        places = (*known.places, _place(recommended.item, text))[:_PLACES]
        more = {"places": places, "indexes": (*known.indexes, index)}
        found[key(text)] = known.model_copy(update=more)
    return list(found.values())


def _place(item: Item, text: str) -> str:
    """Return where a text stands: `TB_PATIENT.QNTM: 환자양자상태`, or the text alone."""
    where = ".".join(part for part in (item.table, item.name) if part)
    said = where if where == text else f"{where}: {text}"
    return " ".join(said.split())[:_LONGEST]
