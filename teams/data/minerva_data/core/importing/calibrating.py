"""Measure how sure the names of an edition are, by hiding a fifth of its terms from itself.

The other four fifths teach words and synonyms as an import does. Each hidden term is then asked
for by its name, and by its physical name as a column's: right is what the hidden row says.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from minerva_data.core.glossary.alignment import TABLE
from minerva_data.core.glossary.calibration import Cell
from minerva_data.core.glossary.entry import Origin, Term, Word
from minerva_data.core.glossary.merging import Layer, merge_layers
from minerva_data.core.importing.learning import MAX_TERMS, settled_words
from minerva_data.core.language.text import key
from minerva_data.core.lookup.candidate import cell_of
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Candidate
from minerva_data.core.store.store import read_rows, rows_to_layer

_FIFTH = 51
"""Of 256 values of a hash's first byte."""


def measure(connection: sqlite3.Connection, edition_id: int) -> dict[Cell, tuple[int, int]]:
    """Return the names asked and right, by way, of the terms of an edition that are hidden."""
    layer = rows_to_layer("", "", read_rows(connection, edition_id))
    current = [pair for pair in layer.terms if not pair[1].is_retired][:MAX_TERMS]
    others = [pair for pair in current if not is_hidden(pair[1].name)]
    rest = [term for _, term in current if is_hidden(term.name)]
    lookup = Lookup(merge_layers([_layer_of(layer, others)]))
    outcomes = (*_outcomes(lookup, rest), *_synonyms([term for _, term in current]))
    every = Counter(cell for cell, _ in outcomes)
    right = Counter(cell for cell, is_right in outcomes if is_right)
    return {cell: (count, right[cell]) for cell, count in every.items()}


def is_hidden(name: str, *, part: int = 0) -> bool:
    """True if the term of that name is in the fifth `part` (0 to 4), which the hash decides."""
    return sha256(name.encode()).digest()[0] // _FIFTH == part


def _layer_of(layer: Layer, terms: list[tuple[str, Term]]) -> Layer:
    """Return `layer` with `terms` alone, and the words that they teach if it has none."""
    if layer.words:
        return replace(layer, terms=terms)
    domains = {domain.name: domain for _, domain in (*layer.domains, *layer.learned_domains)}
    words: list[tuple[str, Word]] = []
    for rank, one in enumerate(settled_words([term for _, term in terms], domains), start=1):
        origin, kind = Origin("", TABLE, rank, ""), one.domain_class
        word = Word(
            one.name, one.abbreviation, "", kind is not None, kind, None, origin, one.others
        )
        words.append((key(one.name), word))
    return replace(layer, terms=terms, learned_words=words)


def _outcomes(lookup: Lookup, terms: Sequence[Term]) -> Iterator[tuple[Cell, bool]]:
    """Yield the way to each name that is given for a hidden term, and whether it is right.

    Its synonyms are asked for, too, where synonyms of words read them: names hold few of these.
    """
    for term in terms:
        by_name, by_column = lookup.best(term.name), lookup.best(term.physical_name)
        if by_name is not None and by_name.words:
            yield _cell(by_name, lookup), by_name.physical_name == term.physical_name
        if by_column is not None and by_column.words:
            yield _cell(by_column, lookup), key(by_column.logical_name) == key(term.name)
        for synonym in term.synonyms:
            best = lookup.best(synonym)
            if best is not None and any(hit.via != "word" for hit in best.words):
                yield _cell(best, lookup), best.physical_name == term.physical_name


def _cell(best: Candidate, lookup: Lookup) -> Cell:
    """Return the way to a name, as its confidence is looked up."""
    return (best.method,) if best.is_term else cell_of(best.method, best.words, lookup.glossary)


def _synonyms(terms: Sequence[Term]) -> Iterator[tuple[Cell, bool]]:
    """Yield each synonym that a term lists, and whether it means that term and no other."""
    owners = Counter(key(text) for term in terms for text in {term.name, *term.synonyms})
    for text in (key(text) for term in terms for text in term.synonyms):
        yield ("synonym",), owners[text] == 1
