"""Say why a part of a file was not read, in the person's language.

Readers give their reasons in English (`Unparsed.error`), as `unread.csv` has them. A Korean answer
says the same in Korean; of a parser's own message only that the statement is not understood.
"""

import re

from minerva_data.core.schema.record import Unparsed
from minerva_platform.text import Language, read_words

REASONS = read_words("minerva_data.answers", "unread")


def unread_reason(one: Unparsed, language: Language) -> str:
    """Return why `one` was not read, in one clause."""
    if language != "ko":
        return one.error
    for pattern, said in REASONS.lists.values():
        found = re.fullmatch(pattern, one.error, re.DOTALL)
        if found is not None:
            return found.expand(said)
    return one.error
