"""Confidence is a share that an import measured, and no constant."""

from itertools import product
from pathlib import Path

import pytest

from minerva_data.core.glossary.calibration import MOST, POSSIBLE, Calibration, Cell
from minerva_data.core.importing.calibrating import is_hidden
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import GlossaryStore

HEADS = {
    "기관": "INST",
    "부서": "DEPT",
    "직원": "EMP",
    "문서": "DOC",
    "접수": "RCPT",
    "건물": "BLDG",
}
MIDDLES = {"": "", "등록": "REG_", "변경": "CHG_", "승인": "APRV_", "관리": "MNG_"}
KINDS = {"명": ("NM", "명V100"), "일자": ("YMD", "연월일C8"), "번호": ("NO", "번호V20")}
FUSED = {"면적": ("AREA", "면적N19,9")}
"""Every other term of these has a short form of its own, which no composition gives."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Lookup:
    """Give a standard of 120 terms, of which the names of an area are wrong in half."""
    folder = tmp_path_factory.mktemp("standard")
    rows: list[str] = []
    for number, (head, middle, kind) in enumerate(product(HEADS, MIDDLES, {**KINDS, **FUSED})):
        last, domain = {**KINDS, **FUSED}[kind]
        physical = f"{HEADS[head]}_{MIDDLES[middle]}{last}"
        if kind in FUSED and number % 8 == 3:
            physical = f"{HEADS[head][:2]}{MIDDLES[middle][:2]}AR"
        if kind == "명" and number % 12:
            domain = "명V50"
        rows.append(f'{head}{middle}{kind},{physical},"{domain}"')
    file = folder / "standard_2025.csv"
    file.write_text("용어명,영문약어명,도메인명\n" + "\n".join(rows), encoding="utf-8")
    with GlossaryStore(folder / "glossary.db") as store:
        import_file(store, file, Wanted(name="standard", kind="public"))
        return Lookup(store.glossary())


def test_a_share_counts_each_name_once() -> None:
    """A rare way leans on the commoner one around it; a way never seen has that one's share."""
    counts: dict[Cell, tuple[int, int]] = {
        ("composed", "own", "명"): (8, 8),
        ("composed", "own", "면적"): (8, 4),
    }
    seen = Calibration(counts)

    assert seen.share(("composed", "own", "명")) > 0.85 > seen.share(("composed", "own", "주소"))
    assert seen.share(("composed", "own", "면적")) == pytest.approx(0.5, abs=0.1)
    assert Calibration({}).share(("composed", "own")) == POSSIBLE


def test_few_names_prove_little() -> None:
    """Right in all of three is not sure, and in all of thousands no more than `MOST`."""
    assert Calibration({("composed",): (3, 3)}).share(("composed",)) == pytest.approx(0.8)
    assert Calibration({("composed",): (9999, 9999)}).share(("composed",)) == MOST


def test_the_fifths_are_of_a_size_and_apart() -> None:
    """The hash of a name decides, so that an import repeats what it measured."""
    names = [f"용어{number}" for number in range(1000)]
    parts = [[name for name in names if is_hidden(name, part=part)] for part in range(5)]

    assert all(150 < len(part) < 250 for part in parts)
    assert len(set().union(*parts)) == sum(map(len, parts))


def test_a_name_is_as_sure_as_such_names_were(measured: Lookup) -> None:
    """A term is the standard's own; a composed name of an area is less sure than one of a date."""
    term = measured.recommend(Item(name="기관등록일자")).best
    date = measured.recommend(Item(name="기관승인등록일자")).best
    area = measured.recommend(Item(name="기관승인등록면적")).best

    assert term is not None
    assert date is not None
    assert area is not None
    assert term.confidence == 1.0
    assert area.confidence < date.confidence < 1.0


def test_a_class_with_several_domains_is_a_choice(measured: Lookup) -> None:
    """Neither is decided on, unless the declared type or nearly all terms say which."""
    name = measured.recommend(Item(name="접수승인등록명")).best
    typed = measured.recommend(
        Item(name="X", comment="접수승인등록명", data_type="VARCHAR(100)", table="T")
    ).best
    date = measured.recommend(Item(name="접수승인등록일자")).best

    assert name is not None
    assert typed is not None
    assert date is not None
    assert (name.domain, name.domains) == (None, ("명V50", "명V100"))
    assert typed.domain == "명V100"
    assert date.domain == "연월일C8"


def test_what_was_measured_goes_with_the_edition(tmp_path: Path) -> None:
    """A removed edition leaves nothing behind."""
    file = tmp_path / "ward.csv"
    file.write_text("용어명,영문약어명\n병동명,WRD_NM\n층명,FLR_NM\n", encoding="utf-8")
    with GlossaryStore(tmp_path / "glossary.db") as store:
        import_file(store, file, Wanted(name="ward"))
        store.connection.execute("INSERT INTO calibration VALUES (1, '[\"composed\"]', 2, 1)")
        store.remove("ward")

        assert store.connection.execute("SELECT count(*) FROM calibration").fetchone() == (0,)
