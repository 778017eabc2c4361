"""The languages MINERVA answers in, and the letters that tell Korean."""

import re
from collections.abc import Mapping
from typing import Final, Literal, get_args

Language = Literal["ko", "en"]
"""The languages MINERVA answers in."""
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

HANGUL: Final = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
"""Korean letters (syllables and their parts), for a regular expression's brackets."""
_HANGUL: Final = re.compile(f"[{HANGUL}]")


def has_hangul(text: str) -> bool:
    """True if a letter of `text` is Korean."""
    return _HANGUL.search(text) is not None


def locale_language(environment: Mapping[str, str]) -> Language:
    """Return the language of the locale: of the variables that POSIX names, the first one set."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    named = next((environment[name] for name in names if environment.get(name)), "")
    return "ko" if named.lower().startswith("ko") else "en"
