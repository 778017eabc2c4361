"""Finding names: the cascade, its refusals, and how column names are read."""

import pytest
from hypothesis import given, settings, strategies as st

from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.language.text import atoms, headline, key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.segment import refused_parts, splits, unknown_parts
from minerva_data.core.schema.record import Item

LOOKUP = Lookup(seed_glossary())
WORDS = sorted(LOOKUP.glossary.words)


@pytest.mark.parametrize(
    ("phrase", "physical"),
    [
        ("환자의 이름", "PT_NM"),
        ("입원한 날짜", "HSPTLZ_YMD"),
        ("환자 연락처", "PT_TELNO"),
        ("the patient's name", "PT_NM"),
        ("name of the patient", "PT_NM"),
        ("date of admission", "HSPTLZ_YMD"),
        ("admission datetime", "HSPTLZ_DT"),
        ("patient e-mail", "PT_EML_ADDR"),
        ("mobile phone", "MBL_TELNO"),
        ("ＰＴ＿ＩＤ", "PT_ID"),
        ("환\u200b자명", "PT_NM"),
        ("환 자 번 호", "PT_NO"),
        ("보험증번호", "INSR_CARD_NO"),
    ],
)
def test_people_write_names_in_many_ways(phrase: str, physical: str) -> None:
    """Spaces, particles, English, full-width letters and invisible marks do not matter."""
    best = LOOKUP.best(phrase)

    assert best is not None
    assert best.physical_name == physical


@pytest.mark.parametrize(
    ("name", "data_type", "physical"),
    [
        ("PAT_NM", None, "PT_NM"),
        ("patientBirthDate", None, "PT_BRDT"),
        ("JUMIN_NO", "CHAR(13)", "RRNO"),
        ("ADM_DT", "CHAR(8)", "HSPTLZ_YMD"),
        ("ADM_DT", "VARCHAR2(8)", "HSPTLZ_YMD"),
        ("ADM_DT", "TIMESTAMP", "HSPTLZ_DT"),
        ("created_at", "TIMESTAMP", "REG_DT"),
    ],
)
def test_a_column_without_comment_is_read_by_its_abbreviations(
    name: str, data_type: str | None, physical: str
) -> None:
    """Legacy short forms are known; where one has two meanings the type decides."""
    best = LOOKUP.recommend(Item(name=name, data_type=data_type)).best

    assert best is not None
    assert best.physical_name == physical
    assert best.confidence <= 0.7


def test_two_readings_and_no_type_stay_undecided() -> None:
    """DT is a date or a date and time: without a type both are offered, none is chosen."""
    found = LOOKUP.recommend(Item(name="ADM_DT"))

    assert found.best is None
    assert found.reason == "ambiguous"
    assert {other.physical_name for other in found.alternatives} >= {"HSPTLZ_DT", "HSPTLZ_YMD"}


def test_a_comment_says_more_than_a_name() -> None:
    """The name PT_ID is a term, but the comment speaks of something unknown: no guess."""
    found = LOOKUP.recommend(Item(name="PT_ID", comment="환자양자상태"))

    assert found.best is None
    assert found.alternatives[0].physical_name == "PT_ID"


def test_a_look_alike_letter_matches_nothing() -> None:
    """A Cyrillic P is not a Latin P: folding them would let a forged name pass."""
    assert LOOKUP.recommend(Item(name="\u0420T_ID")).best is None


def test_one_syllable_in_the_middle_is_refused() -> None:
    """총 is a word, but between two others it is more likely an accident."""
    found = LOOKUP.recommend(Item(name="환자총금액"))

    assert found.best is None
    assert (found.reason, found.unresolved_parts) == ("refused", ("총",))


def test_one_syllable_at_the_head_is_fine() -> None:
    """총 before 청구금액 is how the standard itself builds names."""
    best = LOOKUP.best("총청구금액")

    assert best is not None
    assert best.physical_name == "TOT_CLM_AMT"


def test_a_retired_term_leads_to_its_successor() -> None:
    """It is recognised and not recommended; the audit hears of it."""
    best = LOOKUP.best("차트식별자")

    assert best is not None
    assert (best.physical_name, best.retired) == ("PT_ID", "차트식별자")


def test_a_forbidden_word_is_replaced_and_remembered() -> None:
    """유저명 is 사용자명; that 유저 stood there is what rule W1 reports."""
    best = LOOKUP.best("유저명")

    assert best is not None
    assert best.physical_name == "USER_NM"
    assert next((hit.written, hit.via) for hit in best.words) == ("유저", "forbidden")


def test_without_a_class_word_there_is_no_domain() -> None:
    """환자 alone says what it is about, not what kind of value it holds."""
    best = LOOKUP.best("환자")

    assert best is not None
    assert (best.physical_name, best.domain) == ("PT", None)


def test_similar_terms_are_proposed_and_not_chosen() -> None:
    """A near miss stays a miss."""
    found = LOOKUP.recommend(Item(name="환자식별쟈"))

    assert found.best is None
    assert found.alternatives[0].physical_name == "PT_ID"
    assert found.alternatives[0].method == "fuzzy"
    assert found.alternatives[0].confidence < 0.9


@pytest.mark.parametrize(
    ("comment", "head"),
    [
        ("사용여부 (Y/N)", "사용여부"),
        ("성별코드: 1 남, 2 여", "성별코드"),
        ("환자번호\n두 번째 줄", "환자번호"),
        ("입원일자 - 원무과 기준", "입원일자"),
        ("(구)환자번호", "(구)환자번호"),
        ("", ""),
    ],
)
def test_a_comment_is_read_up_to_its_aside(comment: str, head: str) -> None:
    """What stands in brackets or after a colon explains the name and is no part of it."""
    assert headline(comment) == head


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_a_split_covers_the_whole_text(words: list[str]) -> None:
    """No syllable is lost or doubled, whatever words stand side by side."""
    text = "".join(words)

    found = splits(atoms(text), LOOKUP.phrases)

    assert found
    for split in found:
        assert "".join(piece.text for piece in split) == text
        assert len(split) <= len(words)


@given(st.text(alphabet="가나다라환자명번호일자양상태 ", max_size=14))
def test_known_and_unknown_parts_account_for_every_syllable(text: str) -> None:
    """What is not split is explained: unknown parts are there exactly when no split is."""
    spelled = atoms(text)

    found = splits(spelled, LOOKUP.phrases)
    unknown = unknown_parts(spelled, LOOKUP.phrases)

    assert all(part in key(text) or part in text for part in unknown)
    if not found and spelled.keys:
        assert unknown
    if not unknown and spelled.keys:
        assert found


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_nothing_but_the_dictionary_gives_names(text: str) -> None:
    """Whatever is asked, a recommended name is made of the glossary's abbreviations."""
    found = LOOKUP.recommend(Item(name=text))

    if found.best is None:
        assert found.unresolved_parts or not text.strip()
        return
    known = {word.abbreviation for word in LOOKUP.glossary.words.values()}
    terms = {term.physical_name for term in LOOKUP.glossary.terms.values()}
    parts = set(found.best.physical_name.split("_"))
    assert found.best.physical_name in terms or parts <= known


def test_a_refused_split_is_never_the_cheapest_of_several() -> None:
    """If one of the shortest splits is sound, the doubtful ones beside it do not count."""
    for split in splits(atoms("환자주소"), LOOKUP.phrases):
        assert refused_parts(split, LOOKUP.glossary.heads) == ()
