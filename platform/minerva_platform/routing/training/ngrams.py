"""Cut a text into the features that routing learns from.

Words and pairs of words carry the meaning of English requests. Runs of two to
four characters inside a word carry Korean, where a noun is glued to its
particle (컬럼의, 컬럼을), and forgive typing errors.
"""

import re
import unicodedata
from itertools import pairwise

_WORD = re.compile(r"\w+")
_CHARACTERS = (2, 3, 4)
_LONGEST_WORD = 40
"""Characters of one word that are read: longer ones are keys or pasted data."""


def ngrams(text: str) -> list[str]:
    """Return word 1-2-grams and, within each word, character 2-4-grams.

    Words are marked by a leading tab so that the word `ab` and the characters
    `ab` stay two features.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word[:_LONGEST_WORD] for word in _WORD.findall(folded)]
    grams = [f"\t{word}" for word in words]
    grams += [f"\t{first} {second}" for first, second in pairwise(words)]
    for word in words:
        padded = f" {word} "
        for size in _CHARACTERS:
            grams += [padded[start : start + size] for start in range(len(padded) - size + 1)]
    return grams
