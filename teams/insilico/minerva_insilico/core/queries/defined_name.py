"""Find the words of a request that an attached tree defines as names, without an index of it.

It answers before anybody is asked to work, so it is quick rather than complete: a file of more than
`max_bytes` is left out, and at most so many names and bytes are looked at.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.language import DOCUMENTS, language_of_path
from minerva_insilico.core.facts.readable_files import read_source
from minerva_insilico.core.index.listing import EXCLUDED

MAX_NAMES: Final = 2_000
"""File and folder names that are looked at."""
MAX_BYTES: Final = 1024 * 1024
"""Bytes that are read, of all files together."""
_MAX_WORDS: Final = 50
_WORD: Final = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]{2,}")
_SPELLED: Final = re.compile(r"_|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{3,}$")
"""What is spelled as a name and not as a word: `card_no`, `cardNo`, `RRN`."""


def defined_names(
    request: str, roots: Iterable[Path], *, max_names: int = MAX_NAMES, max_bytes: int = MAX_BYTES
) -> tuple[str, ...]:
    """Return the words of `request` that sources under `roots` define, as the request spells them.

    A class, a function and a field count. A word that is spelled as a name counts wherever it is
    used: a column stands in SQL, and in keys.
    """
    words = {word.casefold(): word for word in reversed(_WORD.findall(request)[:_MAX_WORDS])}
    if not words:
        return ()
    plain = "|".join(map(re.escape, words))
    spelled = "|".join(re.escape(key) for key, word in words.items() if _SPELLED.search(word))
    places = [
        rf"\b(?:class|def|func|function|interface)\s+({plain})\b",
        rf"^[ \t]+(?:self\.)?({plain})[ \t]*:[^=\n]",
        rf"\bself\.({plain})[ \t]*=[^=]",
        *([rf"\b({spelled})\b"] if spelled else []),
    ]
    pattern = re.compile("|".join(places), re.IGNORECASE | re.MULTILINE)
    found: set[str] = set()
    for text in _texts(roots, max_names=max_names, max_bytes=max_bytes):
        found.update(next(filter(None, hit.groups())).casefold() for hit in pattern.finditer(text))
        if len(found) == len(words):
            break
    return tuple(word for key, word in sorted(words.items()) if key in found)


def _texts(roots: Iterable[Path], *, max_names: int, max_bytes: int) -> Iterator[str]:
    """Yield the sources under `roots`, within the limits."""
    names, left = 0, max_bytes
    for root in roots:
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(each for each in folders if each not in EXCLUDED)
            for name in sorted(files):
                names += 1
                if names > max_names or left <= 0:
                    return
                if language_of_path(name) in {None, *DOCUMENTS}:
                    continue
                try:
                    source = read_source(root, Path(folder, name).relative_to(root).as_posix())
                except UnreadableSourceError:
                    continue  # the worker reports it
                if len(source) <= left:
                    left -= len(source)
                    yield source.decode("utf-8", "replace")
