"""Workbooks whose archive is broken, one test for each way in which Python's zip reader fails."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.store.store import GlossaryStore
from minerva_reading import FileFault as ImportFault

LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
FLAGS, METHOD, PACKED, SIZE, OFFSET = 8, 10, 20, 24, 42
"""Where fields stand in a central header; those of a local one stand two bytes earlier."""


def workbook() -> bytes:
    """Return a workbook that holds a glossary."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["용어명", "영문약어명"])
    for number in range(500):
        sheet.append([f"접수명{number}", f"RCPT{number}_NM"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def places(data: bytes, mark: bytes) -> list[int]:
    """Return where headers begin."""
    found = [at for at in range(len(data)) if data.startswith(mark, at)]
    assert found
    return found


def marked(data: bytes, field: int, value: int) -> bytes:
    """Return `data` with a field of two bytes set in all headers."""
    changed = bytearray(data)
    for at in places(data, CENTRAL):
        struct.pack_into("<H", changed, at + field, value)
    for at in places(data, LOCAL):
        struct.pack_into("<H", changed, at + field - 2, value)
    return bytes(changed)


def no_zip(_: bytes) -> bytes:
    """Return the head of an old .xls, or of a workbook that Office encrypted."""
    return bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)


def truncated(data: bytes) -> bytes:
    """Return a download that broke off."""
    return data[: len(data) // 2]


def encrypted(data: bytes) -> bytes:
    """Return a zip with a password."""
    return marked(data, FLAGS, 1)


def packed_otherwise(data: bytes) -> bytes:
    """Return a zip that is packed with AES's method."""
    return marked(data, METHOD, 99)


def garbled(data: bytes) -> bytes:
    """Return a zip whose parts are no packed data."""
    changed = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.infolist():
            begin = part.header_offset + 30 + len(part.filename)
            changed[begin : begin + 20] = b"\xff" * 20
    return bytes(changed)


def ends_early(_: bytes) -> bytes:
    """Return a zip with a part that goes on beyond the end of the file."""
    name, begin = b"xl/workbook.xml", b"<?xml version='1.0'?><!-- goes on"
    sizes = struct.pack("<HHLLLHH", 0, 33, 0, 90_000, 90_000, len(name), 0)
    local = LOCAL + struct.pack("<HHH", 20, 0, 0) + sizes + name + begin
    central = CENTRAL + struct.pack("<HHHH", 20, 20, 0, 0) + sizes
    where = 46 + len(name) + 22
    central += struct.pack("<HHHLL", 0, 0, 0, 0, where) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), 0, len(local))
    return central + end + local


def points_before(data: bytes) -> bytes:
    """Return a zip whose parts begin before the file does."""
    changed = bytearray(data)
    (end,) = places(data, b"PK\x05\x06")
    struct.pack_into("<L", changed, end + 16, 0xFFFFF)
    return bytes(changed)


@pytest.mark.parametrize(
    "broken",
    [no_zip, truncated, encrypted, packed_otherwise, garbled, ends_early, points_before],
)
def test_a_broken_archive_is_refused(tmp_path: Path, broken: Callable[[bytes], bytes]) -> None:
    """A sentence that names the file and what to do; nothing is imported."""
    file = tmp_path / "words.xlsx"
    file.write_bytes(broken(workbook()))

    with GlossaryStore(tmp_path / "glossary.db") as store:
        with pytest.raises(ImportFault, match=r"words\.xlsx is no XLSX workbook \(.*Save it as"):
            import_file(store, file, Wanted("ours"))
        assert store.editions() == ()
