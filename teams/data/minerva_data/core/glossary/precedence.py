"""Leave out of the bundled glossary what an imported one says itself.

The bundled glossary belongs to a made-up hospital. Beside an imported standard it only fills gaps:
its 식별자 for `ID` may not decide where the standard has 아이디 = ID.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from minerva_data.core.glossary.entry import Alias, Term, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.layer import Layer
from minerva_data.core.glossary.synonym import by_abbreviation, words_of
from minerva_data.core.language.text import atoms, has_hangul, key
from minerva_data.core.lookup.candidate import CandidateBuilder
from minerva_data.core.lookup.composer import Composer
from minerva_data.core.lookup.segment import refused_parts, splits
from minerva_data.core.lookup.term import TermFinder


class ImportedSpeech:
    """What the imported glossaries can say by word, term, synonym or abbreviation."""

    def __init__(self, imported: Glossary) -> None:
        build = CandidateBuilder(imported)
        self._imported = imported
        self._terms = TermFinder(imported, build)
        self._composer = Composer(imported, self._terms, build)
        self._words = {key(word.name): word for word in imported.words.values()}

    def meanings(self, text: str) -> Iterator[tuple[str, ...]]:
        """Yield what `text` means, each time as the keys of its words or of its term.

        A Latin text is also read as a column name, by abbreviations and physical names.
        """
        spelled = key(text)
        term = self._imported.terms_by_key.get(spelled)
        synonym = self._imported.terms_by_synonym.get(spelled)
        yield from ((key(one.name),) for one in (term, synonym and synonym[0]) if one)
        vocabularies = [self._composer.phrases]
        if not has_hangul(text):
            physical = self._imported.terms_by_physical.get(text.upper(), ())
            yield from ((key(one.name),) for one in physical)
            vocabularies.append(self._composer.identifiers)
        for vocabulary in vocabularies:
            for split in splits(atoms(text), vocabulary):
                if not refused_parts(split):
                    words = (word for piece in split for word in piece.reading.words)
                    yield tuple(key(word.name) for word in words)

    def says(self, text: str) -> bool:
        """True if `text` means anything."""
        return any(True for _ in self.meanings(text))

    def contradicts(self, text: str, target: Iterable[str]) -> bool:
        """True if `text` means something, and never the words of `target`."""
        wanted = "".join(map(key, target))
        found = ["".join(words) for words in self.meanings(text)]
        return bool(found) and wanted not in found

    def abbreviates_otherwise(self, words: Iterable[Word]) -> bool:
        """True if one of `words` has another abbreviation here."""
        here = ((word, self._words.get(key(word.name))) for word in words)
        return any(own is not None and own.abbreviation != it.abbreviation for it, own in here)


def without_said(bundled: Layer, imported: Glossary) -> Layer:
    """Return the bundled glossary without what `imported` says.

    A term is left out, too, if its physical name is another term's there, or is made with a word
    that is abbreviated otherwise there.
    """
    speech = ImportedSpeech(imported)
    known = by_abbreviation(word for _, word in bundled.words)

    def is_open(term: Term) -> bool:
        is_said = speech.says(term.name) or term.physical_name in imported.terms_by_physical
        return not (is_said or speech.abbreviates_otherwise(words_of(term, known)))

    return replace(
        bundled,
        terms=[(spelled, _open(term, speech)) for spelled, term in bundled.terms if is_open(term)],
        words=[pair for pair in bundled.words if not speech.says(pair[1].name)],
        aliases=[alias for alias in bundled.aliases if _is_open(alias, speech)],
    )


def _open(term: Term, speech: ImportedSpeech) -> Term:
    """Return `term` without the synonyms that are said."""
    synonyms = tuple(text for text in term.synonyms if not speech.says(text))
    return term if synonyms == term.synonyms else replace(term, synonyms=synonyms)


def _is_open(alias: Alias, speech: ImportedSpeech) -> bool:
    return alias.kind == "near" or not speech.contradicts(alias.text, alias.target)
