"""The glossary: loaded once from readable CSV files, indexed for lookup.

A file that contradicts itself (a term without its domain, an alias of an unknown word) is
refused with the row to mend, so that no answer is ever built on half a glossary.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar, cast, get_args

from minerva_data.core.glossary.calibration import Calibration, Cell, least_share
from minerva_data.core.glossary.entry import (
    Alias,
    AliasKind,
    Domain,
    Origin,
    SubjectArea,
    Term,
    Word,
)
from minerva_data.core.language.text import key

SEED = Path(__file__).parents[2] / "seed"
"""The bundled glossary of a made-up hospital."""

SEED_NAME = "minerva-seed"
"""How the bundled glossary is cited, and named in an order of precedence."""

ACCEPTED_NAME = "organisation"
"""The glossary of the words that a person accepted of what was proposed."""

PHYSICAL = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
"""What an abbreviation and a physical name look like in a glossary."""

_EntryT = TypeVar("_EntryT", Word, Term, Domain, SubjectArea)


class GlossaryError(Exception):
    """A glossary file contradicts itself; names the file and the row to mend."""

    def __init__(self, origin: Origin, reason: str) -> None:
        self.origin, self.reason = origin, reason
        file = origin.file or f"{origin.table}.csv"
        super().__init__(
            f"{file}, row {origin.row} ({origin.entry_id}): {reason} Mend the row and start again."
        )


class Glossary:
    """Words, domains, terms, aliases and subject areas, of one source or merged of several.

    `retired` holds terms whose names belong to current terms now: their physical names stay
    recognised.
    """

    def __init__(
        self,
        *,
        words: Iterable[Word],
        domains: Iterable[Domain],
        terms: Iterable[Term],
        aliases: Iterable[Alias] = (),
        subject_areas: Iterable[SubjectArea] = (),
        retired_terms: Iterable[Term] = (),
        calibrations: Mapping[str, Calibration] | None = None,
    ) -> None:
        self.domains = _unique(domains)
        self.words = _unique(words)
        self.terms = _unique(terms)
        self.aliases = tuple(aliases)
        self.subject_areas = _unique(subject_areas)
        self.retired_terms = tuple(retired_terms)
        self.calibrations = calibrations or {}
        """What imports measured, by the name of the glossary."""
        self._check()

    def _check(self) -> None:
        """Raise `GlossaryError` on the first row that contradicts another."""
        classes = {domain.domain_class for domain in self.domains.values()}
        for word in self.words.values():
            if not PHYSICAL.fullmatch(word.abbreviation):
                raise GlossaryError(word.origin, f"`{word.abbreviation}` is not an abbreviation.")
            if word.domain_class is not None and word.domain_class not in classes:
                raise GlossaryError(word.origin, f"no domain is of class `{word.domain_class}`.")
        for term in (*self.terms.values(), *self.retired_terms):
            if not PHYSICAL.fullmatch(term.physical_name):
                raise GlossaryError(term.origin, f"`{term.physical_name}` is no physical name.")
            if term.domain is not None and term.domain not in self.domains:
                raise GlossaryError(term.origin, f"domain `{term.domain}` does not exist.")
            if term.replaced_by is not None and term.replaced_by not in self.terms:
                raise GlossaryError(term.origin, f"term `{term.replaced_by}` does not exist.")
        for alias in self.aliases:
            missing = [name for name in alias.target if name not in self.words]
            if missing:
                raise GlossaryError(alias.origin, f"word `{missing[0]}` does not exist.")

    def share_right(self, sources: Iterable[str], cell: Cell) -> float:
        """Return how often a name is right, from 0 to 1, that rests on rows of `sources`."""
        return least_share(map(self.calibrations.get, sources), cell)

    @cached_property
    def has_imported_terms(self) -> bool:
        """True if another standard answers; words that a person accepted only join the bundled."""
        return any(term.origin.source != SEED_NAME for term in self.terms.values())

    @cached_property
    def terms_by_key(self) -> Mapping[str, Term]:
        """Terms by name without spaces and case."""
        return {key(term.name): term for term in self.terms.values()}

    @cached_property
    def _owners(self) -> Mapping[str, dict[str, tuple[Term, str]]]:
        """The terms of the first source that lists a synonym, and the synonym as written.

        By that synonym without spaces and case; terms stand in order of precedence.
        """
        owners: dict[str, dict[str, tuple[Term, str]]] = {}
        for term in self.terms.values():
            for synonym in term.synonyms:
                own = owners.setdefault(key(synonym), {})
                if all(other.origin.source == term.origin.source for other, _ in own.values()):
                    own.setdefault(term.name, (term, synonym))
        return owners

    @cached_property
    def terms_by_synonym(self) -> Mapping[str, tuple[Term, str]]:
        """The one term that has a synonym, and the synonym as written."""
        lone = ((text, own.values()) for text, own in self._owners.items() if len(own) == 1)
        return {text: next(iter(pairs)) for text, pairs in lone}

    @cached_property
    def terms_of_shared_synonym(self) -> Mapping[str, tuple[Term, ...]]:
        """The current terms of one source that share a synonym: nothing decides between them."""
        several = {text: own.values() for text, own in self._owners.items() if len(own) > 1}
        return {text: tuple(t for t, _ in own if not t.is_retired) for text, own in several.items()}

    @cached_property
    def heads(self) -> frozenset[str]:
        """The words of one syllable with which terms begin, as the abbreviation there says.

        All of them where there is no term that could show it.
        """
        first = {(term.name[:1], term.physical_name.split("_")[0]) for term in self.terms.values()}
        words = (word for word in self.words.values() if len(word.name) == 1)
        return frozenset(w.name for w in words if (w.name, w.abbreviation) in first or not first)

    @cached_property
    def terms_by_physical(self) -> Mapping[str, tuple[Term, ...]]:
        """Terms by physical name in upper case; two terms may share one (rule U1)."""
        found: dict[str, tuple[Term, ...]] = {}
        for term in (*self.terms.values(), *self.retired_terms):
            name = term.physical_name.upper()
            found[name] = (*found.get(name, ()), term)
        return found

    @cached_property
    def areas(self) -> frozenset[str | None]:
        """The names of the subject areas that terms, words and the table of areas have."""
        of_terms = (term.subject_area for term in self.terms.values())
        of_words = (word.subject_area for word in self.words.values())
        return frozenset((*self.subject_areas, *of_terms, *of_words))

    @cached_property
    def class_words(self) -> Mapping[str, Word]:
        """The words that may end a term, by name."""
        return {word.name: word for word in self.words.values() if word.is_class}

    @cached_property
    def domain_counts(self) -> Mapping[str, Counter[str]]:
        """How often the terms that end in a class word use each domain."""
        counts: dict[str, Counter[str]] = {}
        for term in self.terms.values():
            word = self.class_word_of(term.name)
            if word is not None and term.domain is not None and not term.is_retired:
                counts.setdefault(word.name, Counter())[term.domain] += 1
        return counts

    def class_word_of(self, name: str) -> Word | None:
        """Return the longest class word that ends `name`."""
        ends = (name[start:] for start in range(len(name)))
        return next((self.class_words[end] for end in ends if end in self.class_words), None)

    @cached_property
    def _domains_by_class(self) -> Mapping[str, tuple[Domain, ...]]:
        found: dict[str, tuple[Domain, ...]] = {}
        for domain in self.domains.values():
            found[domain.domain_class] = (*found.get(domain.domain_class, ()), domain)
        return found

    def domains_of_class(self, domain_class: str | None) -> tuple[Domain, ...]:
        """Return the domains of one class (번호: 번호V10, 번호V20, …)."""
        return self._domains_by_class.get(domain_class or "", ())


@cache
def seed_glossary() -> Glossary:
    """Return the bundled glossary, read once in a process."""
    return read_glossary(SEED)


def read_glossary(folder: Path) -> Glossary:
    """Return the glossary that lies in `folder` as five CSV files.

    Raises:
        GlossaryError: a row contradicts another.
    """
    return Glossary(
        words=_read_table(folder, "words", _word),
        domains=_read_table(folder, "domains", _domain),
        terms=_read_table(folder, "terms", _term),
        aliases=_read_table(folder, "aliases", _alias),
        subject_areas=_read_table(folder, "subject_areas", _subject_area),
    )


_RowT = TypeVar("_RowT")


def _read_table(
    folder: Path, table: str, to_entry: Callable[[dict[str, str], Origin], _RowT]
) -> Iterator[_RowT]:
    with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            origin = Origin(row["source"], table, number, row["id"])
            try:
                yield to_entry(row, origin)
            except (KeyError, ValueError) as error:
                raise GlossaryError(origin, f"cannot be read ({error}).") from error


def _word(row: dict[str, str], origin: Origin) -> Word:
    return Word(
        name=row["word"],
        abbreviation=row["abbreviation"],
        english=row["english"],
        is_class=row["class_word"] == "Y",
        domain_class=row["domain_class"] or None,
        subject_area=row["subject_area"] or None,
        origin=origin,
    )


def _domain(row: dict[str, str], origin: Origin) -> Domain:
    return Domain(
        name=row["domain"],
        domain_class=row["domain_class"],
        data_type=row["data_type"],
        length=int(row["length"]) if row["length"] else None,
        scale=int(row["scale"]) if row["scale"] else None,
        description=row["description"],
        origin=origin,
    )


def _term(row: dict[str, str], origin: Origin) -> Term:
    return Term(
        name=row["term"],
        physical_name=row["physical_name"],
        domain=row["domain"] or None,
        subject_area=row["subject_area"] or None,
        synonyms=tuple(part for part in row["synonyms"].split(";") if part),
        is_retired=row["retired"] == "Y",
        replaced_by=row["replaced_by"] or None,
        description=row["description"],
        origin=origin,
    )


def _alias(row: dict[str, str], origin: Origin) -> Alias:
    if row["kind"] not in get_args(AliasKind):
        message = f"`{row['kind']}` is no kind of alias"
        raise ValueError(message)
    target = tuple(row["target"].split("+"))
    return Alias(row["alias"], cast("AliasKind", row["kind"]), target, origin)


def _subject_area(row: dict[str, str], origin: Origin) -> SubjectArea:
    return SubjectArea(row["subject_area"], row["english"], origin)


def _unique(entries: Iterable[_EntryT]) -> dict[str, _EntryT]:
    found: dict[str, _EntryT] = {}
    for entry in entries:
        if entry.name in found:
            raise GlossaryError(entry.origin, f"`{entry.name}` stands twice.")
        found[entry.name] = entry
    return found
