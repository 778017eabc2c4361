"""What a model is asked about: the names that the glossary could not resolve, each text once.

Names and the heads of comments only. A schema of any size costs a fixed number of calls; the
answer says how many names were left out.
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from minerva_data.core.language.text import key
from minerva_data.core.lookup.query import item_to_query
from minerva_data.core.proposals.proposal import Proposal
from minerva_data.core.schema.record import Item, Reason, Recommended, Value

BATCH = 40
"""Names in one call."""
MAX_CALLS = 3
"""Calls for the unresolved names of one request; none follows one that failed."""

_ASKED_REASONS: frozenset[Reason] = frozenset({"unknown_words", "refused"})
_MAX_PLACES = 5
_MAX_CHARACTERS = 200


class OpenText(Value):
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
        """True if `word` (a key) is, holds or is held by one of the unknown parts."""
        return _meet(word, map(key, self.parts))


class ModelQuestion(Value):
    """What to ask, of `total` texts; `waiting` are proposals made earlier for some of them."""

    opens: tuple[OpenText, ...] = ()
    total: int = 0
    truncated: bool = False
    waiting: tuple[Proposal, ...] = ()
    rejected: int = 0
    """Texts that are not asked about, since a person rejected the word that they lack."""

    @property
    def batches(self) -> Iterator[tuple[OpenText, ...]]:
        """The texts, as many as one call holds at a time."""
        return (self.opens[i : i + BATCH] for i in range(0, len(self.opens), BATCH))


def model_question(items: Sequence[Recommended], earlier: Sequence[Proposal]) -> ModelQuestion:
    """Return what to ask about `items`, without what is proposed or rejected already."""
    opens = _open_texts(items)
    words = [(one.key, one) for one in earlier if one.kind == "word" and one.status != "accepted"]
    asked: list[OpenText] = []
    waiting: dict[str, Proposal] = {}
    rejected = 0
    for one in opens:
        text, parts = one.key, [key(part) for part in one.parts]
        mine = [(said, word) for said, word in words if said in text and _meet(said, parts)]
        waiting.update({word.id: word for _, word in mine if word.status == "proposed"})
        if not all(_meet(part, [said for said, _ in mine]) for part in parts):
            asked.append(one)
        elif all(word.status == "rejected" for _, word in mine):
            rejected += 1
    most = BATCH * MAX_CALLS
    return ModelQuestion(
        opens=tuple(asked[:most]),
        total=len(opens),
        truncated=len(asked) > most,
        waiting=tuple(waiting.values()),
        rejected=rejected,
    )


def batch_to_prompt(batch: Sequence[OpenText]) -> str:
    """Return the texts of one call as JSON, each with its number and what is unknown in it."""
    asked = [
        {"number": number, "name": one.text[:_MAX_CHARACTERS], "unknown": one.parts}
        for number, one in enumerate(batch, start=1)
    ]
    return json.dumps(asked, ensure_ascii=False)


def _meet(word: str, others: Iterable[str]) -> bool:
    """True if `word` is, holds or is held by one of `others`; all are keys."""
    return any(other in word or word in other for other in others)


def _open_texts(items: Sequence[Recommended]) -> list[OpenText]:
    found: dict[str, list[int]] = {}
    for index, recommended in enumerate(items):
        if recommended.best is None and recommended.reason in _ASKED_REASONS:
            found.setdefault(key(item_to_query(recommended.item).text), []).append(index)
    return [_open(items, indexes) for indexes in found.values()]


def _open(items: Sequence[Recommended], indexes: Sequence[int]) -> OpenText:
    first = items[indexes[0]]
    return OpenText(
        text=item_to_query(first.item).text,
        parts=first.unresolved_parts,
        places=tuple(_place(items[index].item) for index in indexes[:_MAX_PLACES]),
        indexes=tuple(indexes),
    )


def _place(item: Item) -> str:
    """Return where a text stands: `TB_PATIENT.QNTM: 환자양자상태`, or the text alone."""
    text = item_to_query(item).text
    where = ".".join(part for part in (item.full_table, item.name) if part)
    said = where if where == text else f"{where}: {text}"
    return " ".join(said.split())[:_MAX_CHARACTERS]
