"""The training data of a router: features of a text, and out-of-scope requests.

Words and pairs of words carry the meaning of English requests. Runs of two to
four characters inside a word carry Korean, where a noun is glued to its
particle (컬럼의, 컬럼을), and forgive typing errors.

A member's own examples say what belongs to it, not what does not. To a router that has only seen
data standards, "summarise this novel" looks like "summarise this policy". So the lines of
`examples/unrelated.txt`, requests that people type into any assistant, are trained as out of scope.
A line about a subject that some member serves is left out for that supervisor (`unserved`), so a
travel team still gets requests about flights. The thresholds never come from these lines.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from minerva_platform.routing.clauses.content_words import subject_stems
from minerva_platform.text.example_file import read_examples

_WORD = re.compile(r"\w+")
_CHARACTERS = (2, 3, 4)
_MAX_WORD_CHARACTERS = 40
"""Characters of one word that are read. Longer words are keys or pasted data."""


def ngrams(text: str) -> list[str]:
    """Return words, the first word as such, pairs of words, and characters within each word.

    A pair also skips one word. Characters come in runs of 2 to 4. Words are marked by a leading tab
    so that the word `ab` and the characters `ab` stay two features.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word[:_MAX_WORD_CHARACTERS] for word in _WORD.findall(folded)]
    grams = [f"\t{word}" for word in words]
    grams += [f"\t^{word}" for word in words[:1]]
    grams += [f"\t{first} {second}" for first, second in pairwise(words)]
    grams += [f"\t{first} * {third}" for first, third in zip(words, words[2:], strict=False)]
    for word in words:
        padded = f" {word} "
        for size in _CHARACTERS:
            grams += [padded[start : start + size] for start in range(len(padded) - size + 1)]
    return grams


SHARE = 0.01
"""Share of the examples that must name a subject, so that it counts as served."""


def unserved(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the everyday requests that share no subject with the examples `texts`.

    Verbs and courtesy are no subjects. "Review this contract" stays out of scope for a team that
    reviews column names, and is left out for a team that keeps contracts.
    """
    named = Counter(stem for text in texts for stem in subject_stems(text))
    served = {stem for stem, count in named.items() if count >= SHARE * len(texts)}
    return tuple(line for line, stems in _subjects() if served.isdisjoint(stems))


@cache
def background() -> tuple[str, ...]:
    """Return what people say around their wishes: no work, and no request out of scope either."""
    return read_examples("minerva_platform.routing", "background")


@cache
def _subjects() -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each everyday request that has subjects, with their stems."""
    everyday = read_examples("minerva_platform.routing", "unrelated")
    pairs = ((line, frozenset(subject_stems(line))) for line in everyday)
    return tuple(pair for pair in pairs if pair[1])
