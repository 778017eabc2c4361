"""Split a compound request into clauses, so that several members can be goals.

The cut is cautious: a clause that is too long costs nothing (the words still
reach the member), a noun list cut in two costs a wrong member. So a comma, an
"and" or a 그리고 cuts only next to a verb, and nothing is cut inside quotes,
brackets, code, file names, identifiers or numbers. Clauses are slices of the
request: put together again they are the request, character by character.
"""

import re
from collections.abc import Iterator

from minerva_platform.routing.grammar import (
    ADVERBIAL_ENDINGS,
    AFTER_KO,
    BACK_REFERENCE,
    EMPTY_WORDS,
    NOUN_OR_VERB,
    NOUNS_IN_GO,
    OBJECT_KO,
    OPENERS,
    PREDICATE_KO,
    PROGRESSIVE_KO,
    SECOND_OF_NOUN_OR_VERB,
    VERBS,
)

READ = 4_000
"""Characters read for clauses; what follows belongs to the last one."""

_PROTECTED = re.compile(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|(?<!\w)'[^'\n]*'(?!\w)"
    r"|\([^()\n]*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\}|\w+(?:[./\\:@-]+\w+)+|\d+(?:,\d{3})+",
    re.DOTALL,
)
_END = re.compile(r"[.!?。！？]+[\"'”’)\]]*\s+|;\s*|\s*\n\s*")
_COMMA = re.compile(r"[,，、]\s+|[，、]")
_CONNECTIVE_KO = re.compile(r"([가-힣]*)(고|며|면서|서)(?: 나서)?[,，]?\s+")
_AFTER_KO = re.compile(r"([가-힣])\s+(?:다음|뒤|후)(?:에|로)?[,，]?\s+")
_AND_KO = re.compile(r"\s(?=(?:그리고|또한|또|및|이어서|아울러|그다음|그 다음|그런 다음)[,，]?\s)")
_AND = re.compile(r"\s+(?=(?:and|then|also|plus|but|&)\s)", re.IGNORECASE)
_WORD = re.compile(r"[\w'-]+")


