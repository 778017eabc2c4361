"""Read what people write as names: spaces, full-width letters and invisible marks do not count.

Letters that merely look alike stay different: a Cyrillic `Р` never becomes a Latin `P`.
"""

import re
import unicodedata
from dataclasses import dataclass

from minerva_platform.text import read_words

COMMENTS = read_words("minerva_data.core.language", "comments")

MAX_PHRASE = 120
"""Characters of a phrase that may still be a name; a longer one is a text, not a name."""

_MAX_NAME_WORDS = 8
"""Words of a comment that may still be a name."""

_ATOM = re.compile(r"[가-힣]|[^\W\d_가-힣]+|\d+|[^\w\s]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_REMARK = re.compile(r"[(\[<{（【:;,|\n\r\t]|\s-\s|--")
"""Where a remark begins behind the name: `(Y/N)`, `: 1 남`."""
_MARKER = re.compile(
    rf"""
    ^(?:
      [\[(<【]\s*(?:{COMMENTS.patterns("marks")})\s*[\])>】]\s*   # [필수], (PK)
    | \d{{1,2}}[.)]\s+                                            # 1. 2)
    | [*※•-]\s*
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FORMER = re.compile(rf"[(\[]\s*(?:{COMMENTS.patterns('former')})\s*[)\]]", re.IGNORECASE)
_DESCRIBES = re.compile(
    rf"\b(?:{COMMENTS.any_of('describing.en')})\b|(?:{COMMENTS.any_of('describing.ko')})[.]?$",
    re.IGNORECASE,
)
_JOINERS = frozenset("-'’.·")
_HANGUL = re.compile(r"[가-힣]")


def cleaned(text: str) -> str:
    """Return `text` in one Unicode form, without invisible marks, spaces folded to one."""
    folded = unicodedata.normalize("NFKC", text)
    visible = "".join(
        c for c in folded if unicodedata.category(c) not in {"Cf", "Cc"} or c in "\n\t"
    )
    return " ".join(visible.split())


def key(text: str) -> str:
    """Return what two spellings of one name share: no spaces, no case."""
    return "".join(cleaned(text).casefold().split())


def headline(comment: str) -> str:
    """Return the name at the head of a column comment, without remarks like `(Y/N)` or `: 1 남`.

    A remark like `(구)` is kept: what is former is not what the name says.
    """
    text = unicodedata.normalize("NFKC", comment[: MAX_PHRASE * 4]).strip()
    text = _MARKER.sub("", text)
    if _FORMER.search(text):
        return cleaned(text)
    cut = _REMARK.search(text)
    head = text[: cut.start()] if cut and cut.start() else text
    return cleaned(head)


def is_description(text: str) -> bool:
    """True if a comment tells about a column and does not name it: it has the words of a clause."""
    return len(text.split()) > _MAX_NAME_WORDS or _DESCRIBES.search(text) is not None


@dataclass(frozen=True, slots=True)
class Atoms:
    """A phrase as Hangul syllables, Latin words and numbers.

    `keys` are without case, `texts` as written; `borders` are the positions at which a space
    or a mark stood before the atom.
    """

    keys: tuple[str, ...]
    texts: tuple[str, ...]
    borders: frozenset[int]

    def text(self, start: int, end: int) -> str:
        """Return the atoms from `start` to `end` as written, Latin words apart."""
        words = " ".join(self.texts[start:end])
        return re.sub(r"(?<=[가-힣]) | (?=[가-힣])", "", words)


def atoms(text: str) -> Atoms:
    """Split `text` into its atoms."""
    texts: list[str] = []
    borders: set[int] = set()
    end = 0
    for found in _ATOM.finditer(cleaned(text).replace("_", " ")):
        if found.start() != end:
            borders.add(len(texts))
        end = found.end()
        if found.group() in _JOINERS:
            borders.add(len(texts))
        else:
            texts.append(found.group())
    return Atoms(tuple(part.casefold() for part in texts), tuple(texts), frozenset(borders))


def identifier_parts(name: str) -> tuple[str, ...]:
    """Split a column name at `_` and at camel-case humps: `patBirthDt` is pat, Birth, Dt."""
    return tuple(part for piece in name.split("_") for part in _CAMEL.split(piece) if part)


def is_identifier(text: str) -> bool:
    """True if `text` is written like a column name: Latin letters, digits and `_` only."""
    return _IDENTIFIER.fullmatch(text) is not None


def has_hangul(text: str) -> bool:
    """True if `text` holds a Korean syllable."""
    return _HANGUL.search(text) is not None
