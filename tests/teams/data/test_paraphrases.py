"""People's paraphrases reach the terms they mean: the promise of the team's README.

`make bench ARGS=paraphrases` prints the table by half and language.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.language.text import has_hangul
from minerva_data.core.lookup.lookup import Lookup

FILES = sorted(Path(__file__).parent.glob("paraphrases*.yaml"))
"""One author each; the halves of one author may lie in two files."""


def requests_of(path: Path) -> list[dict[str, Any]]:
    """Return the requests of a file."""
    with path.open(encoding="utf-8") as file:
        found: list[dict[str, Any]] = yaml.load(file, Loader=yaml.CSafeLoader)
    return found


REQUESTS = requests_of(Path(__file__).with_name("paraphrases.yaml"))
EVERY = [request for path in FILES for request in requests_of(path)]


def is_test(ask: str) -> bool:
    """True if a request belongs to the half that nothing was tuned on."""
    return int(hashlib.sha256(ask.encode()).hexdigest()[0], 16) % 2 == 1


def first_answers(lookup: Lookup, reader: SentenceReader, ask: str) -> list[str]:
    """Return what stands first for each name in a request: decided, else the first proposal."""
    found = [lookup.recommend(item) for item in reader.read_items(ask).items]
    named = [one.best or next(iter(one.alternatives), None) for one in found]
    return sorted(one.logical_name if one else "" for one in named)


def hits(lookup: Lookup, requests: Sequence[dict[str, Any]]) -> float:
    """Return the share of requests whose first answers are exactly the terms they mean."""
    reader = SentenceReader(lookup)
    right = [first_answers(lookup, reader, r["ask"]) == sorted(r["terms"]) for r in requests]
    return sum(right) / len(right)


@pytest.mark.slow
def test_the_unseen_half_is_hit(lookup: Lookup) -> None:
    """hit@1 on the test half is .85 or better, in each language."""
    unseen = [request for request in REQUESTS if is_test(request["ask"])]
    korean = [request for request in unseen if has_hangul(request["ask"])]
    english = [request for request in unseen if not has_hangul(request["ask"])]

    assert hits(lookup, unseen) >= 0.85
    assert hits(lookup, korean) >= 0.85
    assert hits(lookup, english) >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_author_is_understood(lookup: Lookup, path: Path) -> None:
    """hit@1 is .85 or better on each half of each author's requests."""
    asked = [request for request in requests_of(path) if request["terms"]]
    for half in (True, False):
        some = [request for request in asked if is_test(request["ask"]) is half]
        assert not some or hits(lookup, some) >= 0.85


@pytest.mark.slow
def test_what_is_decided_is_seldom_wrong(lookup: Lookup) -> None:
    """Of what was tuned on nothing is decided wrong; of all, one request in twenty at most."""
    reader = SentenceReader(lookup)
    wrong: list[str] = []
    for request in EVERY:
        found = [lookup.recommend(item).best for item in reader.read_items(request["ask"]).items]
        if any(best and best.logical_name not in request["terms"] for best in found):
            wrong.append(request["ask"])

    assert [ask for ask in wrong if not is_test(ask)] == []
    assert len(wrong) <= len(EVERY) / 20


def test_what_no_term_answers_is_not_decided(lookup: Lookup) -> None:
    """A vehicle's license plate is no doctor's license: terms may be offered, none chosen."""
    reader = SentenceReader(lookup)
    for request in EVERY:
        if not request["terms"]:
            items = reader.read_items(request["ask"]).items
            assert all(lookup.recommend(item).best is None for item in items), request["ask"]


def test_the_set_is_what_it_says(glossary: Glossary) -> None:
    """Seventy requests or more, many in each language, none twice, each of known words."""
    asks = [request["ask"] for request in REQUESTS]
    korean = [ask for ask in asks if has_hangul(ask)]

    assert len(asks) == len(set(asks)) >= 70
    assert len(korean) >= 35
    assert len(asks) - len(korean) >= 35
    lookup = Lookup(glossary)
    assert all(lookup.best(term) for request in EVERY for term in request["terms"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_author_asks_twice(path: Path) -> None:
    """A request that stands twice would count twice."""
    asks = [request["ask"] for request in requests_of(path)]

    assert len(asks) == len(set(asks))
