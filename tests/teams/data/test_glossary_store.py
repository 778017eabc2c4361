"""Glossaries beside each other: who answers, what is recognised, and what a file survives."""

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item
from minerva_data.core.store.schema import StoreError
from minerva_data.core.store.store import GlossaryStore, edition_order

TERMS = "용어명,영문약어명,도메인명,이음동의어목록,제정차수,대체용어명\n"
WORDS = "단어명,영문약어명,영문명,형식단어여부,도메인분류명,이음동의어목록,금칙어목록\n"

OBJECTS = {"접수": "ACPT", "환자": "PTN", "병원": "HSP", "병동": "WD"}

Put = Callable[..., None]


@pytest.fixture
def store(tmp_path: Path) -> GlossaryStore:
    """Give a store whose file is not there yet."""
    return GlossaryStore(tmp_path / "home" / "glossary.db")


@pytest.fixture
def put(store: GlossaryStore, tmp_path: Path) -> Put:
    """Return what imports a table that is written down in a test."""

    def write(name: str, text: str, *, kind: str = "org", edition: str = "1") -> None:
        path = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(text, encoding="utf-8")
        assert kind in {"org", "public"}
        wanted = Wanted(name, "org" if kind == "org" else "public", edition)
        import_file(store, path, wanted)

    return write


def physical(store: GlossaryStore, text: str, names: list[str] | None = None) -> str | None:
    """Return the standard name that the store's glossaries give `text`."""
    best = Lookup(store.glossary(names)).recommend(Item(name=text)).best
    return best.physical_name if best else None


def test_without_a_file_the_bundled_glossary_answers(store: GlossaryStore) -> None:
    """Looking makes no file, and a team works that never imported anything."""
    assert store.glossary() is seed_glossary()
    assert store.editions() == ()
    assert store.generation == 0
    assert not store.path.exists()


def test_the_file_is_its_owner_s_alone(store: GlossaryStore, put: Put) -> None:
    """An organisation's vocabulary is nobody else's business."""
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n")

    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_an_organisation_goes_before_the_public_and_that_before_ours(
    store: GlossaryStore, put: Put
) -> None:
    """Whoever goes first decides; the next fills what is left open, and ours says nothing."""
    put("standard", f"{TERMS}환자명,PTN_NM,명V50,,,\n접수명,RCPT_NM,명V50,,,\n", kind="public")
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n")

    assert physical(store, "환자명") == "PT_NAME"
    assert physical(store, "접수명") == "RCPT_NM"
    assert physical(store, "환자식별자") is None
    assert physical(store, "환자명", ["standard", "ours"]) == "PTN_NM"
    assert physical(store, "접수명", ["ours"]) is None


def test_editions_do_not_mix(store: GlossaryStore, put: Put) -> None:
    """The newest answers alone: a term that it dropped is gone; the old one is there if asked."""
    put("standard", f"{TERMS}병동명,WRD_NM,명V50,,,\n층명,FLR_NM,명V50,,,\n", edition="9")
    put("standard", f"{TERMS}병동명,WARD_NM,명V50,,,\n", edition="10")

    assert physical(store, "병동명", ["standard"]) == "WARD_NM"
    assert physical(store, "층명", ["standard"]) is None
    assert physical(store, "층명", ["standard@9"]) == "FLR_NM"
    with pytest.raises(StoreError, match="`standard` is named 2 times"):
        store.glossary(["standard", "standard@9"])
    with pytest.raises(
        StoreError,
        match=r"no glossary `standard@8`. There are: standard@10, standard@9, minerva-seed",
    ):
        store.glossary(["standard@8"])


def test_the_newest_edition_is_found_by_its_numbers() -> None:
    """As text, 10 would be older than 9."""
    editions = ["2025-11", "9", "10", "2020-12", "1차", "10차"]

    assert sorted(editions, key=edition_order) == [
        "1차", "9", "10", "10차", "2020-12", "2025-11",
    ]  # fmt: skip


def test_a_citation_names_glossary_edition_file_and_row(store: GlossaryStore, put: Put) -> None:
    """Whoever doubts a name can open the very row."""
    put("standard", f"{TERMS}\n접수명,RCPT_NM,명V50,,,\n", kind="public", edition="2025-11")

    best = Lookup(store.glossary()).recommend(Item(name="접수명")).best

    assert best is not None
    source = best.citations[0]
    assert (source.source, source.edition, source.row) == ("standard", "2025-11", 3)
    assert source.quote.startswith("standard-")
    assert source.quote.endswith(".csv row 3: 접수명 = RCPT_NM, 명V50")


def test_a_retired_term_is_recognised_and_not_recommended(store: GlossaryStore, put: Put) -> None:
    """Its name belongs to another term now; its old physical name leads there."""
    rows = "상호,CO_NM,명V50,,2차(2020-12)(폐기),\n상호,CONM,명V200,,5차(2022-07) (폐기후제정),\n"
    put("standard", f"{TERMS}{rows}", kind="public")

    found = Lookup(store.glossary(["standard"])).recommend(Item(name="CO_NM")).best

    assert physical(store, "상호", ["standard"]) == "CONM"
    assert found is not None
    assert (found.physical_name, found.retired) == ("CONM", "상호")


def test_what_replaces_a_retired_term_is_followed_to_its_end(
    store: GlossaryStore, put: Put
) -> None:
    """A chain of replacements ends at a term that stands; a ring ends nowhere."""
    rows = (
        "가명,A_NM,명V50,,(폐기),나명\n나명,B_NM,명V50,,(폐기),다명\n다명,C_NM,명V50,,,\n"
        "라명,D_NM,명V50,,(폐기),마명\n마명,E_NM,명V50,,(폐기),라명\n"
    )
    put("standard", f"{TERMS}{rows}")

    terms = store.glossary(["standard"]).terms

    assert {name: term.replaced_by for name, term in terms.items() if term.is_retired} == {
        "가명": "다명",
        "나명": "다명",
        "라명": None,
        "마명": None,
    }


def test_learned_words_never_beat_declared_ones(store: GlossaryStore, put: Put) -> None:
    """Evidence gives way to a decision, even to that of a glossary which comes later."""
    kinds = {"명": "NM,명V50", "번호": "NO,번호V20", "일자": "YMD,연월일C8"}
    rows = [f"{o}{k},{a}_{b},,,\n" for o, a in OBJECTS.items() for k, b in kinds.items()]
    put("ours", f"{TERMS}{''.join(rows)}")
    put("standard", f"{WORDS}접수,RCPT,receipt,N,,,\n", kind="public")

    merged, alone = store.glossary(), store.glossary(["ours"])

    assert alone.words["접수"].abbreviation == "ACPT"
    assert merged.words["접수"].abbreviation == "RCPT"
    assert "learned from" in alone.words["접수"].origin.place


def test_a_later_word_does_not_take_an_abbreviation(store: GlossaryStore, put: Put) -> None:
    """A name made with it would mean something else in the organisation's glossary."""
    put("ours", f"{WORDS}포인트,PT,point,N,,,\n")

    words = store.glossary().words

    assert words["포인트"].abbreviation == "PT"
    assert "환자" not in words


def test_an_alias_of_an_earlier_glossary_holds(store: GlossaryStore, put: Put) -> None:
    """Where the organisation says that 병실 is a forbidden way to say 호실, it is no word."""
    put("standard", f"{WORDS}병실,SCKRM,sickroom,N,,,\n", kind="public")
    put("ours", f"{WORDS}호실,ROOM,room,N,,입원실,병실\n")

    glossary = store.glossary(["ours", "standard"])

    assert "병실" not in glossary.words
    assert {(a.text, a.kind, a.target) for a in glossary.aliases} == {
        ("입원실", "synonym", ("호실",)),
        ("병실", "forbidden", ("호실",)),
    }


def test_a_search_finds_two_syllables_and_obeys_nothing(store: GlossaryStore, put: Put) -> None:
    """Korean nouns are short, and what is typed is text, never a query of the index."""
    put("ours", f"{TERMS}수술실명,OPRM_NM,명V50,오퍼룸,,\n수술명,OP_NM,명V50,,(폐기),\n")

    hits = store.search("수술", names=["ours"])

    assert [(hit.name, hit.is_retired) for hit in hits[:3] if hit.kind == "term"] == [
        ("수술명", True),
        ("수술실명", False),
    ]
    assert store.search("오퍼룸", names=["ours"])[0].name == "수술실명"
    assert not store.search("환자식별자")
    for text in ('"', "수술* OR x", "NEAR(a b)", "-", "", "\x00", "명"):
        assert isinstance(store.search(text), tuple)


def test_readers_see_the_last_finished_import(store: GlossaryStore, put: Put) -> None:
    """A server goes on answering while somebody imports."""
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n")
    with store.writing() as connection, GlossaryStore(store.path) as reader:
        connection.execute("DELETE FROM entry")

        assert physical(reader, "환자명") == "PT_NAME"
    with GlossaryStore(store.path) as reader:
        assert "PT_NAME" not in reader.glossary(["ours"]).terms_by_physical


def test_an_edition_or_all_of_a_glossary_is_removed(store: GlossaryStore, put: Put) -> None:
    """What is gone answers no more, is not found, and frees its name."""
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n", edition="1")
    put("ours", f"{TERMS}환자명,PT_NM2,명V50,,,\n", edition="2")

    store.remove("ours@2")
    after_one = physical(store, "환자명")
    store.remove("ours")

    assert after_one == "PT_NAME"
    assert store.editions() == ()
    assert store.search("PT_NAME", names=None)[0].glossary == "minerva-seed"
    with pytest.raises(StoreError, match="no glossary `ours`"):
        store.remove("ours")


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    """Half an answer from a broken file would be worse than none."""
    path = tmp_path / "glossary.db"
    path.write_bytes(b"this is no database at all, whatever its name says" * 50)

    with pytest.raises(StoreError, match=r"glossary\.db cannot be used .* Move it away"):
        GlossaryStore(path).glossary()


PROBE = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # SQLite's SHARED range
except OSError:
    print("held")
"""


def test_a_second_user_in_a_process_lets_go_of_no_lock(store: GlossaryStore, put: Put) -> None:
    """Another process would take itself for the last one, and clean up what is still in use."""
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n")
    with GlossaryStore(store.path) as other:
        assert len(other.editions()) == 1
    command = [sys.executable, "-c", PROBE, str(store.path)]

    assert store.generation > 0
    assert subprocess.check_output(command, text=True) == "held\n"


def test_a_newer_file_is_left_alone(store: GlossaryStore, put: Put) -> None:
    """An older MINERVA must not write what it does not understand."""
    put("ours", f"{TERMS}환자명,PT_NAME,명V50,,,\n")
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreError, match="is of version 99, this MINERVA reads 1"):
        store.glossary()
