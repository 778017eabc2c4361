"""Take off a request what restricts, shapes or sends the answer, before names are read in it.

Such words are no part of a name, and no glossary can honour them, so the answer names them.
"""

import re
from dataclasses import replace

from minerva_data.core.language.sentence import RequestedItems, SentenceReader
from minerva_platform.text import RESTRICTION_KINDS, restrictions_in, without_restrictions

_OF_NAMES = RESTRICTION_KINDS - {"exception", "history", "only", "order", "unit"}
"""What no name is made of. The order of a table is the audit's to heed."""
_OF_COLUMNS = RESTRICTION_KINDS - {"only", "order", "unit"}
"""All columns of a schema are taken."""
_NAMED = re.compile(r"['\"`“‘「]|\w_\w")
"""A name in quotation marks or an identifier: what holds one is read."""


def of_columns(request: str) -> tuple[str, ...]:
    """Return the words of a request for a schema that restrict nothing in the answer."""
    return tuple(dict.fromkeys(one.words for one in restrictions_in(request, _OF_COLUMNS)))


def read_apart(request: str, sentences: SentenceReader) -> RequestedItems:
    """Return the names that `request` asks about without its restrictions, which are unused.

    Where no name is left, the words belong to what is asked about, so the whole is read.
    """
    found = restrictions_in(request, _OF_NAMES)
    apart = tuple(one for one in found if not _NAMED.search(one.words))
    requested = sentences.read_items(without_restrictions(request, apart, gap="|"))
    if not (apart and requested.items):
        return sentences.read_items(request) if apart else requested
    return replace(requested, unused=(*(one.words for one in apart), *requested.unused))
