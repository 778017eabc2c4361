"""Offer the terms that are made of what was said, in whatever words and order.

`what time did the patient arrive at the ER` holds a time, a patient and the emergency room: the
term of most of these stands first. Nothing here decides: related words count, too, and some of
what was said may be left over.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import log

from rapidfuzz import fuzz

from minerva_data.core.glossary.entry import Term, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.vocabulary import Vocabulary, plurals
from minerva_data.core.language.text import MAX_PHRASE, Atoms, atoms, has_hangul, key
from minerva_data.core.lookup.segment import splits

_Spelling = tuple[str, ...]
CUTOFF = 0.45
"""Share of what was said and of the term that must meet (0 to 1) for a term to be offered."""

_CLASS_WEIGHT = 0.6
"""A class word says less than others: many terms have the same."""

_NEAR = 0.85
"""A related word counts nearly as the word itself."""
_SPREAD = 0.2
"""How fast a word tells less, the more terms have it (by the logarithm of their number)."""
_UNKNOWN = 0.3
"""Weight of an unknown word: most of them are a manner of asking."""
_DESCRIBED = 0.3
"""What a description that says the same adds, as a share of what is left to certainty."""
_ALIKE = 0.02
"""Likeness of the spelling decides between equals, and nothing else."""
_MAX_DESCRIPTION = 80
"""Characters of a description that are compared: what a term is stands at its head."""
_MAX_DESCRIBED = 500
"""Terms with a pair of letters in their description; a pair of more tells nothing."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a piece of text may stand for; `is_near`: a related word, not the same."""

    words: tuple[Word, ...]
    is_near: bool


@dataclass(frozen=True, slots=True)
class Pieces:
    """The meanings of each known piece of a text, and how many pieces are unknown."""

    meanings: tuple[tuple[Meaning, ...], ...]
    unknown: int


class MeaningReader:
    """Reads with one glossary: its words, related ones, and other names of its terms.

    This only serves to offer terms; what a name is, `segment` decides.
    """

    def __init__(self, glossary: Glossary, phrases: Vocabulary) -> None:
        self._glossary = glossary
        self._phrases = phrases

    def words(self, term: Term) -> tuple[Word, ...]:
        """Return the words that `term` is made of; none where it is not."""
        found = splits(atoms(term.name), self._phrases)
        return tuple(word for piece in found[0] for word in piece.reading.words) if found else ()

    def read_pieces(self, text: str) -> Pieces:
        """Read `text` in the fewest pieces, with as little unknown as possible."""
        spelled = atoms(text)
        size = len(spelled.keys)
        best: list[tuple[int, int]] = [(0, 0)]
        back: list[tuple[int, tuple[Meaning, ...]]] = [(0, ())]
        for end in range(1, size + 1):
            cost, start = (best[end - 1][0] + 1, best[end - 1][1]), end - 1
            found: tuple[Meaning, ...] = ()
            for first in range(max(0, end - self._longest), end):
                meanings = self._meanings(spelled, first, end)
                other = (best[first][0], best[first][1] + 1)
                if meanings and other < cost:
                    cost, start, found = other, first, meanings
            best.append(cost)
            back.append((start, found))
        return _walk_back(back, size, spelled)

    def _meanings(self, text: Atoms, start: int, end: int) -> tuple[Meaning, ...]:
        spelling = text.keys[start:end]
        if end - start == 1 and has_hangul(spelling[0]) and not _is_apart(text, start, end):
            return ()  # 일 inside 생일자 is no day
        own = [Meaning(one.words, is_near=False) for one in self._phrases.readings_of(spelling)]
        names = (tuple("".join(word.name for word in one.words)) for one in own)
        related = chain(*(self._near.get(said, ()) for said in (spelling, *names)))
        near = (Meaning(words, is_near=True) for words in dict.fromkeys(related))
        return (*own, *near)

    @cached_property
    def _near(self) -> Mapping[_Spelling, tuple[tuple[Word, ...], ...]]:
        """Related words and terms' other names by the atoms that spell them."""
        found: dict[_Spelling, tuple[tuple[Word, ...], ...]] = {}
        near = (
            (alias.text, tuple(self._glossary.words[name] for name in alias.target))
            for alias in self._glossary.aliases
            if alias.kind == "near"
        )
        current = (term for term in self._glossary.terms.values() if not term.is_retired)
        synonyms = (
            (said, self.words(term)) for term in current if term.synonyms for said in term.synonyms
        )
        for text, words in chain(near, synonyms):
            spelled = atoms(text).keys
            for spelling in (spelled, *plurals(spelled)):
                if words and words not in found.get(spelling, ()):
                    found[spelling] = (*found.get(spelling, ()), words)
        return found

    @cached_property
    def _longest(self) -> int:
        return max(self._phrases.longest, max(map(len, self._near), default=0))


def _is_apart(text: Atoms, start: int, end: int) -> bool:
    """True if one syllable begins or ends a word: in the middle it is none."""
    ends = end == len(text.keys) or end in text.borders or not has_hangul(text.keys[end])
    return ends or start == 0 or start in text.borders or not has_hangul(text.keys[start - 1])


def _walk_back(back: list[tuple[int, tuple[Meaning, ...]]], size: int, text: Atoms) -> Pieces:
    """Follow the cheapest way back; an unknown run counts once for each word it touches."""
    pieces: list[tuple[Meaning, ...]] = []
    unknown = 0
    end = size
    inside = False
    while end:
        start, meanings = back[end]
        if meanings:
            pieces.append(meanings)
        elif not inside or end in text.borders:
            unknown += 1
        inside = not meanings
        end = start
    return Pieces(_without_echo(pieces[::-1]), unknown)


def _without_echo(pieces: list[tuple[Meaning, ...]]) -> tuple[tuple[Meaning, ...], ...]:
    """Drop a piece that says again what the one before ends in: `금액 amt`, `phone 번호`."""
    kept: list[tuple[Meaning, ...]] = []
    for piece in pieces:
        before = kept[-1][0].words[-1].name if kept and kept[-1][0].words else ""
        again = piece[0].words
        if not (len(again) == 1 and again[0].is_class and before.endswith(again[0].name)):
            kept.append(piece)
    return tuple(kept)


class Concepts:
    """The terms of a glossary by the words that they are made of."""

    def __init__(self, glossary: Glossary, phrases: Vocabulary) -> None:
        self._glossary = glossary
        self._meanings = MeaningReader(glossary, phrases)

    def find_related(self, text: str, *, limit: int) -> list[tuple[Term, float]]:
        """Return at most `limit` terms that share most with `text`, and how much (0 to 1)."""
        pieces = self._meanings.read_pieces(text[: MAX_PHRASE * 4])
        bigrams = _bigrams(text)
        scored: list[tuple[float, int, Term]] = []
        for place in self._sharing(pieces, bigrams):
            term, words = self._made_of[place]
            share = _share(pieces, words, self._weight)
            share += _DESCRIBED * _overlap(bigrams, self._description_bigrams[place]) * (1 - share)
            if share >= CUTOFF:
                alike = _ALIKE * fuzz.ratio(key(text), key(term.name)) / 100
                scored.append((share + alike, -place, term))
        # A place is negative, so that of equals the glossary's first stands first.
        ranked = sorted(scored, key=lambda one: one[:2], reverse=True)[:limit]
        return [(term, min(share, 1.0)) for share, _, term in ranked]

    def knows(self, text: str) -> bool:
        """True if every word of `text` means something, be it only nearly."""
        pieces = self._meanings.read_pieces(text)
        return bool(pieces.meanings) and not pieces.unknown

    def same(self, text: str) -> tuple[Term, ...]:
        """Return the terms made of all that `text` says and of nothing else, the closest first."""
        pieces = self._meanings.read_pieces(text)
        if pieces.unknown or not pieces.meanings:
            return ()
        found: list[tuple[float, int, Term]] = []
        for place in self._sharing(pieces, frozenset()):
            term, words = self._made_of[place]
            if _is_all(pieces, words):
                found.append((-_share(pieces, words, self._weight), place, term))
        return tuple(term for *_, term in sorted(found, key=lambda one: one[:2]))

    def with_class_word(self, words: Iterable[str]) -> tuple[Term, ...]:
        """Return the terms that are `words` and a class word: 알레르기내용 for 알레르기."""
        wanted = tuple(words)
        places = self._places.get(wanted[0], ()) if wanted else ()
        return tuple(
            term
            for term, made in (self._made_of[place] for place in places)
            if len(made) == len(wanted) + 1
            and tuple(word.name for word in made[:-1]) == wanted
            and made[-1].is_class
        )

    def ending(self, words: Sequence[str]) -> tuple[Term, ...]:
        """Return the terms that are one word and `words`: 환자체중 for 체중."""
        made = (self._made_of[place] for place in self._places.get(words[0], ()))
        return tuple(
            term for term, all_words in made if [word.name for word in all_words[1:]] == list(words)
        )

    def in_any_order(self, words: Sequence[str]) -> tuple[Term, ...]:
        """Return the terms of the same words, in whatever order."""
        wanted = sorted(words)
        made = (self._made_of[place] for place in self._places.get(words[0], ()))
        return tuple(term for term, those in made if sorted(w.name for w in those) == wanted)

    def term(self, name: str) -> Term | None:
        """Return the current term of that name."""
        found = self._glossary.terms_by_key.get(key(name))
        return found if found is not None and not found.is_retired else None

    def says(self, term: Term, words: Iterable[str]) -> bool:
        """True if the description of `term` names all of `words`."""
        return all(word in term.description for word in words)

    @cached_property
    def _made_of(self) -> list[tuple[Term, tuple[Word, ...]]]:
        current = (term for term in self._glossary.terms.values() if not term.is_retired)
        return [(term, self._meanings.words(term)) for term in current]

    @cached_property
    def _description_bigrams(self) -> list[frozenset[str]]:
        return [_bigrams(term.description[:_MAX_DESCRIPTION]) for term, _ in self._made_of]

    @cached_property
    def _places(self) -> "dict[str, array[int]]":
        """The places of the terms in `_made_of` by their words."""
        places: dict[str, array[int]] = {}
        for place, (_, words) in enumerate(self._made_of):
            for name in {word.name for word in words}:
                places.setdefault(name, array("I")).append(place)
        return places

    def _weight(self, word: Word) -> float:
        """Return how much a word tells: one of many terms (환자) less than one of few."""
        spread = len(self._places.get(word.name, ())) or 1
        return (_CLASS_WEIGHT if word.is_class else 1.0) / (1 + _SPREAD * log(spread))

    @cached_property
    def _by_bigram(self) -> "dict[str, array[int]]":
        """The places of the terms by pairs of letters in their descriptions."""
        places: dict[str, array[int]] = {}
        for place, bigrams in enumerate(self._description_bigrams):
            for bigram in bigrams:
                places.setdefault(bigram, array("I")).append(place)
        return places

    def _sharing(self, pieces: Pieces, bigrams: frozenset[str]) -> list[int]:
        """Return the terms that share a word with the pieces, a class word only if need be."""
        meant = [word for piece in pieces.meanings for meaning in piece for word in meaning.words]
        telling = {word.name for word in meant if not word.is_class}
        places = {place for name in telling for place in self._places.get(name, ())}
        described = (self._by_bigram.get(pair, ()) for pair in bigrams)
        places.update(place for some in described if len(some) <= _MAX_DESCRIBED for place in some)
        if not telling:
            names = {word.name for word in meant}
            places.update(place for name in names for place in self._places.get(name, ()))
        return sorted(places)


def _share(pieces: Pieces, words: tuple[Word, ...], weight: Callable[[Word], float]) -> float:
    """Return how much of the pieces, and of the term's words, is in the other."""
    left = {word.name: weight(word) for word in words}
    whole = sum(left.values())
    said = matched = 0.0
    for piece in pieces.meanings:
        best, meant = 0.0, min(sum(map(weight, one.words)) for one in piece)
        taken: tuple[Word, ...] = ()
        for meaning in piece:
            kept = sum(left.get(word.name, 0.0) for word in meaning.words)
            worth = kept * (_NEAR if meaning.is_near else 1.0)
            if worth > best:
                best, taken = worth, meaning.words
                meant = sum(map(weight, meaning.words))
        # What is said a second time (환자 … 환자의) matches no word that is left; it costs nothing.
        repeats = not best and any(w in words for one in piece for w in one.words)
        said += 0.0 if repeats else meant
        matched += best
        for word in taken:
            left.pop(word.name, None)
    total = said + whole + _UNKNOWN * pieces.unknown
    return 2 * matched / total if total else 0.0


def _is_all(pieces: Pieces, words: tuple[Word, ...]) -> bool:
    """True if every piece means words of the term, in its order, and every word is meant."""
    names = [word.name for word in words]
    at = {0}  # where in the term the pieces so far may end; a piece may mean one word or several
    for piece in pieces.meanings:
        reached: set[int] = set()
        for meaning in piece:
            said = [word.name for word in meaning.words]
            reached |= {p + len(said) for p in at if names[p : p + len(said)] == said}
        at = reached
    return len(names) in at


def _bigrams(text: str) -> frozenset[str]:
    """Return the pairs of letters inside the Korean words of `text`."""
    words = (word for word in text.split() if has_hangul(word))
    return frozenset(word[at : at + 2] for word in words for at in range(len(word) - 1))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one) if one else 0.0
