"""What a router learns from: features of a text, and requests that are nobody's.

Words and pairs of words carry the meaning of English requests. Runs of two to
four characters inside a word carry Korean, where a noun is glued to its
particle (컬럼의, 컬럼을), and forgive typing errors.

A member's own examples say what belongs to it, not what does not: to a router
that has only seen data standards, "summarise this novel" looks like
"summarise this policy". The lines of `examples/unrelated.txt`, requests that people
type into any assistant, are trained as examples of nobody. A line that speaks of
a subject some member serves is left out for that supervisor (`unserved`), so that
a travel team is never told that flights are nobody's. The threshold of scope
never comes from here.
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
"""Characters of one word that are read: longer ones are keys or pasted data."""


def ngrams(text: str) -> list[str]:
    """Return word 1-2-grams and, within each word, character 2-4-grams.

    Words are marked by a leading tab so that the word `ab` and the characters
    `ab` stay two features.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word[:_MAX_WORD_CHARACTERS] for word in _WORD.findall(folded)]
    grams = [f"\t{word}" for word in words]
    grams += [f"\t{first} {second}" for first, second in pairwise(words)]
    for word in words:
        padded = f" {word} "
        for size in _CHARACTERS:
            grams += [padded[start : start + size] for start in range(len(padded) - size + 1)]
    return grams


SHARE = 0.01
"""Share of the examples that name a subject which is served; a rarer word is just mentioned."""


def unserved(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the everyday requests none of whose subjects the examples `texts` are about.

    Verbs and courtesy are no subjects: "review this contract" stays where
    somebody reviews column names, and goes where somebody keeps contracts.
    """
    named = Counter(stem for text in texts for stem in subject_stems(text))
    served = {stem for stem, count in named.items() if count >= SHARE * len(texts)}
    return tuple(line for line, stems in _subjects() if served.isdisjoint(stems))


@cache
def _subjects() -> tuple[tuple[str, frozenset[str]], ...]:
    """Give each everyday request the stems of its subjects; a line without one is left out."""
    everyday = read_examples("minerva_platform.routing", "unrelated")
    pairs = ((line, frozenset(subject_stems(line))) for line in everyday)
    return tuple(pair for pair in pairs if pair[1])
