"""How many paraphrases reach the term they mean, with the bundled glossary and without a model.

Each file of requests has one author, and is counted by itself. The half that the glossary and the
readers were tuned on is counted apart from the other, whose misses are counted but not listed, so
that nobody tunes to them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.language.text import has_hangul
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Recommended

FOLDER = Path(__file__).parents[1] / "teams" / "data"
FILES = "paraphrases*.yaml"
HALVES = ("tuning", "test")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one request gave for each name that was read in it.

    `decided` is the recommendation or "?", `first` the recommendation or the first proposal,
    `offered` all of both. Nothing is `wanted` of a request that no term answers.
    """

    ask: str
    wanted: tuple[str, ...]
    decided: tuple[str, ...]
    first: tuple[str, ...]
    offered: frozenset[str]

    @property
    def half(self) -> str:
        """The half that the request belongs to, decided by its hash."""
        digest = hashlib.sha256(self.ask.encode()).hexdigest()
        return HALVES[int(digest[0], 16) % 2]

    @property
    def is_decided(self) -> bool:
        """Whether exactly the terms meant are recommended, and nothing else."""
        return sorted(self.decided) == sorted(self.wanted)

    @property
    def is_hit(self) -> bool:
        """Whether exactly the terms meant come first, be it as the first of the proposals."""
        return sorted(self.first) == sorted(self.wanted)

    @property
    def is_left_alone(self) -> bool:
        """Whether nothing is recommended."""
        return set(self.decided) <= {"?"}

    @property
    def is_wrong(self) -> bool:
        """Whether something is recommended that was not meant."""
        return not set(self.decided) <= {*self.wanted, "?"}

    @property
    def is_offered(self) -> bool:
        """Whether the terms meant are among what is recommended or proposed."""
        return self.offered.issuperset(self.wanted)


def outcomes(path: Path, lookup: Lookup) -> Iterator[Outcome]:
    """Yield what each request of the file at `path` gives."""
    reader = SentenceReader(lookup)
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        answers = [lookup.recommend(item) for item in reader.read_items(entry["ask"]).items]
        names = [list(_names(answer)) for answer in answers]
        yield Outcome(
            entry["ask"],
            tuple(entry["terms"]),
            tuple(answer.best.logical_name if answer.best else "?" for answer in answers),
            tuple(of_one[0] if of_one else "?" for of_one in names),
            frozenset(name for of_one in names for name in of_one),
        )


def _names(answer: Recommended) -> Iterator[str]:
    """Yield the names of an answer in the order in which a person sees them."""
    if answer.best:
        yield answer.best.logical_name
    yield from (other.logical_name for other in answer.alternatives)


def table(every: list[Outcome]) -> Iterator[str]:
    """Yield the lines of a table of requests that a term answers, by half and language."""
    columns = ("requests", "decided", "hit@1", "offered", "wrong")
    yield f"{'half':<9}{'language':<9}" + "".join(f"{name:>9}" for name in columns)
    for half in HALVES:
        for language in ("ko", "en", "both"):
            some = [
                one
                for one in every
                if one.half == half
                and one.wanted
                and (language == "both" or has_hangul(one.ask) == (language == "ko"))
            ]
            if not some:
                continue
            shares = [
                sum(getattr(one, name) for one in some) / len(some)
                for name in ("is_decided", "is_hit", "is_offered", "is_wrong")
            ]
            cells = "".join(f"{share:>9.3f}" for share in shares)
            yield f"{half:<9}{language:<9}{len(some):>9}{cells}"
        nothing = [one for one in every if one.half == half and not one.wanted]
        if nothing:
            alone = sum(one.is_left_alone for one in nothing)
            yield f"{half:<9}no term answers {len(nothing)}: {alone} of them left undecided"


def main() -> int:
    """Print the hits of each file's halves by language, and the misses of the tuning halves."""
    lookup = Lookup(seed_glossary())
    for path in sorted(FOLDER.glob(FILES)):
        every = list(outcomes(path, lookup))
        print(f"{path.name}", *table(every), sep="\n")
        for one in every:
            if one.half == "tuning" and not (one.is_hit if one.wanted else one.is_left_alone):
                wanted = ", ".join(one.wanted) or "nothing"
                print(f"missed (tuning): {one.ask} -> {', '.join(one.first)}, not {wanted}")
        print()
    return 0
