"""How many paraphrases reach the term they mean, with the bundled glossary and without a model.

The half that the glossary and the readers were tuned on is counted apart from the other, whose
misses are counted but not listed, so that nobody tunes to them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from minerva_data.core.glossary import seed_glossary
from minerva_data.core.lookup import Lookup
from minerva_data.core.record import Recommended
from minerva_data.core.sentence import SentenceReader
from minerva_data.core.text import has_hangul

REQUESTS = Path(__file__).parents[1] / "teams" / "data" / "paraphrases.yaml"
HALVES = ("tuning", "test")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one request gave. `found` are the names recommended, `offered` also the proposals."""

    ask: str
    wanted: tuple[str, ...]
    found: tuple[str, ...]
    offered: frozenset[str]

    @property
    def half(self) -> str:
        """The half that the request belongs to, decided by its hash."""
        digest = hashlib.sha256(self.ask.encode()).hexdigest()
        return HALVES[int(digest[0], 16) % 2]

    @property
    def is_hit(self) -> bool:
        """Whether exactly the terms meant are recommended."""
        return sorted(self.found) == sorted(self.wanted)

    @property
    def is_offered(self) -> bool:
        """Whether the terms meant are among what is recommended or proposed."""
        return self.offered.issuperset(self.wanted)


def outcomes(path: Path = REQUESTS) -> Iterator[Outcome]:
    """Yield what each request of the set gives."""
    lookup = Lookup(seed_glossary())
    reader = SentenceReader(lookup)
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        answers = [lookup.recommend(item) for item in reader.read(entry["ask"]).items]
        found = tuple(answer.best.logical_name for answer in answers if answer.best)
        offered = frozenset(name for answer in answers for name in _names(answer))
        unresolved = tuple("?" for answer in answers if answer.best is None)
        yield Outcome(entry["ask"], tuple(entry["terms"]), found + unresolved, offered)


def _names(answer: Recommended) -> Iterator[str]:
    yield from (other.logical_name for other in answer.alternatives)
    if answer.best:
        yield answer.best.logical_name


def main() -> int:
    """Print the hits of both halves by language, and the misses of the tuning half."""
    every = list(outcomes())
    print(f"{'half':<9}{'language':<10}{'requests':>9}{'hit@1':>8}{'offered':>9}")
    for half in HALVES:
        for language in ("ko", "en", "both"):
            some = [
                one
                for one in every
                if one.half == half
                and (language == "both" or has_hangul(one.ask) == (language == "ko"))
            ]
            hits = sum(one.is_hit for one in some) / len(some)
            offered = sum(one.is_offered for one in some) / len(some)
            print(f"{half:<9}{language:<10}{len(some):>9}{hits:>8.3f}{offered:>9.3f}")
    for one in every:
        if one.half == "tuning" and not one.is_hit:
            print(f"missed (tuning): {one.ask} -> {', '.join(one.found)}, not {one.wanted}")
    return 0
