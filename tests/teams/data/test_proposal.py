"""Similar terms: found as a look at every one of them would, and at a fraction of the work."""

import pytest
from rapidfuzz import fuzz, process

from minerva_data.core.glossary.entry import Origin, Term
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.language.text import key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.proposal import MAX_COMPARED, Proposer
from minerva_data.core.schema.record import Item


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("환자식별쟈", "환자식별자"),
        ("입원일자짜", "입원일자"),
        ("보호자전하번호", "보호자전화번호"),
        ("혈당당", "혈당"),
        ("patient idntifier", "환자식별자"),
        ("hospitl name", "병원명"),
    ],
)
def test_a_typo_is_offered_what_was_meant(glossary: Glossary, typo: str, meant: str) -> None:
    """First of the proposals, with less confidence than any decision has."""
    first, *_ = Proposer(glossary).similar(typo, limit=5)

    assert first.logical_name == meant
    assert first.method == "fuzzy"
    assert first.confidence < 0.9


def test_the_index_finds_what_a_full_scan_finds(glossary: Glossary) -> None:
    """The best of all spellings by the same measure, for every term with a syllable wrong."""
    proposer = Proposer(glossary)
    names = {key(term.name) for term in glossary.terms.values() if not term.is_retired}
    for name in sorted(names):
        text = f"{name[:-1]}꽥"
        _, score, _ = process.extractOne(text, names, scorer=fuzz.ratio)
        found = proposer.similar(text, limit=1)
        if score >= 60:
            assert found
            assert found[0].confidence >= min(round(score / 100 * 0.8, 3) - 0.001, 0.5), name


def test_ten_thousand_like_names_are_not_all_compared() -> None:
    """What is read and compared for a text is bounded, however large the glossary."""
    origin = Origin("org", "terms", 1, "T")
    terms = [
        Term(
            name=f"환자{number}번호",
            physical_name=f"PT_N{number}_NO",
            domain=None,
            subject_area=None,
            synonyms=(),
            is_retired=False,
            replaced_by=None,
            description="",
            origin=origin,
        )
        for number in range(10_000)
    ]
    proposer = Proposer(Glossary(words=(), domains=(), terms=terms))

    found = proposer.similar("환자4711번효", limit=MAX_COMPARED * 2)

    assert found[0].logical_name == "환자4711번호"
    assert len(found) <= MAX_COMPARED


def test_nothing_like_it_is_nothing(lookup: Lookup) -> None:
    """A proposal that shares nothing with the text would only mislead."""
    assert lookup.recommend(Item(name="쀍쀍쀍")).alternatives == ()
