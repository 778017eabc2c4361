"""A workbook is a ZIP file of XML: what grows without end inside is refused before it is read."""

import struct
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from minerva_reading import UnreadableError
from minerva_reading.tables.sheet import check_archive

SHEET = "xl/worksheets/sheet1.xml"
MIB = 1024 * 1024


def archive(path: Path, parts: dict[str, bytes]) -> Path:
    """Write `parts` as a ZIP file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return path


def test_a_workbook_of_many_like_rows_is_let_through(tmp_path: Path) -> None:
    """Repeated cells pack well; that alone makes no bomb."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    for number in range(4_000):
        sheet.append([number % 2, "same", "same", None, 1.5])
    book.save(tmp_path / "rows.xlsx")

    assert check_archive(tmp_path / "rows.xlsx") > 200_000


def test_a_part_that_grows_a_thousandfold_is_refused(tmp_path: Path) -> None:
    """Deflate packs zeros 1,000 to 1."""
    bomb = archive(tmp_path / "bomb.xlsx", {SHEET: b" " * (8 * MIB)})

    with pytest.raises(UnreadableError, match="grows more than 100 times"):
        check_archive(bomb)


def test_a_part_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """The declared size is changed in both headers; the real bytes are counted."""
    bomb = archive(tmp_path / "bomb.xlsx", {SHEET: b" " * (8 * MIB)})
    real, small = struct.pack("<L", 8 * MIB), struct.pack("<L", 1_000)
    bomb.write_bytes(bomb.read_bytes().replace(real, small))

    with pytest.raises(UnreadableError, match="damaged, or no ZIP file"):
        check_archive(bomb)


def test_all_parts_count_together(tmp_path: Path) -> None:
    """Many small parts are a bomb, too."""
    parts = {f"xl/worksheets/sheet{n}.xml": bytes(range(256)) * 40 for n in range(20)}

    with pytest.raises(UnreadableError, match=r"larger than 100,000 bytes"):
        check_archive(archive(tmp_path / "many.xlsx", parts), max_inflated_bytes=100_000)


def test_what_is_held_in_memory_has_a_limit_of_its_own(tmp_path: Path) -> None:
    """Shared strings are read whole; sheets are not."""
    content = b"".join(n.to_bytes(4, "big") for n in range(50_000))
    book = archive(tmp_path / "book.xlsx", {SHEET: content, "xl/sharedStrings.xml": content})

    with pytest.raises(UnreadableError, match="larger than"):
        check_archive(book, max_whole_part_bytes=100_000)
    assert check_archive(book, max_whole_part_bytes=200_000) == 400_000


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    """Each part costs time, however small."""
    parts = {f"{n}": b"" for n in range(1_001)}

    with pytest.raises(UnreadableError, match="more than 1,000 parts"):
        check_archive(archive(tmp_path / "many.xlsx", parts))


LAUGHS = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x>&b;</x>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_declaration_of_entities_is_refused(tmp_path: Path, encoding: str) -> None:
    """A billion laughs begin with a DOCTYPE, whatever the encoding of the part."""
    book = archive(tmp_path / "laughs.xlsx", {SHEET: LAUGHS.encode(encoding)})

    with pytest.raises(UnreadableError, match="an XML bomb"):
        check_archive(book)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x05\x06" + b"\xff" * 18, b"words"])
def test_what_is_no_archive_says_so(tmp_path: Path, content: bytes) -> None:
    """A name proves nothing."""
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)

    with pytest.raises(UnreadableError, match="no ZIP file"):
        check_archive(path)
