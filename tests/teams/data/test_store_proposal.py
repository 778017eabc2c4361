"""The store's index proposes where likeness proposes nothing; it decides nothing."""

from pathlib import Path

import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item, Recommended
from minerva_data.core.store.schema import StoreError
from minerva_data.core.store.store import GlossaryStore
from minerva_data.core.store.stored_terms import StoredTerms

TERMS = """용어명,영문약어명,제정차수
사업시행자명,BIZ_OPRTR_NM,1차
사업시행자폐지명,BIZ_OPRTR_ABL_NM,1차(폐기)
기상관측일자,MTRLG_OBSRVN_YMD,1차
"""


@pytest.fixture
def store(tmp_path: Path) -> GlossaryStore:
    """Give a store with three terms, one of them retired."""
    file = tmp_path / "works.csv"
    file.write_text(TERMS, encoding="utf-8")
    store = GlossaryStore(tmp_path / "glossary.db")
    import_file(store, file, Wanted("works"))
    return store


def asked(store: GlossaryStore, name: str, *, with_index: bool = True) -> Recommended:
    """Return what is said about a name."""
    more = StoredTerms.of(store, None) if with_index else None
    return Lookup(store.glossary(), more=more).recommend(Item(name=name))


def test_shared_pieces_propose_where_likeness_does_not(store: GlossaryStore) -> None:
    """The rest of the name differs too much for likeness; nothing is decided by it."""
    alone = asked(store, "프로젝트시행자이름", with_index=False)
    found = asked(store, "프로젝트시행자이름")

    assert alone.alternatives == ()
    assert found.best is None
    assert [(one.logical_name, one.method) for one in found.alternatives] == [
        ("사업시행자명", "bm25")
    ]
    assert found.alternatives[0].confidence < 0.4


def test_where_likeness_proposes_the_index_is_silent(store: GlossaryStore) -> None:
    """It is the worse source: it would push better proposals down."""
    found = asked(store, "사업시행사명")

    assert {one.method for one in found.alternatives} == {"fuzzy"}


def test_what_is_hardly_like_it_is_not_proposed(store: GlossaryStore) -> None:
    """A pair of letters in a long text is no reason."""
    assert asked(store, "관측소에서 온 쪽지에 적힌 기나긴 사연과 안부").alternatives == ()


def test_a_store_that_is_gone_is_told(store: GlossaryStore) -> None:
    """A name left without proposals would look as if there were none."""
    more = StoredTerms.of(store, None)
    assert more is not None
    store.close()
    store.path.write_bytes(b"no database" * 500)

    with pytest.raises(StoreError, match=r"glossary\.db cannot be"):
        more("프로젝트시행자이름", 5)


def test_the_bundled_glossary_has_no_index(store: GlossaryStore) -> None:
    """It is small: likeness looks at all of it."""
    assert StoredTerms.of(store, ["minerva-seed"]) is None
