"""Failures in the language of the person; records and programs keep the English text.

An error may bring its own Korean words (`MinervaError.korean`). Some classes have a whole sentence,
with the error's own fields in it. Without either the sentence follows from the class, and the
English text stands after it as code for the author. `words/korean_failures.toml` holds the
sentences.
"""

import re
from typing import Final

from minerva_platform.contract.result import ErrorInfo
from minerva_platform.errors import BindingError, MinervaError
from minerva_platform.text.language import Language, has_hangul
from minerva_platform.text.markdown import code_span
from minerva_platform.text.words import read_words

KOREAN = read_words("minerva_platform.run_context.failures", "korean_failures")
_CODE: Final = re.compile(r"`[^`]*`")
_ENGLISH: Final = re.compile(r"(?:\b[A-Za-z][A-Za-z'-]*\b[ ,;:()]*){4}")
"""English words in a row that make a sentence. A Korean sentence holds only single ones."""


def failure_text(info: ErrorInfo, language: Language) -> str:
    """Return the failure in one line, as a person of `language` reads it."""
    if language == "en":
        return info.text
    if info.korean:
        return info.korean
    if _is_korean(info.message):  # a team's own words
        return info.text
    (sentence,) = KOREAN.table("sentences").get(info.type) or KOREAN["other"]
    english = " ".join(info.text.split()).replace("`", "'")  # code inside code reads badly
    return f"{sentence}: {code_span(english)}"


def own_korean(error: BaseException) -> str:
    """Return the Korean sentence of `error`. Empty if the sentence of its class is enough."""
    if not isinstance(error, MinervaError):
        return ""
    whole = KOREAN.table("whole").get(type(error).__name__)
    if whole is None or (isinstance(error, BindingError) and not error.korean):
        return error.korean
    return whole[0].format_map(vars(error))


def _is_korean(text: str) -> bool:
    """True if `text` is Korean; an English sentence may begin with a Korean name."""
    return has_hangul(text) and not _ENGLISH.search(_CODE.sub("·", text))
