"""Split a compound request into clauses, so that several members can be goals.

The cut is cautious. A clause that is too long costs nothing, because its words still reach the
member. A noun list cut in two may choose a wrong member. So a comma, an "and" or a 그리고 cuts only
beside a verb, and nothing is cut within quotes, brackets, code, file names, identifiers and
numbers. Clauses are slices: joined, they are the request again, character by character.
"""

import re
from itertools import islice, pairwise

from minerva_platform.text.grammar import (
    ENGLISH,
    KOREAN,
    asks,
    commands_en,
    connects_ko,
    empty_words,
    ends_sentence_ko,
    is_predicate_ko,
    opens_clause_en,
)

READ = 4_000
"""Characters read for clauses. Later characters belong to the last clause."""

MAX_CLAUSES = 32
"""Clauses of one request. A text with more clauses is a document, not a list of wishes."""

BORDERS = 4
"""Possible borders of a noun list that are tried within one clause."""

MAX_LIST_CHARACTERS = 300
"""Characters of a clause that may be a list. A longer one is a paragraph."""

_WHOLE = re.compile(
    r"""
    ```.*?```                               # a block of code
    | `[^`\n]*`                             # inline code
    | "[^"\n]*" | “[^”\n]*” | ‘[^’\n]*’ | 「[^」\n]*」
    | (?<!\w) '[^'\n]*' (?!\w)              # a quote, no apostrophe
    | \([^()\n]*\) | \[[^\[\]\n]*\] | \{[^{}\n]*\}
    | (?<!\w) \w++ (?: [./\\:@-]++ \w++ )+  # a path, an address, an identifier, a number
    """,
    re.DOTALL | re.VERBOSE,
)
_LIST = re.compile(
    r"""
    (?<=[,，;:+/→]) \s+
    | (?<=[-=]>) \s+
    | (?<=\w[와과랑면]) \s+                  # after a particle: 약어와 …, 바꾸면 …
    | (?<=\w(?:하고|는데|은데|지만|니까)) \s+
    | (?<=는지) \s+
    | (?<=\S) \s+ (?=(?:및|and|plus|with|\+)\s)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TOKEN = re.compile(r"[^\s,，;]+(?:,(?=\d)[^\s,，;]+)*[,，;]*|[,，;]+")
_STOP = re.compile(r"[.!?。！？;]+[\"'”’)\]]*$")
_MARKS = ".,，;!?。！？…:"
_NEAR = 8
"""Words read on either side of a border, and at a clause's opening."""


def split_wishes(text: str) -> list[list[str]]:
    """Return the clauses of `text`, each also divided at English verbs that no list has.

    The word after such a verb reveals it (pay them). That is enough to find unserved parts, but not
    enough to ask another member.
    """
    return [_split(clause, any_verb=True) for clause in _split(text, any_verb=False)]


def split_clauses(text: str) -> list[str]:
    """Return consecutive slices of `text`, one per clause; one slice if nothing is compound.

    At most `READ` characters are looked at and at most `MOST` clauses given,
    so the work is bounded for a `text` of any length.
    """
    return _split(text, any_verb=False)


def _split(text: str, *, any_verb: bool) -> list[str]:
    masked = _mask(text)
    tokens = [(found.start(), found.end(), found.group()) for found in _TOKEN.finditer(masked)]
    words = [token.strip(_MARKS).lower() for _, _, token in tokens]
    cuts, first = [0], 0
    for index in range(1, len(tokens)):
        start = tokens[index][0]
        _, end, token = tokens[index - 1]
        if empty_words().issuperset(words[first:index]):
            continue
        if "\n" in masked[end:start] or _is_border(
            token, words, first=first, index=index, any_verb=any_verb
        ):
            cuts.append(start)
            first = index
    if len(cuts) > 1 and empty_words().issuperset(words[first:]):
        cuts.pop()
    del cuts[MAX_CLAUSES:]
    return [text[start:end] for start, end in pairwise([*cuts, len(text)])]


def list_borders(clause: str) -> list[int]:
    """Return the positions where `clause` could be divided as a list of nouns (약어와|도메인을 …).

    Such a border is only a possibility. Most lists name things of one member, so a caller needs
    evidence from both sides before it divides.
    """
    if len(clause) > MAX_LIST_CHARACTERS:
        return []
    masked = _mask(clause)
    borders = (found.end() for found in islice(_LIST.finditer(masked), BORDERS))
    return [border for border in borders if clause[border:].strip()]


def _mask(text: str) -> str:
    """Return `text` at the same length, with each part that must stay whole made one word."""
    return _WHOLE.sub(lambda span: "x" * len(span.group()), text[:READ])


def _is_border(token: str, words: list[str], *, first: int, index: int, any_verb: bool) -> bool:
    """True if the clause that began at `first` ends with `token`, just before `index`."""
    before, ahead = words[max(first, index - _NEAR) : index], words[index : index + _NEAR]
    opening, word = words[first : min(first + _NEAR, index)], words[index - 1]
    if _STOP.search(token) and not word.isdigit():
        return "?" in token or asks(opening, word, any_verb=any_verb)
    if not word:
        return False
    if ends_sentence_ko(word) or connects_ko(before, ahead[0]):
        return True
    pauses = token[-1] in ",，"
    if (pauses or ahead[0] in KOREAN.set_of("joining")) and is_predicate_ko(word):
        return True
    if not (pauses or ahead[0] in ENGLISH.set_of("joining")):
        return False
    opens = opens_clause_en(ahead) or (any_verb and commands_en(ahead))
    return opens and asks(opening, word, any_verb=any_verb)
