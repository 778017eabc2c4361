"""Tell which language a person wrote in, so that the answer comes back in it."""

import re
from typing import Literal

Language = Literal["ko", "en"]
"""The languages MINERVA answers in."""

_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")


def language_of(text: str) -> Language:
    """Return "ko" if `text` holds any Hangul, else "en".

    A Korean sentence often carries English identifiers (`PT_ID 도메인 알려줘`), an English
    one hardly ever carries Hangul, so one syllable decides.
    """
    return "ko" if _HANGUL.search(text) else "en"
