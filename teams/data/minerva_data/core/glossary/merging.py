"""Make one glossary of several: the first that knows a name decides, and nothing is ambiguous.

A later glossary fills what earlier ones leave open. What was learned from terms never beats a
declared entry, save that of the bundled glossary, which only ever fills what no other says.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from minerva_data.core.glossary.alignment import MIN_SHARE, TABLE
from minerva_data.core.glossary.calibration import Calibration
from minerva_data.core.glossary.entry import Alias, Domain, Origin, SubjectArea, Term, Word
from minerva_data.core.glossary.glossary import ACCEPTED_NAME, SEED_NAME, Glossary
from minerva_data.core.language.text import atoms, has_hangul, key
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.lookup.composer import Composer, TermFinder
from minerva_data.core.lookup.segment import refused_parts, splits

MIN_TERMS = 3
"""Terms whose synonyms must agree, unless a term is the word itself."""

MIN_LETTERS = 2
"""Letters of a learned synonym: one syllable stands in too many words."""

_ByAbbreviation = Mapping[str, Sequence[tuple[str, Word]]]
_EntryT = TypeVar("_EntryT")


@dataclass(slots=True)
class Layer:
    """What one edition of a glossary holds; entries with their names' keys."""

    name: str
    terms: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])
    words: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    learned_words: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    domains: list[tuple[str, Domain]] = field(default_factory=list[tuple[str, Domain]])
    learned_domains: list[tuple[str, Domain]] = field(default_factory=list[tuple[str, Domain]])
    aliases: list[Alias] = field(default_factory=list[Alias])
    subject_areas: list[SubjectArea] = field(default_factory=list[SubjectArea])
    calibration: Calibration | None = None


def glossary_to_layer(glossary: Glossary) -> Layer:
    """Return a glossary that was read whole, such as the bundled one, as a layer."""
    return Layer(
        SEED_NAME,
        terms=[(key(term.name), term) for term in glossary.terms.values()],
        words=[(key(word.name), word) for word in glossary.words.values()],
        domains=[(key(domain.name), domain) for domain in glossary.domains.values()],
        aliases=list(glossary.aliases),
        subject_areas=list(glossary.subject_areas.values()),
    )


def merge_layers(layers: Sequence[Layer]) -> Glossary:
    """Return one glossary of `layers`, the first of which goes before the others.

    Behind an imported glossary the bundled one only translates (`as_translation`); words that a
    person accepted join it. Imported ones get the synonyms that their terms teach.
    """
    layers = [layer if layer.name == SEED_NAME else _with_learned(layer) for layer in layers]
    bundled = next((at for at, layer in enumerate(layers) if layer.name == SEED_NAME), 0)
    if any(map(_names_things, layers[:bundled])):
        layers[bundled] = as_translation(layers[bundled], _merge(layers[:bundled]))
    return _merge(layers)


def _names_things(layer: Layer) -> bool:
    """True if a layer is a glossary of its own: not aliases alone, nor words that were accepted."""
    return bool(layer.terms or (layer.words and layer.name != ACCEPTED_NAME))


def _with_learned(layer: Layer) -> Layer:
    words = dict((*layer.learned_words, *layer.words))
    terms = (term for _, term in layer.terms)
    return replace(layer, aliases=[*layer.aliases, *learn_synonyms(terms, words.values())])


def _merge(layers: Sequence[Layer]) -> Glossary:
    domains: dict[str, Domain] = {}
    for _, spelled, domain in _in_order(layers, lambda it: (it.domains, it.learned_domains)):
        domains.setdefault(spelled, domain)
    words = _words(layers, {domain.domain_class for domain in domains.values()})
    terms, retired = _terms(layers, {domain.name for domain in domains.values()})
    words, aliases = _spellings(layers, words)
    return Glossary(
        words=words.values(),
        domains=domains.values(),
        terms=terms,
        aliases=aliases,
        subject_areas={a.name: a for it in reversed(layers) for a in it.subject_areas}.values(),
        retired_terms=retired,
        calibrations={layer.name: layer.calibration for layer in layers if layer.calibration},
    )


def _in_order(
    layers: Sequence[Layer], tables: Callable[[Layer], Sequence[list[tuple[str, _EntryT]]]]
) -> Iterator[tuple[int, str, _EntryT]]:
    """Yield a layer's place, key and entry: of all layers the first table, then the second."""
    for _, tier in groupby(enumerate(layers), key=lambda pair: pair[1].name == SEED_NAME):
        members = [(place, tables(layer)) for place, layer in tier]
        for table in range(2):
            for place, found in members:
                yield from ((place, spelled, entry) for spelled, entry in found[table])


def _words(layers: Sequence[Layer], classes: set[str]) -> dict[str, Word]:
    """Return the words by key.

    A word is left out where an earlier glossary calls it a mere synonym, or gives its
    abbreviation to another word: names made with it would mean something else there.
    """
    synonym_of = _first_places(layers)
    words: dict[str, Word] = {}
    owners: dict[str, int] = {}
    for place, spelled, word in _in_order(layers, lambda it: (it.words, it.learned_words)):
        is_other_s = owners.get(word.abbreviation, place) != place
        if spelled in words or is_other_s or synonym_of.get(spelled, place) < place:
            continue
        owners[word.abbreviation] = place
        known = word.domain_class is None or word.domain_class in classes
        words[spelled] = word if known else replace(word, domain_class=None)
    return words


def _first_places(layers: Sequence[Layer]) -> dict[str, int]:
    """Return the first layer in which a text is another way to say a word."""
    return {
        key(alias.text): place
        for place, layer in reversed(list(enumerate(layers)))
        for alias in layer.aliases
        if alias.kind in {"synonym", "forbidden"}
    }


def _terms(layers: Sequence[Layer], domains: set[str]) -> tuple[list[Term], list[Term]]:
    """Return the terms in order, and the retired ones whose names others have."""
    found: dict[str, Term] = {}
    others: list[tuple[str, Term]] = []
    for layer in layers:
        for spelled, term in sorted(layer.terms, key=lambda pair: pair[1].is_retired):
            if spelled not in found:
                found[spelled] = term
            elif term.is_retired:
                others.append((spelled, term))
    terms = [_settled(term, found, domains) for term in found.values()]
    retired = [_settled(replace(t, replaced_by=found[k].name), found, domains) for k, t in others]
    return terms, retired


def _settled(term: Term, terms: dict[str, Term], domains: set[str]) -> Term:
    """Return `term` without an undeclared domain, and with what replaces it today."""
    current = _current(term, terms) if term.is_retired else None
    domain = term.domain if term.domain in domains else None
    if domain == term.domain and current == term.replaced_by:
        return term
    return replace(term, domain=domain, replaced_by=current)


def _current(term: Term, terms: dict[str, Term]) -> str | None:
    """Follow what replaced a retired term to a term that is not retired; None if there is none."""
    seen: set[str] = set()
    while term.replaced_by is not None:
        spelled = key(term.replaced_by)
        if spelled in seen or spelled not in terms:
            return None
        seen.add(spelled)
        term = terms[spelled]
        if not term.is_retired:
            return term.name
    return None


def _spellings(
    layers: Sequence[Layer], words: dict[str, Word]
) -> tuple[dict[str, Word], list[Alias]]:
    """Return the words with their English, and the aliases, as far as earlier ones leave room.

    Two meanings within one glossary stay: that is the glossary's own ambiguity.
    """
    claims: dict[tuple[bool, str], tuple[int, tuple[str, ...]]] = {}
    aliases: list[Alias] = []
    spoken = dict(words)

    def may_claim(text: str, place: int, target: tuple[str, ...], *, is_short: bool) -> bool:
        first, meaning = claims.setdefault((is_short, key(text)), (place, target))
        return first == place or meaning == target

    for place, layer in enumerate(layers):
        for spelled, word in layer.words:
            mine = words.get(spelled)
            if mine is None or mine.origin is not word.origin or not word.english:
                continue
            if not may_claim(word.english, place, (word.name,), is_short=False):
                spoken[spelled] = replace(mine, english="")
        for alias in layer.aliases:
            target = tuple(words[k].name for name in alias.target if (k := key(name)) in words)
            is_whole = len(target) == len(alias.target)
            is_short = alias.kind == "abbreviation"
            if is_whole and may_claim(alias.text, place, target, is_short=is_short):
                aliases.append(alias if target == alias.target else replace(alias, target=target))
    return spoken, aliases


class ImportedSpeech:
    """What the imported glossaries can say by word, term, synonym or abbreviation."""

    def __init__(self, glossary: Glossary) -> None:
        build = CandidateBuilder(glossary)
        self._glossary = glossary
        self._terms = TermFinder(glossary, build)
        self._composer = Composer(glossary, self._terms, build)

    def meanings(self, text: str) -> Iterator[tuple[str, ...]]:
        """Yield what `text` means, each time as the keys of its words or of its term.

        A Latin text is also read as a column name, by abbreviations and physical names.
        """
        spelled = key(text)
        term = self._glossary.terms_by_key.get(spelled)
        synonym = self._glossary.terms_by_synonym.get(spelled)
        yield from ((key(one.name),) for one in (term, synonym and synonym[0]) if one)
        vocabularies = [self._composer.phrases]
        if not has_hangul(text):
            physical = self._glossary.terms_by_physical.get(text.upper(), ())
            yield from ((key(one.name),) for one in physical)
            vocabularies.append(self._composer.identifiers)
        for vocabulary in vocabularies:
            for split in splits(atoms(text), vocabulary):
                if not refused_parts(split, self._glossary.heads):
                    words = (word for piece in split for word in piece.reading.words)
                    yield tuple(key(word.name) for word in words)

    def contradicts(self, text: str, target: Iterable[str]) -> bool:
        """True if `text` means something, and never the words of `target`."""
        wanted = "".join(map(key, target))
        found = ["".join(words) for words in self.meanings(text)]
        return bool(found) and wanted not in found


def as_translation(layer: Layer, glossary: Glossary) -> Layer:
    """Return of the bundled glossary how words of `glossary` are said otherwise, and nothing else.

    It belongs to a made-up hospital: its terms, words and subject areas are no part of another
    standard. Where `glossary` reads a text otherwise, this says nothing.
    """
    speech = ImportedSpeech(glossary)
    names = {word.name for word in glossary.words.values()}
    english = (
        Alias(word.english, "gloss", (word.name,), word.origin)
        for _, word in layer.words
        if word.english
    )
    aliases = [
        alias
        for alias in (*layer.aliases, *english)
        if names.issuperset(alias.target)
        and (alias.kind == "near" or not speech.contradicts(alias.text, alias.target))
    ]
    return Layer(layer.name, aliases=aliases)


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

    A standard lists synonyms of whole terms: 등록자이름 of 등록자명. Where both differ in one word
    only, the rest of the synonym says that word: 이름 is 명.

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
