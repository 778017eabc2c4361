"""Failures in the language of the person; records and programs keep the English text.

An error may bring its own Korean words (`MinervaError.korean`). Some classes have a whole sentence,
with the error's own fields in it. Without either the sentence follows from the class, and the
English text stands after it as code for the author; an answer says the sentence alone.
`words/failures.toml` holds the sentences.
"""

import re
from typing import Any, Final

from minerva_platform.contract.result import Bypass, BypassAction, ErrorInfo
from minerva_platform.errors import BindingError, MinervaError
from minerva_platform.text.language import Language, has_hangul
from minerva_platform.text.markdown import code_span
from minerva_platform.text.words import read_words

FAILURES = read_words("minerva_platform.run_context.failures", "failures")
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
    english = " ".join(info.text.split()).replace("`", "'")  # code inside code reads badly
    return f"{_sentence(info, 'ko')}: {code_span(english)}"


def told_text(info: ErrorInfo, language: Language) -> str:
    """Return the failure as an answer tells it: no program's words, none of another language."""
    if own := info.korean if language == "ko" else info.english:
        return own
    is_own = info.is_sentence and info.type not in FAILURES.table("en")
    is_readable = is_own and _is_korean(info.message) == (language == "ko")
    return info.message if is_readable else f"{_sentence(info, language)}."


def to_bypass(
    path: str, info: ErrorInfo, language: Language, action: BypassAction, **more: Any
) -> Bypass:
    """Return the entry of a failure for the run object and its answer; `more` are its fields."""
    texts = {"cause": failure_text(info, language), "sentence": told_text(info, language)}
    return Bypass(path=path, action=action, **texts, **more)


def _sentence(info: ErrorInfo, language: Language) -> str:
    """Return what is said of any error of this class."""
    (sentence,) = FAILURES.table(language).get(info.type) or FAILURES[f"other.{language}"]
    return sentence


def own_korean(error: BaseException) -> str:
    """Return the Korean sentence of `error`. Empty if the sentence of its class is enough."""
    if not isinstance(error, MinervaError):
        return ""
    whole = FAILURES.table("whole").get(type(error).__name__)
    if whole is None or (isinstance(error, BindingError) and not error.korean):
        return error.korean
    return whole[0].format_map(vars(error))


def _is_korean(text: str) -> bool:
    """True if `text` is Korean; an English sentence may begin with a Korean name."""
    return has_hangul(text) and not _ENGLISH.search(_CODE.sub("·", text))
