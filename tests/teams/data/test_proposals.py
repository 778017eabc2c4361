"""Proposals lie in one file that people edit; nothing enters a glossary but by their word."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.proposals.check import problem
from minerva_data.core.proposals.decision import Decider, problems
from minerva_data.core.proposals.file import ProposalFile
from minerva_data.core.proposals.proposal import Proposal, ProposalError, ProposalKind, proposal_id
from minerva_data.core.proposals.proposal_sheet import FILE, HEADER, proposals_csv
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import GlossaryStore

HAND = "name,abbreviation,english\n양자,QNTM,quantum\n상태,STTS,condition\n환자,PTX,sick person\n"


def proposal(name: str, abbreviation: str, english: str = "thing", **more: object) -> Proposal:
    """Return a proposal as a model or a person would make it."""
    kind: ProposalKind = "term" if more.pop("term", False) else "word"
    given = {"abbreviation": abbreviation, "english": english, **more}
    fields = {"id": proposal_id(kind, name), "kind": kind, "name": name, **given}
    return Proposal.model_validate(fields)


def ids(file: ProposalFile) -> dict[str, str]:
    """Return the ids in a file by name."""
    return {one.name: one.id for one in file.read()}


@pytest.fixture
def by_hand(tmp_path: Path) -> ProposalFile:
    """Give a file that a person wrote, the third row of which is no new word."""
    (tmp_path / FILE).write_text(HAND, encoding="utf-8")
    return ProposalFile(tmp_path)


@pytest.fixture
def kim(by_hand: ProposalFile) -> Decider:
    """Give a person who decides, on a day that stands still."""
    return Decider(by_hand, by="kim", now=lambda: datetime(2026, 11, 21, 9, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path) -> GlossaryStore:
    """Give a store that holds nothing yet."""
    return GlossaryStore(tmp_path / "glossary.db")


@pytest.mark.parametrize(
    ("given", "fault", "text"),
    [
        (proposal("환자", "PTX"), "known", "is a word already (PT)"),
        (proposal("성명", "NAMEX"), "known", "another way to say 명"),
        (proposal("환자번호", "PNX"), "known", "PT_NO"),
        (proposal("양 자", "QNTM"), "name", "without spaces"),
        (proposal("quantum", "QNTM"), "name", "Korean"),
        (proposal("얍", "YAP"), "name", "one syllable"),
        (proposal("<b>양자</b>", "QNTM"), "name", "is no word"),
        (proposal("양자", "Q"), "form", "2 to 6"),
        (proposal("양자", "QUANTUM"), "form", "2 to 6"),
        (proposal("양자", "PT_QN"), "form", "2 to 6"),
        (proposal("양자", "1Q"), "form", "a letter first"),
        (proposal("양자", "양자"), "form", "A-Z"),
        (proposal("양자", "\u0420\u0422X"), "form", "A-Z"),
        (proposal("양자", "PT"), "taken", "`PT` is read as 환자"),
        (proposal("양자", "DT"), "taken", "is read as"),
        (proposal("양자", "WINDOW"), "reserved", "postgres"),
        (proposal("양자", "ROWNUM"), "reserved", "oracle"),
        (proposal("양자", "QNTM", "patient"), "english", "is the English of 환자"),
        (proposal("양자", "QNTM", ""), "english", "Latin letters"),
        (proposal("양자", "QNTM", "=cmd()"), "english", "Latin letters"),
        (proposal("양자", "QNTM", is_class=True), "domain", "no domain is of class"),
        (proposal("양자", "QNTM", domain="번호"), "domain", "only a class word"),
        (proposal("환자식별자", "PT_IDX", term=True), "known", "환자식별자 already (PT_ID)"),
        (proposal("환자안심번호", "PT_ID", term=True), "taken", "the name of 환자식별자"),
        (proposal("환자안심번호", "pt sfty", term=True), "form", "no physical name"),
        (proposal("환자안심번호", "PT_SFTY_NO", term=True, domain="없음V9"), "domain", "no domain"),
    ],
)
def test_a_rule_that_is_broken_is_named(
    given: Proposal, fault: str, text: str, lookup: Lookup
) -> None:
    """A person reads why at once, with what stands in the way."""
    found = problem(given, lookup)

    assert found is not None
    assert (found.fault, text in found.text) == (fault, True), found


@pytest.mark.parametrize(
    "given",
    [
        proposal("양자", "QNTM", "quantum"),
        proposal("관리번호판", "PLTNO", "plate number", is_class=True, domain="번호"),
        proposal("환자안심번호", "PT_SFTY_NO", "", term=True, domain="번호V20"),
    ],
)
def test_what_breaks_no_rule_may_be_accepted(given: Proposal, lookup: Lookup) -> None:
    """A word, a class word, a term."""
    assert problem(given, lookup) is None


def test_two_proposals_do_not_share_an_abbreviation(lookup: Lookup) -> None:
    """The first of the file has it; which of two comes second is the file's order."""
    first, second = proposal("양자", "QNTM", "quantum"), proposal("양수", "QNTM", "positive number")

    found = problems([first, second], lookup)

    assert list(found) == [second.id]
    assert "`QNTM` is proposed for `양자` too" in found[second.id].text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_person_needs_a_name_and_an_abbreviation(
    tmp_path: Path, encoding: str, between: str
) -> None:
    """Whatever editor or spreadsheet wrote the file; the id follows from the name."""
    (tmp_path / FILE).write_text(HAND.replace(",", between), encoding=encoding)

    found = ProposalFile(tmp_path).read()

    assert [(one.name, one.abbreviation, one.row) for one in found] == [
        ("양자", "QNTM", 2),
        ("상태", "STTS", 3),
        ("환자", "PTX", 4),
    ]
    assert (found[0].id, found[0].status, found[0].kind) == ("p-bedfdfb3", "proposed", "word")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,status\n", "row 1: there is no column `name`"),
        ("name,abbreviation\n,QNTM\n", "row 2: it has no name"),
        ("name,abbreviation,status\n양자,QNTM,okay\n", "row 2: `okay` is no status; there are"),
        ("name,abbreviation,kind\n양자,QNTM,verb\n", "row 2: `verb` is no kind; there are word"),
        ("name,abbreviation\n양자,QNTM\n\n양자,QTM\n", "row 4: `양자` stands in row 2 already"),
        ("id,name,abbreviation\np-1,양자,QNTM\np-2,양 자,QTM\n", "row 3: `양 자` stands in row 2"),
        ("name,abbreviation\n\x00,\x00\n", "no name"),
        ("name,abbreviation,memo\n양자,QNTM,a, b\n", "row 2: `b` stands under no column's name"),
        ("name,abbreviation,\n양자,QNTM,a\n", "row 2: `a` stands under no column's name"),
        ("name,abbreviation,memo,memo\n양자,QNTM,a,b\n", "row 1: there are two columns `memo`"),
        ('name,abbreviation\n"양자,QNTM\n상태,STTS\n', "line 2: no CSV (unexpected end of data)"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, text: str, said: str) -> None:
    """The file stays as it is: no row is lost because another is wrong."""
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    file = ProposalFile(tmp_path)

    with (
        pytest.raises(ProposalError, match=r"proposals\.csv, ") as caught,
        file.writing() as listed,
    ):
        listed.append(proposal("양자", "QNTM"))

    assert said in str(caught.value)
    assert (tmp_path / FILE).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"name,abbreviation\n\xb0", b"x" * (9 << 20)])
def test_bytes_that_are_no_such_file_are_refused(tmp_path: Path, content: bytes) -> None:
    """With the file's name, and not by a traceback."""
    (tmp_path / FILE).write_bytes(content)

    with pytest.raises(ProposalError, match=r"proposals\.csv"):
        ProposalFile(tmp_path).read()


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    """A person's own columns too; a cell that a spreadsheet would run is marked meanwhile."""
    text = 'name,abbreviation,My Memo,=A1,,english\n양자,qntm,"=1+1\nb",\uff1dc,,quantum\n'
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    file = ProposalFile(tmp_path)
    hostile = proposal("상태", "STTS", "condition", request="=cmd|' /C calc'!A0\n@x", model="-m")

    with file.writing() as listed:
        listed.append(hostile)
    read = file.read()

    assert read[0].further == (("My Memo", "=1+1\nb"), ("=A1", "\uff1dc"))
    assert read[1].request == "=cmd|' /C calc'!A0\n@x"
    assert [one.row for one in read] == [2, 4]
    assert (read[1].model, read[0].abbreviation) == ("-m", "QNTM")
    with (tmp_path / FILE).open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.reader(lines))
    assert rows[0] == [*HEADER, "My Memo", "'=A1"]
    assert not any(cell.startswith(("=", "+", "-", "@", "\uff1d")) for row in rows for cell in row)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\r\n \r\n,,\r\n"])
def test_a_blank_file_holds_no_proposals(tmp_path: Path, content: bytes) -> None:
    """A spreadsheet that was emptied and saved leaves one; it is filled as a new one is."""
    (tmp_path / FILE).write_bytes(content)
    file = ProposalFile(tmp_path)

    assert file.read() == ()
    with file.writing() as listed:
        listed.append(proposal("양자", "QNTM"))
    assert [one.name for one in file.read()] == ["양자"]


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ([proposal("\u200b", "QNTM")], "row 3: it has no name"),
        ([proposal("양 자", "QTM")], "row 3: `양 자` stands in row 2 already"),
        ([proposal("상태", "STTS", request="x" * 200_000)], "field larger than"),
        ([proposal(f"상{n}", "S", request="x" * 100_000) for n in range(90)], "more than 8 MiB"),
    ],
)
def test_nothing_is_written_that_cannot_be_read(
    tmp_path: Path, broken: list[Proposal], said: str
) -> None:
    """Else one wrong row would close the file to every command, and to every run."""
    (tmp_path / FILE).write_text("name,abbreviation\n양자,QNTM\n", encoding="utf-8")
    file = ProposalFile(tmp_path)
    before = file.read()

    with pytest.raises(ProposalError, match="would be broken") as caught, file.writing() as listed:
        listed.extend(broken)

    assert said in str(caught.value)
    assert file.read() == before


def test_a_writer_that_was_stopped_stops_nobody(tmp_path: Path) -> None:
    """Who waits for it gives up in time, says why, and has changed nothing."""
    with ProposalFile(tmp_path).writing() as listed:
        listed.append(proposal("양자", "QNTM"))
        with (
            pytest.raises(ProposalError, match=r"proposals\.csv is being written to\. Try again"),
            ProposalFile(tmp_path).writing(wait=0.05),
        ):
            pytest.fail("two wrote at once")

    assert [one.name for one in ProposalFile(tmp_path).read()] == ["양자"]


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    """Of many that add at once nobody's row is lost."""

    def add(number: int) -> None:
        with ProposalFile(tmp_path).writing() as listed:
            listed.append(proposal(f"낱말{number}", f"W{number}"))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(40)))

    assert len(ProposalFile(tmp_path).read()) == 40
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE, f"{FILE}.lock"]


def test_accepted_words_answer_with_their_source(
    by_hand: ProposalFile, kim: Decider, store: GlossaryStore
) -> None:
    """The citation names the proposal, who accepted it and when; accepting again adds nothing."""
    known = ids(by_hand)
    with store:
        before = Lookup(store.glossary()).recommend(Item(name="환자양자상태여부"))
        done = kim.accept([known["양자"], known["상태"]], store)
        again = kim.accept([known["양자"], known["상태"]], store)
        best = Lookup(store.glossary()).recommend(Item(name="환자양자상태여부")).best
        editions = store.editions()
        hit = store.search("양자")[0]

    assert before.best is None
    assert best is not None
    assert best.physical_name == "PT_QNTM_STTS_YN"
    cited = next(source for source in best.citations if "양자" in source.quote)
    assert (cited.source, cited.row, cited.edition) == ("organisation", 2, "1")
    assert cited.quote == (
        "proposals.csv p-bedfdfb3, accepted 2026-11-21 by kim, row 2: 양자 = QNTM"
    )
    assert [one.name for one in done.entered] == ["양자", "상태"]
    assert (again.entered, [one.name for one in again.already_there]) == ([], ["양자", "상태"])
    assert [(one.kind, one.entries) for one in editions] == [("org", {"word": 2})]
    assert (hit.body["accepted_by"], hit.body["proposed_by"]) == ("kim", "a person")


def test_all_enter_or_none(by_hand: ProposalFile, kim: Decider, store: GlossaryStore) -> None:
    """One that breaks a rule keeps the others out; each reason is said."""
    before = by_hand.path.read_bytes()

    with store, pytest.raises(ProposalError, match=r"Nothing was accepted\. p-\w+: `환자` is a"):
        kim.accept(list(ids(by_hand).values()), store)

    assert by_hand.path.read_bytes() == before
    with store:
        assert store.editions() == ()


def test_an_acceptance_that_was_cut_off_is_finished_by_the_next(
    by_hand: ProposalFile, kim: Decider, store: GlossaryStore
) -> None:
    """A kill after the glossary was written leaves the row open; it can be closed."""
    before = by_hand.path.read_bytes()
    with store:
        kim.accept([ids(by_hand)["양자"]], store)
        by_hand.path.write_bytes(before)
        done = kim.accept([ids(by_hand)["양자"]], store)

    assert [one.name for one in done.already_there] == ["양자"]
    assert by_hand.read()[0].status == "accepted"


def test_a_status_typed_by_hand_accepts_nothing(tmp_path: Path, store: GlossaryStore) -> None:
    """Only the command puts a word into a glossary."""
    (tmp_path / FILE).write_text(
        "name,abbreviation,english,status\n양자,QNTM,quantum,accepted\n", encoding="utf-8"
    )
    with store:
        assert Lookup(store.glossary()).best("환자양자번호") is None
        done = Decider(ProposalFile(tmp_path), by="kim").accept(["p-bedfdfb3"], store)

        assert [one.name for one in done.entered] == ["양자"]
        assert Lookup(store.glossary()).best("환자양자번호") is not None
    assert ProposalFile(tmp_path).read()[0].decided_by == "kim"


def test_a_public_glossary_takes_no_words(
    by_hand: ProposalFile, kim: Decider, store: GlossaryStore, tmp_path: Path
) -> None:
    """It is somebody else's; an organisation's takes them into its newest edition."""
    ward = tmp_path / "ward_2025-11.csv"
    ward.write_text("용어명,영문약어명\n병동명,WRD_NM\n", encoding="utf-8")
    known = ids(by_hand)
    with store:
        import_file(store, ward, Wanted(name="standard", kind="public"))
        import_file(store, ward, Wanted(name="ours"))
        with pytest.raises(ProposalError, match="`standard` is a public glossary"):
            kim.accept([known["양자"]], store, into="standard")
        done = kim.accept([known["양자"]], store, into="ours")
        import_file(store, ward, Wanted(name="ours"))

        assert (done.glossary, done.edition) == ("ours", "2025-11")
        assert "양자" in store.glossary().words


def test_a_rejection_is_remembered(by_hand: ProposalFile, kim: Decider) -> None:
    """With its reason; what was accepted is no matter for it."""
    known = ids(by_hand)

    kim.reject([known["양자"]], reason="no quanta here")
    changed = kim.edit(known["양자"], abbreviation="QTM")

    assert (changed.status, changed.id, changed.abbreviation) == ("proposed", known["양자"], "QTM")
    assert (changed.reason, by_hand.read()[0]) == ("", changed)
    kim.reject([known["양자"], known["양자"]], reason="no quanta here")
    one = by_hand.read()[0]
    assert (one.status, one.reason, one.decided_by) == ("rejected", "no quanta here", "kim")
    with pytest.raises(ProposalError, match=r"no proposal `p-0`\. Open ones: p-452aff78"):
        kim.reject(["p-0"], reason="")


def test_an_id_follows_from_the_name(tmp_path: Path) -> None:
    """Whatever a spreadsheet filled into the column, and after an edit: no two rows share one."""
    (tmp_path / FILE).write_text(
        "id,name,abbreviation\np-1,양자,QNTM\np-1,상태,STTS\n", encoding="utf-8"
    )
    file = ProposalFile(tmp_path)
    before = ids(file)

    changed = Decider(file, by="kim").edit(before["양자"], name="양자역학")

    assert before == {"양자": "p-bedfdfb3", "상태": "p-452aff78"}
    assert ids(file) == {"양자역학": changed.id, "상태": "p-452aff78"}
    assert changed.id == proposal_id("word", "양자역학")


def test_the_glossary_that_is_entered_is_always_asked(
    by_hand: ProposalFile, kim: Decider, store: GlossaryStore
) -> None:
    """Though it does not answer: it must not hold one abbreviation twice."""
    known = ids(by_hand)
    with store:
        kim.accept([known["양자"]], store, names=("minerva-seed",))
        kim.edit(known["상태"], abbreviation="QNTM")
        with pytest.raises(ProposalError, match="`QNTM` is read as 양자 already"):
            kim.accept([known["상태"]], store, names=("minerva-seed",))


def test_what_was_accepted_is_neither_rejected_nor_edited(
    by_hand: ProposalFile, kim: Decider, store: GlossaryStore
) -> None:
    """The glossary has it: there it is changed or removed."""
    known = ids(by_hand)
    with store:
        kim.accept([known["양자"]], store)

    with pytest.raises(ProposalError, match="was accepted on 2026-11-21"):
        kim.reject([known["양자"]], reason="")
    with pytest.raises(ProposalError, match="was accepted"):
        kim.edit(known["양자"], abbreviation="QTM")


def test_the_artifact_is_such_a_file(tmp_path: Path) -> None:
    """What an answer brings can be laid into another home as it is."""
    one = proposal("양자", "QNTM", "quantum", places=("TB.C: 환자양자상태", "환자양자"))

    (tmp_path / FILE).write_text(proposals_csv([one]), encoding="utf-8")

    assert ProposalFile(tmp_path).read() == (one.model_copy(update={"row": 2}),)
    assert next(csv.reader(io.StringIO(proposals_csv([])))) == list(HEADER)
