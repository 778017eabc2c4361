"""People's paraphrases reach the terms they mean: the promise of the team's README.

`make bench ARGS=paraphrases` prints the table by half and language.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from minerva_data.core.glossary import Glossary
from minerva_data.core.lookup import Lookup
from minerva_data.core.sentence import SentenceReader
from minerva_data.core.text import has_hangul

REQUESTS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("paraphrases.yaml").read_text(encoding="utf-8")
)


def is_test(ask: str) -> bool:
    """Tell whether a request belongs to the half that nothing was tuned on."""
    return int(hashlib.sha256(ask.encode()).hexdigest()[0], 16) % 2 == 1


def first_answers(lookup: Lookup, reader: SentenceReader, ask: str) -> list[str]:
    """Return what stands first for each name in a request: decided, else the first proposal."""
    found = [lookup.recommend(item) for item in reader.read(ask).items]
    named = [one.best or next(iter(one.alternatives), None) for one in found]
    return sorted(one.logical_name if one else "" for one in named)


def hits(lookup: Lookup, requests: Sequence[dict[str, Any]]) -> float:
    """Return the share of requests whose first answers are exactly the terms they mean."""
    reader = SentenceReader(lookup)
    right = [first_answers(lookup, reader, r["ask"]) == sorted(r["terms"]) for r in requests]
    return sum(right) / len(right)


def test_the_unseen_half_is_hit(lookup: Lookup) -> None:
    """hit@1 on the test half is .85 or better, in each language."""
    unseen = [request for request in REQUESTS if is_test(request["ask"])]
    korean = [request for request in unseen if has_hangul(request["ask"])]
    english = [request for request in unseen if not has_hangul(request["ask"])]

    assert hits(lookup, unseen) >= 0.85
    assert hits(lookup, korean) >= 0.85
    assert hits(lookup, english) >= 0.85


def test_the_set_is_what_it_says(glossary: Glossary) -> None:
    """Seventy requests or more, many in each language, none twice, each of known words."""
    asks = [request["ask"] for request in REQUESTS]
    korean = [ask for ask in asks if has_hangul(ask)]

    assert len(asks) == len(set(asks)) >= 70
    assert len(korean) >= 35
    assert len(asks) - len(korean) >= 35
    lookup = Lookup(glossary)
    assert all(lookup.best(term) for request in REQUESTS for term in request["terms"])
