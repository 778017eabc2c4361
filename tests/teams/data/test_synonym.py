"""Learning what else a word is called from the synonyms of a standard's terms."""

from dataclasses import replace

from minerva_data.core.glossary.entry import Term, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.glossary.merging import learn_synonyms


def term(glossary: Glossary, name: str, physical_name: str, *synonyms: str) -> Term:
    """Return a term of a standard of its own."""
    return replace(
        glossary.terms["환자명"], name=name, physical_name=physical_name, synonyms=synonyms
    )


def word(glossary: Glossary, name: str, abbreviation: str) -> Word:
    """Return a word of that standard."""
    return replace(glossary.words["환자"], name=name, abbreviation=abbreviation)


def learned(glossary: Glossary, terms: list[Term], words: dict[str, str]) -> dict[str, str]:
    """Return what is learned: a text, and the word that it stands for."""
    found = learn_synonyms(terms, [word(glossary, name, short) for name, short in words.items()])
    return {alias.text: alias.target[0] for alias in found}


def test_what_differs_in_three_synonyms_is_a_synonym_of_the_word(glossary: Glossary) -> None:
    """Two might be a coincidence; a term that is the word itself needs no second one."""
    words = {"기관": "INST", "부서": "DEPT", "직원": "EMP", "명": "NM", "아이디": "ID"}
    two = [
        term(glossary, "기관명", "INST_NM", "기관이름"),
        term(glossary, "부서명", "DEPT_NM", "부서이름"),
    ]
    third = term(glossary, "직원명", "EMP_NM", "직원이름")
    whole = term(glossary, "아이디", "ID", "ID")

    assert learned(glossary, two, words) == {}
    assert learned(glossary, [*two, third, whole], words) == {"이름": "명", "id": "아이디"}


def test_a_text_with_a_meaning_of_its_own_is_not_learned(glossary: Glossary) -> None:
    """보수 is said for 급여 once, and stands in two names; a retired term's 명칭 says nothing."""
    words = {"급여": "SLRY", "금액": "AMT", "명": "NM"}
    terms = [
        term(glossary, "급여", "SLRY", "보수"),
        term(glossary, "유지보수금액", "MTNC_AMT"),
        term(glossary, "보수월액", "MM_SLRY"),
        replace(term(glossary, "명", "NM", "명칭"), is_retired=True),
    ]

    assert learned(glossary, terms, words) == {}


def test_a_word_is_no_synonym_of_another(glossary: Glossary) -> None:
    """Where the standard has both as words, each stays what it is."""
    words = {"자료": "DTA", "데이터": "DATA"}

    assert learned(glossary, [term(glossary, "자료", "DTA", "데이터")], words) == {}
