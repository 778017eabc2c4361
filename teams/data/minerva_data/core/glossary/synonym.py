"""Learn other ways to say a word from the synonyms that a glossary lists for its terms.

A standard lists synonyms of whole terms: 등록자이름 of 등록자명, 사용자ID of 사용자아이디. Where
both differ in one word only, the rest of the synonym says that word: 이름 is 명, ID is 아이디. So a
name that no term has can be read by the standard's own evidence.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from minerva_data.core.glossary.alignment import MIN_SHARE, TABLE
from minerva_data.core.glossary.entry import Alias, Origin, Term, Word
from minerva_data.core.language.text import key

MIN_TERMS = 3
"""Terms whose synonyms must agree, unless a term is the word itself."""

MIN_LETTERS = 2
"""Letters of a learned synonym: one syllable stands in too many words."""

_ByAbbreviation = Mapping[str, Sequence[tuple[str, Word]]]


def by_abbreviation(words: Iterable[Word]) -> _ByAbbreviation:
    """Return the words, each with its key, by abbreviation."""
    found: dict[str, list[tuple[str, Word]]] = {}
    for word in words:
        found.setdefault(word.abbreviation, []).append((key(word.name), word))
    return found


def words_of(term: Term, words: _ByAbbreviation) -> tuple[Word, ...]:
    """Return the words that spell a term's name and its physical name; () if none do."""
    return _spell_out(key(term.name), term.physical_name.upper().split("_"), words) or ()


def _spell_out(name: str, parts: Sequence[str], words: _ByAbbreviation) -> tuple[Word, ...] | None:
    if not parts:
        return None if name else ()
    for spelled, word in words.get(parts[0], ()):
        if name.startswith(spelled):
            rest = _spell_out(name[len(spelled) :], parts[1:], words)
            if rest is not None:
                return (word, *rest)
    return None


def learn_synonyms(terms: Iterable[Term], words: Iterable[Word]) -> Iterator[Alias]:
    """Yield what the synonyms of current `terms` say about `words`, by evidence.

    `MIN_SHARE` of the evidence must agree on the word. A text that is a word itself, or stands in
    more names of terms than synonyms agree, means something of its own: 보수 says 급여 in two
    synonyms, and stands in 보수월액 and 20 other names.
    """
    current = [term for term in terms if not term.is_retired]
    known = by_abbreviation(words)
    words_themselves = {spelled for pairs in known.values() for spelled, _ in pairs}
    evidence: dict[str, dict[str, list[Term]]] = {}
    for term in current:
        for text, word in _said_by(term, known):
            if text not in words_themselves:
                evidence.setdefault(text, {}).setdefault(word, []).append(term)
    names = [key(term.name) for term in current] if evidence else []
    for text, by_word in evidence.items():
        word, agreeing = max(by_word.items(), key=lambda pair: len(pair[1]))
        total = sum(map(len, by_word.values()))
        is_whole = any(key(term.name) == key(word) for term in agreeing)
        is_agreed = len(agreeing) / total > MIN_SHARE and (is_whole or len(agreeing) >= MIN_TERMS)
        if is_agreed and sum(text in name for name in names) <= len(agreeing):
            yield Alias(text, "synonym", (word,), _origin(agreeing[0], len(agreeing)))


def _said_by(term: Term, words: _ByAbbreviation) -> set[tuple[str, str]]:
    """Return what a term's synonyms say instead of a word of it, each with that word's name."""
    parts = words_of(term, words) if term.synonyms else ()
    return {pair for synonym in term.synonyms for pair in _differing(synonym, parts)}


def _differing(synonym: str, parts: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield what a synonym says instead of one of a term's words, and that word's name."""
    said, names = key(synonym), [key(part.name) for part in parts]
    for place, part in enumerate(parts):
        head, tail = "".join(names[:place]), "".join(names[place + 1 :])
        if len(said) < len(head) + len(tail) + MIN_LETTERS:
            continue
        if said.startswith(head) and said.endswith(tail):
            yield said[len(head) : len(said) - len(tail)], part.name


def _origin(term: Term, count: int) -> Origin:
    where = term.origin
    said = f"{where.entry_id}, learned from the synonyms of {count} terms"
    return Origin(where.source, TABLE, where.row, said, where.edition, where.file)
