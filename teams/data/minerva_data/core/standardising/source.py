"""Open what a person gives: files by their endings, names and sentences as they are typed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from minerva_data.core.importing.contract_entries import contract_columns
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.language.text import is_identifier
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item, ReadAs, Unparsed
from minerva_data.core.schema.schema_file import SchemaError, read_schema_file
from minerva_data.core.standardising.column_list import ADDRESS, Read, find_list, read_table
from minerva_data.core.standardising.options import StandardiseFault, Wishes
from minerva_platform.text import masked_name
from minerva_reading import DELIMITERS, FileFault, check_encoding, find_encoding, open_tables

_MAX_HEAD_ROWS = 20
_TYPED = "typed"
_GENERIC_SHEET = re.compile(r"(?:Sheet|시트)\s*\d*|columns?|fields?|tables?", re.IGNORECASE)
"""Names of sheets that name no table."""

_ENCODING_HINT = " Or name its encoding: --encoding cp932"
_NO_DELIMITER = "\x1f"
"""A character that no text holds: each line is one cell."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to standardise. `kind`: schema, list, names, data, or text."""

    name: str
    kind: str
    columns: Iterator[Read]
    read_as: ReadAs | None = None


def is_file_name(text: str) -> bool:
    """True if a text names a file of a kind that is read here, be it there or not."""
    return Path(text).suffix.casefold() in _READERS


def open_file(path: Path, wishes: Wishes) -> Source:
    """Return the columns of a file.

    Raises:
        StandardiseFault: it cannot be read, or names no columns.
        FileFault: it is no text, no CSV, no workbook or no YAML.
    """
    if path.is_dir():
        message = f"{path} is a folder. Name the files in it that hold schemas or columns."
        raise StandardiseFault(message)
    found = _READERS.get(path.suffix.casefold())
    if found is None:
        message = (
            f"{_name(path)}: files of this kind are not read. Give DDL (.sql), a contract or dbt's "
            "schema.yml (.yml), or a list of columns (.csv, .tsv, .txt, .xlsx)."
        )
        raise StandardiseFault(message)
    try:
        is_empty = not path.stat().st_size
        if not is_empty:
            with path.open("rb"):
                return found(path, wishes)
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}). Name a file that you may read."
        raise StandardiseFault(message) from error
    message = f"{_name(path)} is empty. Save the schema or the list of columns into it again."
    raise StandardiseFault(message)


def open_texts(texts: Iterable[str], lookup: Callable[[], Lookup], *, name: str = _TYPED) -> Source:
    """Return what names and sentences ask for, one each or several in a sentence.

    `lookup` is asked for when the first text is read.
    """
    return Source(name, "text", _read_texts(texts, lookup, name))


def _read_texts(texts: Iterable[str], lookup: Callable[[], Lookup], name: str) -> Iterator[Read]:
    known = lookup()
    reader = SentenceReader(known)
    for number, text in enumerate(texts, start=1):
        said = text.strip()
        is_address = ADDRESS.fullmatch(said) is not None
        if is_address or not any(char.isalnum() for char in said):
            if said:
                error = "it is an address: download the file" if is_address else "it names nothing"
                yield Unparsed(file=name, line=number, error=error, statement=said)
            continue
        whole = Item(name=said, line=number)
        items = () if known.best(said) else reader.read_items(said).items
        for item in items or (whole,):
            yield item.model_copy(update={"line": number})


def _ddl(path: Path, wishes: Wishes) -> Source:
    try:
        schema = read_schema_file(path, dialect=wishes.dialect, encoding=wishes.encoding)
    except SchemaError as error:
        hint = _ENCODING_HINT if error.reason == "encoding" else ""
        message = f"{error}{hint}"
        raise StandardiseFault(message) from error
    if not schema.columns:
        first = next(iter(schema.problems), None)
        why = f" Line {first.line}: {first.error}." if first else ""
        message = f"{_name(path)} creates no table that can be read.{why} Give DDL: CREATE TABLE …."
        raise StandardiseFault(message)
    problems = (*schema.problems, *schema.duplicates)

    def take_columns() -> Iterator[Read]:  # a large schema is let go of while it is read
        schema.columns.reverse()
        while schema.columns:
            yield schema.columns.pop()
        yield from problems

    return Source(_name(path), "schema", take_columns(), schema.read_as(_name(path)))


def _contract(path: Path, wishes: Wishes) -> Source:
    kind, columns = contract_columns(path)

    def read_columns() -> Iterator[Read]:
        for item, place in columns:
            if item.name:
                yield item.model_copy(update={"dialect": wishes.dialect, "line": place.row})
            else:
                error, is_loss = item.wording or "a column without a name", not item.wording
                yield Unparsed(
                    file=_name(path), line=place.row, error=error, statement=kind, is_loss=is_loss
                )

    return Source(_name(path), "schema", read_columns(), ReadAs(file=path.name, encoding="utf-8"))


def _csv(path: Path, wishes: Wishes) -> Source:
    encoding = _encoding(path, wishes)
    delimiter = _delimiter(path, encoding, wishes)
    (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
    found = read_table(table.rows, _name(path), wishes, stem=Path(_name(path)).stem)
    if found is None:
        message = f"{_name(path)} holds no names: its first rows are empty."
        raise StandardiseFault(message)
    read_as = ReadAs(file=_name(path), encoding=encoding, dialect=wishes.dialect)
    return Source(_name(path), *found, read_as)


def _encoding(path: Path, wishes: Wishes) -> str:
    if wishes.encoding:
        check_encoding(path.read_bytes(), wishes.encoding, name=_name(path))
        return wishes.encoding
    try:
        return find_encoding(path)
    except FileFault as error:
        message = f"{error}{_ENCODING_HINT}"
        raise FileFault(message) from error


def _delimiter(path: Path, encoding: str, wishes: Wishes) -> str:
    """Return what the cells are apart by: what makes a list of them, else most cells.

    A plain text that is no list has a name on each line, whatever stands in it.
    """
    widest, most = ",", 0
    for delimiter in DELIMITERS:
        (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
        for number, (_, cells) in enumerate(table.rows):
            if find_list(cells, wishes.header_map) is not None:
                return delimiter
            if len(cells) > most:
                widest, most = delimiter, len(cells)
            if number >= _MAX_HEAD_ROWS:
                break
    is_plain = path.suffix.casefold() == ".txt" and not wishes.is_data
    return _NO_DELIMITER if is_plain else widest


def _xlsx(path: Path, wishes: Wishes) -> Source:
    """Return the columns of all sheets that list some; of a workbook with data, the first one's."""
    sheets: list[str] = []
    kinds: list[tuple[str, str]] = []
    for table in open_tables(path):
        sheets.append(table.name)
        head = [cells for _, (_, cells) in zip(range(_MAX_HEAD_ROWS), table.rows, strict=False)]
        if any(find_list(cells, wishes.header_map) for cells in head) and not wishes.is_data:
            kinds.append((table.name, "list"))
    if not kinds and not wishes.is_data:
        message = (
            f"{_name(path)}: no sheet lists columns ({', '.join(sheets)}): none has a header "
            "컬럼명 (column_name) or the like at its top. Name the headers (--map "
            "HEADER=column), or let "
            "the first sheet's first row name the columns (--data)."
        )
        raise StandardiseFault(message)
    owners = {title: _table_of(title, len(kinds)) for title, _ in kinds}
    columns = _sheets(path, owners or dict.fromkeys(sheets[:1], ""), wishes)
    return Source(_name(path), "data" if wishes.is_data else "list", columns)


def _table_of(title: str, lists: int) -> str:
    """Return the table that a sheet is named after, if it is one of several, or called `TB_A`."""
    is_generic = _GENERIC_SHEET.fullmatch(title.strip()) is not None
    return title.strip() if not is_generic and (lists > 1 or is_identifier(title.strip())) else ""


def _sheets(path: Path, owners: Mapping[str, str], wishes: Wishes) -> Iterator[Read]:
    """Yield the columns of the sheets that list some, each with its table; name the others."""
    for table in open_tables(path):
        name = f"{_name(path)} {table.name}"
        if table.name in owners:
            owner, stem = owners[table.name], Path(_name(path)).stem
            found = read_table(table.rows, name, wishes, stem=stem, table=owner)
            yield from found[1] if found else ()
        elif not wishes.is_data and any(any(cells) for _, cells in table.rows):
            error = "this sheet lists no columns: it has no header 컬럼명 (column_name) or the like"
            below = any(find_list(cells, wishes.header_map) for _, cells in table.rows)
            yield Unparsed(file=name, line=1, error=error, statement="-", is_loss=below)


_READERS: dict[str, Callable[[Path, Wishes], Source]] = {
    ".sql": _ddl,
    ".ddl": _ddl,
    ".yml": _contract,
    ".yaml": _contract,
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".xlsx": _xlsx,
    ".xlsm": _xlsx,
}


def _name(path: Path) -> str:
    return masked_name(path.name)
