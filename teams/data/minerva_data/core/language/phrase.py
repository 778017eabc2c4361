"""Cut a sentence into phrases that may be names, by particles, frame words and the glossary."""

import re
from dataclasses import replace
from itertools import zip_longest

from minerva_data.core.language.carrier_phrases import (
    AFTER_ANCHOR,
    DETERMINERS,
    LIST_PARTICLES,
    QUESTIONS,
)
from minerva_data.core.language.english import asks_whether
from minerva_data.core.language.grouping import MAX_NAME_WORDS, Phrase, groups
from minerva_data.core.language.sentence_word import TERM, WordReader, is_name

_MAX_BARE_WORDS = 6
"""Words of a request that is nothing but a name; a longer one says something about it."""
_POSSESSIVE = re.compile(r"['’]s$")


class PhraseReader:
    """Cuts sentences with the vocabulary of one glossary."""

    def __init__(self, words: WordReader) -> None:
        self._words = words
        self.is_frame = self._words.is_frame

    def phrases(self, text: str) -> list[Phrase]:
        """Return the phrases of `text`; phrases in one list share an anchor."""
        words = self._words.words(text)
        lists = list(groups(words))
        only = not any(word.kind in {"anchor", "stop"} for word in words)
        few = sum(word.kind == "content" for word in words) <= _MAX_BARE_WORDS
        return [
            replace(phrase, is_anchored=anchored or len(group) > 1, is_whole_request=only and few)
            for anchored, group in lists
            for phrase in self._with_owner(group)
        ]

    def _with_owner(self, group: list[Phrase]) -> list[Phrase]:
        """Let `patient's height and weight` ask for both of the patient, where both are terms."""
        owner = group[0].words[0]
        if not _POSSESSIVE.search(owner):
            return group
        owned = [group[0]]
        for phrase in group[1:]:
            words = (owner, *phrase.words)
            found = self._words.best(" ".join(words))
            is_term = found is not None and found.method in TERM
            owned.append(replace(phrase, words=words) if is_term else phrase)
        return owned

    def longest_name(self, phrase: Phrase) -> str | None:
        """Return the phrase, or its longest end after known words, if that is a name.

        An unknown word before a known name (`양자 환자 이름`) makes the whole unknown: to drop
        it would answer another question.
        """
        phrase = self._without_frame(phrase)
        whole = " ".join(phrase.words)
        found = self._words.best(whole)
        if found is not None and is_name(found):
            return whole
        for start in range(1, len(phrase.words)):
            if not self._words.is_known(phrase.words[start - 1]):
                break
            text = " ".join(phrase.words[start:])
            end = self._words.best(text)
            if end is not None and end.method in TERM and (len(phrase.words) - start > 1):
                return text
        return whole if found is not None else None

    def _without_frame(self, phrase: Phrase) -> Phrase:
        """Drop a name's `name`: `입원일자 이름`, `name of admission date` ask for 입원일자.

        Not where the whole is a term (코드 이름), or the rest says no kind of value (환자 이름).
        """
        words = phrase.words
        inner = words[2:] if words[:2] == ("name", "of") else words[:-1]
        framed = words[:2] == ("name", "of") or words[-1].casefold() in AFTER_ANCHOR
        if not framed or not inner:
            return phrase
        whole, rest = self._words.best(" ".join(words)), self._words.best(" ".join(inner))
        is_term = whole is not None and whole.method in TERM
        if is_term or rest is None or not rest.has_domain:
            return phrase
        return replace(phrase, words=inner)

    def names_inside(self, phrase: Phrase) -> list[str]:
        """Return the longest names in a phrase that no word marks as a name.

        Where words are left beside a name, the phrase itself: the name alone would answer
        another question.
        """
        phrase = self._without_frame(phrase)
        names: list[str] = []
        is_left = False
        start = 0
        while start < len(phrase.words):
            name = self._longest_from(phrase.words, start)
            if name is None:
                is_left = is_left or phrase.words[start] != "of"
            else:
                names.append(" ".join(phrase.words[start:name]))
            start = name or start + 1
        return [" ".join(phrase.words)] if names and is_left else names

    def _longest_from(self, words: tuple[str, ...], start: int) -> int | None:
        """Return the end of the longest name that begins at `start`."""
        for end in range(min(len(words), start + MAX_NAME_WORDS), start, -1):
            found = self._words.best(" ".join(words[start:end]))
            if found is not None and is_name(found):
                return end
        return None

    def content_words(self, text: str) -> tuple[str, ...]:
        """Return all that a text says: its content, and the question words that ask for a value."""
        words = self._words.words(text)
        whether = ("whether",) if asks_whether(text) else ()
        return whether + tuple(
            word.text
            for word, after in zip_longest(words, words[1:])
            if word.kind == "content"
            or word.text.casefold() in QUESTIONS
            or (
                word.text.casefold() in DETERMINERS
                and after
                and after.kind in {"content", "filler"}
            )
        )

    def is_list(self, text: str) -> bool:
        """True if `text` lists names."""
        words = self._words.words(text)
        return any(word.kind == "list" or word.particle in LIST_PARTICLES for word in words)

    def is_known(self, text: str) -> bool:
        """True if the glossary's words explain all of `text`."""
        return self._words.is_known(text)
