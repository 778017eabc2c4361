"""Words learned from terms, where a glossary brings no word table."""

from collections.abc import Iterable, Iterator

from minerva_data.core.glossary.alignment import TABLE, LearnedWord, learn_words
from minerva_data.core.glossary.entry import Domain, Origin, Term, Word
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.lookup.lookup import Lookup

ORIGIN = Origin("org", "terms", 1, "T1")


def domain(name: str, domain_class: str) -> Domain:
    """Return a domain of a class."""
    return Domain(name, domain_class, "VARCHAR", 20, None, "", ORIGIN)


DOMAINS = {"명V100": domain("명V100", "명"), "번호V20": domain("번호V20", "번호")}


def term(name: str, physical: str, domain_name: str, *, is_retired: bool = False) -> Term:
    """Return a term."""
    return Term(name, physical, domain_name, None, (), is_retired, None, "", ORIGIN)


TERMS = [
    term(f"{word}{last}", f"{short}_{end}", domain_name)
    for word, short in (("환자", "PT"), ("의사", "DCTR"), ("병원", "HSPTL"), ("간호사", "NRS"))
    for last, end, domain_name in (("명", "NM", "명V100"), ("번호", "NO", "번호V20"))
]


def to_words(learned: Iterable[LearnedWord]) -> Iterator[Word]:
    """Yield learned words as entries of a glossary."""
    for row, word in enumerate(learned, start=1):
        origin = Origin("learned", TABLE, row, f"seen in {word.seen} terms")
        kind = word.domain_class
        yield Word(word.name, word.abbreviation, "", kind is not None, kind, None, origin)


def test_each_piece_settles_on_its_abbreviation() -> None:
    """No word was declared; over the terms only one cut explains them all."""
    found = {word.name: word for word in learn_words(TERMS, DOMAINS)}

    assert {name: word.abbreviation for name, word in found.items()} == {
        "환자": "PT",
        "의사": "DCTR",
        "병원": "HSPTL",
        "간호사": "NRS",
        "명": "NM",
        "번호": "NO",
    }
    assert found["명"] == LearnedWord("명", "NM", seen=4, share=1.0, domain_class="명")
    assert found["환자"].domain_class is None


def test_what_is_learned_composes_other_names() -> None:
    """A name that no term has is made of the learned words, its domain by the last."""
    terms = [one for one in TERMS if one.name != "간호사번호"]
    words = to_words(learn_words(terms, DOMAINS))
    lookup = Lookup(Glossary(words=words, domains=DOMAINS.values(), terms=terms))

    best = lookup.best("간호사번호")

    assert best is not None
    assert (best.physical_name, best.domain) == ("NRS_NO", "번호V20")
    assert any("learned" in citation.quote for citation in best.citations)


def test_retired_terms_teach_nothing() -> None:
    """What was withdrawn is no evidence."""
    gone = term("처방명", "PRSC_NM", "명V100", is_retired=True)

    assert "처방" not in {word.name for word in learn_words([*TERMS, gone], DOMAINS)}


def test_a_name_shorter_than_its_parts_is_left_out() -> None:
    """It cannot be cut; nothing is learned of it, and nothing breaks."""
    assert learn_words([term("명", "PT_NM", "명V100")], DOMAINS) == ()


def test_words_on_which_terms_disagree_are_not_learned() -> None:
    """Three spellings, none of which has half of the terms."""
    terms = [term(f"처방{n}", f"{short}_NO", "번호V20") for n, short in
             (("번호", "PRSC"), ("번호", "RX"), ("번호", "PRES"))]  # fmt: skip

    assert "처방" not in {word.name for word in learn_words([*TERMS, *terms], DOMAINS)}
