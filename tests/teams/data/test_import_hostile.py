"""Files that are wrong: a clear error each, and the store stays as it was."""

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import copies
import openpyxl
import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.store.schema import StoreError
from minerva_data.core.store.store import GlossaryStore
from minerva_reading import FileFault as ImportFault

TERMS = "용어명,영문약어명\n접수명,RCPT_NM\n"
IMPORT = """
import sys
from pathlib import Path
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.store.store import GlossaryStore

def told(rows):
    print(rows, flush=True)
    if rows >= 40_000:
        sys.stdin.read()

with GlossaryStore(Path(sys.argv[1])) as store:
    import_file(store, Path(sys.argv[2]), Wanted("ours"), on_progress=told)
"""

Fault = Callable[[str, bytes], str]


@pytest.fixture
def store(tmp_path: Path) -> GlossaryStore:
    """Give a store that holds one term."""
    store = GlossaryStore(tmp_path / "glossary.db")
    path = tmp_path / "first.csv"
    path.write_text(TERMS, encoding="utf-8")
    import_file(store, path, Wanted("ours"))
    return store


@pytest.fixture
def fault(store: GlossaryStore, tmp_path: Path) -> Fault:
    """Return what imports a wrong file and returns the error; the store must be as before."""

    def take(file: str, content: bytes) -> str:
        before = store.generation
        path = tmp_path / file
        path.write_bytes(content)
        with pytest.raises(ImportFault) as caught:
            import_file(store, path, Wanted("ours"))
        assert store.generation == before
        assert list(store.glossary(["ours"]).terms) == ["접수명"]
        return str(caught.value)

    return take


def workbook(path: Path) -> Path:
    """Return a workbook with one term."""
    book = openpyxl.Workbook()
    for row in (["용어명", "영문약어명"], ["접수명", "RCPT_NM"]):
        book.worksheets[0].append(row)
    book.save(path)
    return path


def repacked(path: Path, part: str, content: bytes) -> bytes:
    """Return a workbook one of whose parts is another."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**parts, part: content}.items():
            archive.writestr(name, data)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("a.csv", b"", "a.csv is empty"),
        ("a.csv", TERMS.encode()[:-1] + b"\xec\x9e\n", "as UTF-8, byte 0xEC at"),
        ("a.xls", b"x", "save an .xls as .xlsx"),
        ("a.xlsx", b"PK not at all", "is no XLSX workbook"),
        ("a.csv", "이름,값\n가,나\n".encode(), '--map "용어명=name"'),
        ("a.csv", "용어명,영문약어명\n".encode(), "none of its 0 rows can be kept"),
        ("a.csv", "용어명,영문약어명\n가,없음\n".encode(), "row 2: `없음` is no physical name"),
        ("a.csv", f'{TERMS}"열린,X_NM\n'.encode(), "line 3: no CSV"),
        ("a.sql", b"SELECT 1", "creates no table"),
        ("a.yml", b"a: [", "line 1: no plain YAML"),
        ("a.yml", b"a: &x [1]\nmodels: [*x, *x]\n", "an alias"),
        ("a.yml", b"a: 1\n", "neither dbt's schema.yml"),
        ("a.yml", b"models:\n- columns: [{name: \xff}]\n", "byte 0xFF at 27"),
        ("a.yml", b"[" * 5000, "nested too deeply"),
    ],
)
def test_a_wrong_file_is_told(fault: Fault, file: str, content: bytes, said: str) -> None:
    """What is wrong, where, and what to do; nothing is half imported."""
    assert said in fault(file, content)


def test_broken_bytes_are_named(fault: Fault) -> None:
    """UTF-8 that was cut is not read as cp949: that would be a glossary in wrong letters."""
    whole = ("용어명,영문약어명\n" + "접수명,RCPT_NM\n" * 90_000).encode()
    cut = whole.index("접".encode(), 800_000) + 1
    marked = b"\xef\xbb\xbf" + "용어".encode("cp949")

    assert f"as UTF-8, byte 0xEC at {cut - 1:,} (line " in fault(
        "a.csv", whole[:cut] + whole[cut + 1 :]
    )
    assert "it is marked as UTF-8-SIG, but byte 0xBF at 3 (line 1)" in fault("b.csv", marked)
    assert "as cp949, byte 0xFF at 0" in fault("c.csv", b"\xff\xff\xff" + whole[:30])


def test_a_line_without_an_end_does_not_fill_the_memory(fault: Fault) -> None:
    """It is refused after a megabyte, not read to its end."""
    said = fault("a.csv", TERMS.encode() + b"x" * 3_000_000)

    assert "line 3 has more than 1,048,576 letters" in said


def test_a_workbook_without_a_table_says_what_it_holds(fault: Fault, tmp_path: Path) -> None:
    """The wrong file of two, mostly: its sheets and headers tell which."""
    book = openpyxl.Workbook()
    book.worksheets[0].title = "매출"
    book.worksheets[0].append(["월", "금액"])
    path = tmp_path / "sales.xlsx"
    book.save(path)

    said = fault("b.xlsx", path.read_bytes())

    assert said.startswith("b.xlsx (매출): no row at its top has the headers of terms")
    assert "It begins with: `월`, `금액`" in said


def test_a_zip_bomb_is_refused(fault: Fault, tmp_path: Path) -> None:
    """Ten kilobytes that unpack to ten megabytes are no glossary."""
    content = repacked(workbook(tmp_path / "b.xlsx"), "xl/media/a.bin", b"\x00" * 12_000_000)

    assert "a zip bomb" in fault("a.xlsx", content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_that_declares_entities_is_refused(fault: Fault, tmp_path: Path, encoding: str) -> None:
    """Neither a file of this machine nor a billion laughs get into a glossary."""
    secret = tmp_path / "secret"
    secret.write_text("XYZ_SECRET")
    evil = (
        f'<?xml version="1.0" encoding="{encoding}"?>{" " * 100_000}'
        f'<!DOCTYPE sst [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1">'
        "<si><t>&x;</t></si></sst>"
    ).encode(encoding)
    content = repacked(workbook(tmp_path / "b.xlsx"), "xl/sharedStrings.xml", evil)

    said = fault("a.xlsx", content)

    assert "declares a document type in xl/sharedStrings.xml" in said
    assert "SECRET" not in said


def test_a_broken_part_of_a_workbook_is_told(fault: Fault, tmp_path: Path) -> None:
    """Whatever the library stumbles over, people read which file it is."""
    path = workbook(tmp_path / "b.xlsx")

    assert "a.xlsx " in fault("a.xlsx", repacked(path, "xl/worksheets/sheet1.xml", b"<worksheet>"))
    assert "holds broken XML" in fault("a.xlsx", repacked(path, "xl/workbook.xml", b"nonsense"))


def test_a_sheet_that_lies_about_its_size_costs_nothing(
    store: GlossaryStore, tmp_path: Path
) -> None:
    """The declared size is not trusted: a row has the cells that it has."""
    path = workbook(tmp_path / "b.xlsx")
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    path.write_bytes(
        repacked(path, "xl/worksheets/sheet1.xml", sheet.replace(b"A1:B2", b"A1:XFD1048576"))
    )

    assert import_file(store, path, Wanted("other")).read == 1


def test_a_killed_import_leaves_the_store_as_it_was(store: GlossaryStore, tmp_path: Path) -> None:
    """SIGKILL in the middle of a transaction, and the next one is not kept waiting."""
    path = tmp_path / "large.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("용어명,영문약어명\n")
        file.writelines(f"용어{n},TERM{n}\n" for n in range(25_000))
    command = [sys.executable, "-c", IMPORT, str(store.path), str(path)]
    with copies.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)

    assert told == b"20000\n"
    assert list(store.glossary(["ours"]).terms) == ["접수명"]
    path.write_text(TERMS.replace("RCPT", "ACPT"), encoding="utf-8")
    assert import_file(store, path, Wanted("ours")).updated == 1


def test_a_second_writer_is_told_to_wait(store: GlossaryStore, tmp_path: Path) -> None:
    """Two imports at once: the second one says so and changes nothing."""
    with GlossaryStore(store.path) as other:
        other.connection.execute("PRAGMA busy_timeout = 50")
        with store.writing(), pytest.raises(StoreError, match=r"is being written to\. Try again"):
            import_file(other, tmp_path / "first.csv", Wanted("ours"))


@pytest.mark.parametrize("name", ["", "minerva-seed", "../up", "a@1", "x" * 80])
def test_a_name_that_could_not_be_typed_is_refused(
    store: GlossaryStore, tmp_path: Path, name: str
) -> None:
    """`NAME@EDITION` must be readable back, and the bundled glossary is nobody's to replace."""
    path = tmp_path / ("@@.csv" if not name else "first.csv")
    path.write_text(TERMS, encoding="utf-8")

    with pytest.raises(ImportFault, match="--as NAME"):
        import_file(store, path, Wanted(name or None))


@pytest.mark.parametrize("pair", ["용어명", "=name", "용어명=nonsense"])
def test_a_map_that_means_nothing_is_refused(
    store: GlossaryStore, tmp_path: Path, pair: str
) -> None:
    """It lists the fields that there are."""
    with pytest.raises(ImportFault, match=r"a field is one of .*physical_name"):
        import_file(store, tmp_path / "first.csv", Wanted("ours", header_pairs=(pair,)))


def test_a_map_without_effect_is_refused(store: GlossaryStore, tmp_path: Path) -> None:
    """A misspelled header would otherwise leave a column out silently."""
    with pytest.raises(ImportFault, match="no table has this header"):
        import_file(store, tmp_path / "first.csv", Wanted("ours", header_pairs=("도매인=domain",)))
