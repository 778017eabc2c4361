"""The bundled glossary is sound: every row can be cited, none contradicts another."""

import csv
import re
from pathlib import Path

import pytest

from minerva_data.core.audit.style import MAX_LENGTH
from minerva_data.core.glossary.glossary import SEED, Glossary, GlossaryError, read_glossary
from minerva_data.core.language.text import atoms, key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.segment import splits


def seed_rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table as they stand in its file."""
    with (SEED / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_seed_is_large_enough_to_be_useful(glossary: Glossary) -> None:
    """A demo over three rows would prove nothing."""
    glosses = [alias for alias in glossary.aliases if alias.kind == "gloss"]
    korean = [alias for alias in glossary.aliases if alias.kind in {"synonym", "forbidden"}]

    assert len(glossary.words) >= 180
    assert len(glossary.domains) >= 70
    assert len(glossary.terms) >= 120
    assert len(glosses) >= 120
    assert len(korean) >= 60
    assert {"환자정보", "진료정보", "청구정보", "공통"} <= set(glossary.subject_areas)


def test_every_row_names_itself_and_its_source() -> None:
    """A citation of a row without id or source would point nowhere."""
    for file in SEED.glob("*.csv"):
        header, *rows = file.read_text(encoding="utf-8").splitlines()
        assert header.startswith("id,")
        assert header.endswith(",source")
        assert len({row.split(",")[0] for row in rows}) == len(rows)
        assert all(row.endswith(",minerva-seed") for row in rows)


def test_a_domain_is_named_class_letter_length(glossary: Glossary) -> None:
    """`번호V20` says class, type and length; a row that says otherwise misleads."""
    letters = {"C": "CHAR", "V": "VARCHAR", "N": "NUMERIC", "D": "DATETIME"}
    for domain in glossary.domains.values():
        found = re.fullmatch(r"(.+?)([CVND])(\d+)?(?:,(\d+))?", domain.name)
        assert found is not None
        assert found.group(1) == domain.domain_class
        assert letters[found.group(2)] == domain.data_type
        length = int(found.group(3)) if found.group(3) else None
        scale = int(found.group(4)) if found.group(4) else None
        assert (length, scale) == (domain.length, domain.scale)


def test_abbreviations_are_told_apart(glossary: Glossary) -> None:
    """Two words with one abbreviation would make names that nobody can read back."""
    abbreviations = [word.abbreviation for word in glossary.words.values()]

    assert len(abbreviations) == len(set(abbreviations))
    assert all(2 <= len(abbreviation) <= 6 for abbreviation in abbreviations)


def test_terms_are_composed_of_their_words(lookup: Lookup) -> None:
    """The term table and the word table agree, save for names that were decided as a whole."""
    fused = {row["term"] for row in seed_rows("terms") if row["fused"] == "Y"}
    for term in lookup.glossary.terms.values():
        found = {
            "_".join(word.abbreviation for piece in split for word in piece.reading.words)
            for split in splits(atoms(term.name), lookup.phrases)
        }
        assert (found == {term.physical_name}) == (term.name not in fused), term.name


def test_a_current_term_ends_in_a_class_word_and_has_a_domain(glossary: Glossary) -> None:
    """The seed keeps the rules that it is used to audit: N2, N4, D3."""
    for term in glossary.terms.values():
        assert term.domain is not None
        assert glossary.class_word_of(term.name) is not None, term.name
        assert len(term.physical_name) <= MAX_LENGTH
        assert term.subject_area in glossary.subject_areas


def test_a_domain_is_of_the_class_of_the_last_word(glossary: Glossary) -> None:
    """D1: save for an address of another kind, which the domain's own class says."""
    for term in glossary.terms.values():
        word = glossary.class_word_of(term.name)
        domain = glossary.domains[term.domain or ""]
        assert word is not None
        assert domain.domain_class.endswith(word.domain_class or ""), term.name


def test_no_alias_stands_for_itself_or_hides_a_word(glossary: Glossary) -> None:
    """An alias that is also a word of its own would change what that word means.

    What only says something near changes nothing: 종류 may be a 유형, too.
    """
    words = {key(word.name) for word in glossary.words.values()}
    for alias in glossary.aliases:
        if alias.kind not in {"abbreviation", "near"}:
            assert key(alias.text) not in words, alias.text


def test_what_is_only_near_decides_nothing(lookup: Lookup) -> None:
    """An ambiguous word that also stood among the sure ones would be decided after all."""
    near: dict[str, set[tuple[str, ...]]] = {}
    for alias in lookup.glossary.aliases:
        if alias.kind == "near":
            near.setdefault(alias.text, set()).add(alias.target)
    by_row = [a for a in lookup.glossary.aliases if a.kind == "near"]
    cited = {
        reading.origin.entry_id
        for readings in lookup.phrases.readings.values()
        for reading in readings
        if reading.origin is not None
    }

    assert len(by_row) == sum(map(len, near.values()))
    assert not cited & {alias.origin.entry_id for alias in by_row}


def test_no_two_terms_share_a_physical_name(glossary: Glossary) -> None:
    """U1: one name for two things could not be read back."""
    names = [term.physical_name for term in glossary.terms.values()]

    assert len(names) == len(set(names))
    synonyms = [key(one) for term in glossary.terms.values() for one in term.synonyms]
    assert len(synonyms) == len(set(synonyms))
    assert not set(synonyms) & {key(term.name) for term in glossary.terms.values()}


def test_every_domain_class_of_a_word_exists(glossary: Glossary) -> None:
    """And a class word alone can always be given a domain, where one domain is of its class."""
    classes = {domain.domain_class for domain in glossary.domains.values()}

    assert all(w.domain_class in classes for w in glossary.words.values() if w.is_class)
    assert all(not w.domain_class for w in glossary.words.values() if not w.is_class)


def test_no_spelling_of_a_phrase_has_two_meanings(lookup: Lookup) -> None:
    """A second meaning would make names ambiguous that nobody could then decide."""
    several = [key for key, found in lookup.phrases.readings.items() if len(found) > 1]

    assert several == []


def test_a_contradiction_names_the_row_to_mend(tmp_path: Path) -> None:
    """Half a glossary is worse than none: an alias of an unknown word is refused."""
    for file in SEED.glob("*.csv"):
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    with (tmp_path / "aliases.csv").open("a", encoding="utf-8") as end:
        end.write("A999,synonym,거시기,없는말,mine\n")

    with pytest.raises(GlossaryError, match=r"aliases\.csv, row \d+ \(A999\): word `없는말`"):
        read_glossary(tmp_path)


@pytest.mark.parametrize(
    ("table", "row", "fault"),
    [
        ("words", "W999,말,bad name,word,N,,,mine", "not an abbreviation"),
        ("words", "W999,말,WRD,word,Y,없는분류,,mine", "no domain is of class"),
        ("words", "W999,환자,PTX,word,N,,,mine", "stands twice"),
        ("terms", "T999,말,pt,번호V20,환자정보,,,,,,mine", "no physical name"),
        ("terms", "T999,말,PT_X,없음V1,환자정보,,,,,,mine", "domain `없음V1`"),
        ("terms", "T999,말,PT_X,번호V20,환자정보,,Y,없는용어,,,mine", "term `없는용어`"),
        ("aliases", "A999,nonsense,말,환자,mine", "no kind of alias"),
        ("domains", "D999,번호V99,번호,VARCHAR,many,,,mine", "cannot be read"),
    ],
)
def test_each_contradiction_is_found(tmp_path: Path, table: str, row: str, fault: str) -> None:
    """Whatever is wrong, the message says which row and what about it."""
    for file in SEED.glob("*.csv"):
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    with (tmp_path / f"{table}.csv").open("a", encoding="utf-8") as end:
        end.write(f"{row}\n")

    with pytest.raises(GlossaryError, match=fault):
        read_glossary(tmp_path)
