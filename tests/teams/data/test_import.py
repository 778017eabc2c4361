"""Files as people have them become entries; each row is kept, repeated, or rejected."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.importing.report import ImportReport
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import GlossaryStore

HEADER = '"공통표준 용어명\n",공통표준용어설명,공통표준용어영문약어명,공통표준도메인명'
ROWS = "가상계좌번호,임시 계좌,VR_ACTNO,계좌번호V20\n가산금액,더한 돈,ADTN_AMT,금액N15\n"

Import = Callable[..., ImportReport]


@pytest.fixture
def store(tmp_path: Path) -> GlossaryStore:
    """Give an empty store."""
    return GlossaryStore(tmp_path / "glossary.db")


@pytest.fixture
def take(store: GlossaryStore, tmp_path: Path) -> Import:
    """Return what writes a file and imports it."""

    def write(file: str, content: str | bytes, **wanted: Any) -> ImportReport:
        path = tmp_path / file
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return import_file(store, path, replace(Wanted("ours"), **wanted))

    return write


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> bytes:
    """Return a workbook of these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path.read_bytes()


def names(store: GlossaryStore) -> dict[str, str]:
    """Return the physical names of `ours` by term."""
    return {term.name: term.physical_name for term in store.glossary(["ours"]).terms.values()}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_a_csv_in_any_usual_encoding(take: Import, store: GlossaryStore, encoding: str) -> None:
    """A header with a space and a line break in it is the same header; importing again adds 0."""
    content = f"{HEADER}\r\n{ROWS}".encode(encoding)

    first, second = take("terms.csv", content), take("terms.csv", content)

    assert (first.read, first.kept, first.added, first.rejected) == (2, 2, 2, 0)
    assert (second.read, second.kept, second.added, second.unchanged) == (2, 2, 0, 2)
    assert (second.updated, second.removed) == (0, 0)
    assert names(store) == {"가상계좌번호": "VR_ACTNO", "가산금액": "ADTN_AMT"}


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_a_csv_with_another_delimiter_and_a_title(take: Import, delimiter: str) -> None:
    """Spreadsheets of other countries, and people who write a title above the table."""
    table = "용어명,영문약어명\n접수명,RCPT_NM\n".replace(",", delimiter)

    assert take("terms.csv", f"우리 병원 용어\n\n{table}").kept == 1


def test_a_workbook_s_sheets_are_found_by_their_headers(
    take: Import, store: GlossaryStore, tmp_path: Path
) -> None:
    """Whatever they are called; what explains the tables is none, and `-` is nothing."""
    explained: list[list[Any]] = [
        ["대상", "항목"],
        ["표준용어", "표준용어영문약어명"],
        ["가", "설명"],
    ]
    terms: list[list[Any]] = [
        ["NO", "표준 용어명", "영문\n약어명", "도메인명"],
        [1, "접수일자", "RCPT_YMD", "연월일C8"],
    ]
    words: list[list[Any]] = [
        [
            *("단어명", "단어영문약어명", "단어영문명"),
            *("형식단어 여부", "도메인 분류명", "금칙어 목록"),
        ],
        ["접수", "RCPT", "Receipt", "N", "-", "-"],
        ["일자", "YMD", "Date", "Y", "연월일", "날짜, 년월일"],
    ]
    domains: list[list[Any]] = [
        ["도메인 분류명", "도메인명", "데이터 타입", "데이터 길이", "소수점길이"],
        ["연월일", "연월일C8", "CHAR", 8.0, "-"],
    ]
    sheets: dict[str, list[list[Any]]] = {
        "읽어주세요": explained,
        "A": terms,
        "B": words,
        "C": domains,
    }
    content = workbook(tmp_path / "made.xlsx", sheets)

    report = take("표준_202012.xlsx", content)
    glossary = store.glossary(["ours"])

    assert (report.edition, report.read, report.kept) == ("2020-12", 4, 4)
    assert "sheet `읽어주세요` holds no table of a glossary" in report.notes
    assert (report.learned_words, report.learned_domains) == (0, 0)
    assert glossary.words["접수"].domain_class is None
    assert glossary.domains["연월일C8"].sql_type == "CHAR(8)"
    assert {alias.text for alias in glossary.aliases} == {"날짜", "년월일"}
    found = Lookup(glossary).recommend(Item(name="접수 날짜")).best
    assert found is not None
    assert (found.physical_name, found.domain) == ("RCPT_YMD", "연월일C8")
    assert glossary.terms["접수일자"].origin.place == "표준_202012.xlsx A row 2"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE TB_A (PT_ID VARCHAR2(20), RCPT_YMD CHAR(8), X NUMBER(1));\n"
        "COMMENT ON COLUMN TB_A.PT_ID IS '환자식별자(PK)';\n"
        "COMMENT ON COLUMN TB_A.RCPT_YMD IS '접수일자';\n",
        "CREATE TABLE `tb_a` (`pt_id` VARCHAR(20) COMMENT '환자식별자', "
        "`rcpt_ymd` CHAR(8) COMMENT '접수일자', x INT) ENGINE=InnoDB;",
        "CREATE TABLE tb_a (pt_id character varying(20), rcpt_ymd char(8), x serial);\n"
        "COMMENT ON COLUMN tb_a.pt_id IS '환자식별자';\n"
        "COMMENT ON COLUMN tb_a.rcpt_ymd IS '접수일자';\n",
    ],
    ids=["oracle", "mysql", "postgres"],
)
def test_a_schema_s_comments_are_terms(take: Import, store: GlossaryStore, sql: str) -> None:
    """The type stands for the domain that a schema does not know."""
    report = take("schema.sql", sql)

    assert (report.read, report.kept, report.rejected) == (3, 2, 1)
    assert report.shown[0][1].casefold() == "`x` has no comment that says its name in words"
    assert names(store) == {"환자식별자": "PT_ID", "접수일자": "RCPT_YMD"}
    found = Lookup(store.glossary(["ours"])).recommend(Item(name="접수일자")).best
    assert found is not None
    assert found.data_type == "CHAR(8)"


def test_a_column_in_many_tables_is_one_term(take: Import) -> None:
    """To say the same again is no contradiction; to say another thing is."""
    table = "CREATE TABLE {} (PT_ID VARCHAR(20) COMMENT '환자식별자');\n"
    other = "CREATE TABLE t3 (PTNT_NO VARCHAR(20) COMMENT '환자식별자');\n"

    report = take("schema.sql", f"{table.format('t1')}{table.format('t2')}{other}")

    assert (report.read, report.kept, report.repeated, report.rejected) == (3, 1, 1, 1)
    assert "contradicts row 1: physical_name PT_ID there, PTNT_NO here" in report.shown[0][1]


def test_dbt_s_models_and_sources(take: Import, store: GlossaryStore) -> None:
    """A description's head is the name, unless `meta` gives one."""
    text = """
version: 2
models:
  - name: patient
    columns:
      - name: pt_id
        description: "환자식별자: 접수 창구에서 매긴다"
        data_type: varchar(20)
      - name: brdt
        meta: {logical_name: 생년월일}
      - name: nothing
sources:
  - name: legacy
    tables:
      - name: t
        columns: [{name: sex_cd, description: 성별코드}]
"""
    report = take("schema.yml", text)

    assert (report.format, report.read, report.kept, report.rejected) == ("dbt", 4, 3, 1)
    assert names(store) == {"환자식별자": "PT_ID", "생년월일": "BRDT", "성별코드": "SEX_CD"}
    assert report.shown[0][0].row == 11


def test_an_odcs_contract(take: Import, store: GlossaryStore) -> None:
    """`businessName` is the name in words, `physicalName` the physical one, at any depth."""
    text = """
apiVersion: v3.1.0
kind: DataContract
schema:
  - name: patient
    properties:
      - {name: patient_id, physicalName: PT_ID, businessName: 환자식별자, physicalType: VARCHAR(20)}
      - name: address
        properties:
          - {name: ZIP, businessName: 우편번호}
"""
    report = take("contract.odcs.yaml", text)

    assert (report.format, report.kept) == ("ODCS", 2)
    assert names(store) == {"환자식별자": "PT_ID", "우편번호": "ZIP"}


def test_openmetadata_s_csv(take: Import, store: GlossaryStore) -> None:
    """A row without a physical name gives its synonyms; one nobody approved gives nothing."""
    text = (
        "parent,name*,displayName,description,synonyms,relatedTerms,references,tags,reviewers,"
        "owner,glossaryStatus,extension\n"
        ",PT_ID,환자식별자,,차트번호;patient key,,,,,,Approved,\n"
        ",접수일자,,,,,,,,,Approved,physicalName:RCPT_YMD;domain:연월일C8\n"
        ",환자,,,내원객;client,,,,,,Approved,\n"
        ",초안,,,,,,,,,Draft,\n"
    )
    report = take("om.csv", text)
    glossary = store.glossary(["minerva-seed", "ours"])

    assert (report.format, report.read, report.kept, report.rejected) == (
        "OpenMetadata CSV, utf-8", 4, 3, 1,
    )  # fmt: skip
    assert names(store) == {"환자식별자": "PT_ID", "접수일자": "RCPT_YMD"}
    ours = {a.text: (a.kind, a.target) for a in glossary.aliases if a.origin.source == "ours"}
    assert ours == {"내원객": ("synonym", ("환자",)), "client": ("gloss", ("환자",))}


def test_unknown_headers_are_named(take: Import, store: GlossaryStore) -> None:
    """`--map` goes before what is known, and one without effect is an error."""
    text = "한글,약어,비고\n접수명,RCPT_NM,x\n"

    report = take("t.csv", text, header_pairs=("한글=name", "약어=physical_name"))

    assert names(store) == {"접수명": "RCPT_NM"}
    assert report.notes == ["columns not used: 비고"]


def test_a_second_file_updates_and_a_shorter_one_removes(
    take: Import, store: GlossaryStore
) -> None:
    """A file says what it holds; other files of the edition keep what they said."""
    take("words.csv", "단어명,영문약어명\n접수,RCPT\n")
    take("terms.csv", "용어명,영문약어명\n접수명,RCPT_NM\n접수코드,RCPT_CD\n")

    report = take("terms.csv", "용어명,영문약어명\n접수명,ACPT_NM\n")

    assert (report.added, report.updated, report.removed) == (0, 1, 1)
    assert names(store) == {"접수명": "ACPT_NM"}
    assert "접수" in store.glossary(["ours"]).words


def test_contradictions_and_bad_rows_are_reported_with_their_rows(take: Import) -> None:
    """The first row stands; counts add up to what was read, however few rows are shown."""
    bad = "".join(f"나쁜{i},없는 이름{i}\n" for i in range(30))
    good = "용어명,영문약어명\n접수명,RCPT_NM\n접수명,RCPT_NM\n"
    text = f"{good}접 수 명,ACPT_NM\n,X_NM\n깨\ufffd짐,Y\n{bad}"

    report = take("terms.csv", text)
    said = report.to_json()

    assert (report.read, report.kept, report.repeated, report.rejected) == (35, 1, 1, 33)
    assert [(place.row, reason) for place, reason in report.shown[:3]] == [
        (4, "`접 수 명` contradicts row 2: physical_name RCPT_NM there, ACPT_NM here"),
        (5, "it has no name"),
        (6, "`name` holds letters that were lost before it came here (\ufffd)"),
    ]
    assert said["rejections"]["total"] == 33
    assert (said["rejections"]["shown"], said["rejections"]["truncated"]) == (20, True)
    assert sum(said["rejections"]["by_reason"].values()) == 33


def test_retired_rows_are_told(take: Import) -> None:
    """제정차수 says so, or 개정구분명; `(폐기후제정)` is a term that stands."""
    text = (
        "용어명,영문약어명,제정차수,개정구분명(폐기 또는 변경)\n"
        "가명,A_NM,4차(2021-12)(폐기),\n나명,B_NM,3차,폐기\n"
        "가명,C_NM,5차(2022-07) (폐기후제정),\n다명,D_NM,3차,변경\n"
    )
    report = take("terms.csv", text)

    assert (report.kept, report.rejected, report.retired_names) == (4, 0, ["가명", "나명"])


def test_words_and_domains_are_learned_where_there_are_none(
    take: Import, store: GlossaryStore
) -> None:
    """They are marked with the terms they were seen in, and give way to a table that comes."""
    objects = {"환자": "PTN", "병원": "HSP", "의사": "DR", "병동": "WD"}
    kinds = {"번호": "NO,번호V20", "명": "NM,명V100", "일자": "YMD,연월일C8"}
    rows = "".join(f"{o}{k},{a}_{b}\n" for o, a in objects.items() for k, b in kinds.items())

    report = take("terms.csv", f"용어명,영문약어명,도메인명\n{rows}")
    learned = store.glossary(["ours"])
    take("words.csv", "단어명,영문약어명\n환자,PT\n")

    assert (report.learned_words, report.learned_domains) == (7, 3)
    assert {w.name: w.abbreviation for w in learned.words.values()} == {
        **objects,
        **{name: said.partition(",")[0] for name, said in kinds.items()},
    }
    assert learned.words["일자"].domain_class == "연월일"
    assert learned.domains["연월일C8"].sql_type == "CHAR(8)"
    assert learned.words["환자"].origin.place.endswith("learned from 3 terms")
    assert set(store.glossary(["ours"]).words) == {"환자"}


def test_a_domain_that_nobody_declares_is_told(take: Import, store: GlossaryStore) -> None:
    """Its name does not say a type, so the term has none rather than a guess."""
    report = take("terms.csv", "용어명,영문약어명,도메인명\n접수명,RCPT_NM,이상한것\n")

    assert report.notes == [
        "1 terms have a domain that nobody declares (이상한것): they have none."
    ]
    assert store.glossary(["ours"]).terms["접수명"].domain is None


def test_a_dry_run_writes_nothing(take: Import, store: GlossaryStore) -> None:
    """It says what would be done, against what is there."""
    text = "용어명,영문약어명\n접수명,RCPT_NM\n"

    before = take("terms.csv", text, is_dry_run=True)
    made = store.path.exists()
    take("terms.csv", text)
    after = take("terms.csv", text.replace("RCPT", "ACPT"), is_dry_run=True)

    assert (before.added, made, after.updated) == (1, False, 1)
    assert names(store) == {"접수명": "RCPT_NM"}


@pytest.mark.parametrize(
    ("file", "name", "edition"),
    [
        ("standard_terms_2025-11.csv", "standard_terms", "2025-11"),
        ("공통표준_202012.csv", "공통표준", "2020-12"),
        ("Our Terms (v2).csv", "our-terms-v2", "1"),
        ("용어 2024.csv", "용어", "2024"),
    ],
)
def test_name_and_edition_follow_from_the_file(
    take: Import, file: str, name: str, edition: str
) -> None:
    """What nobody typed is not today's date: tomorrow's import must be of the same edition."""
    report = take(file, "용어명,영문약어명\n접수명,RCPT_NM\n", name=None)

    assert (report.glossary, report.edition) == (name, edition)
