"""Read the schemas and lists of columns that came with a request, each table once.

Each file has an account of what became of it, whether a column of it counts or not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from minerva_data.core.schema.record import Item, ReadAs, Unparsed
from minerva_data.core.schema.schema_file import (
    MAX_CHARACTERS,
    SchemaError,
    Unreadable,
    read_schema_file,
)
from minerva_data.core.standardising.options import StandardiseFault, Wishes
from minerva_data.core.standardising.source import open_file
from minerva_platform import Attachment, AttachmentUse
from minerva_platform.text import Language, masked_name, read_texts
from minerva_reading import FileFault, find_encoding

TEXTS = read_texts("minerva_data.answers", "attached_files")

_SCHEMAS = frozenset({".sql", ".ddl"})
_TEXTS = frozenset({".csv", ".tsv"})
_OLD_WORKBOOK = ".xls"
_FILE_FAILED = "-"


@dataclass(frozen=True, slots=True)
class ReadSchemas:
    """The columns of all files, what of them could not be read, and what became of each file."""

    columns: tuple[Item, ...] = ()
    problems: tuple[Unparsed, ...] = ()
    files: tuple[AttachmentUse, ...] = ()
    read_as: tuple[ReadAs, ...] = ()


@dataclass(slots=True)
class _Content:
    """What one file gave. `reason` is why nothing of it could be read at all."""

    columns: list[Item]
    problems: list[Unparsed]
    tables: Iterable[str] = ()
    reason: Unreadable | None = None
    lists_nothing: bool = False
    is_empty: bool = False
    read_as: ReadAs | None = None


def read_schemas(schemas: tuple[Attachment, ...], language: Language) -> ReadSchemas:
    """Return the columns of all files, each table once, and what became of each file."""
    columns: list[Item] = []
    unparsed: list[Unparsed] = []
    files: list[AttachmentUse] = []
    read_as: list[ReadAs] = []
    owners: dict[str, str] = {}
    for attachment in schemas:
        name = attachment.name
        ending = attachment.path.suffix.casefold()
        is_schema = ending in _SCHEMAS
        if ending == _OLD_WORKBOOK:
            error = f"{name} is of the old Excel format."
            content = _failure(attachment.path, error, "old_workbook")
        else:
            content = _read_schema(attachment.path) if is_schema else _read_list(attachment.path)
        path = attachment.path
        content.is_empty = path.is_file() and not path.stat().st_size
        unparsed += content.problems
        for table in content.tables:
            first = owners.setdefault(table, name)
            if first != name:
                error = f"table {table} is in {first} too; that one is used"
                unparsed.append(Unparsed(file=name, line=1, error=error, statement=table))
        own = [one for one in content.columns if owners.get(one.table_key, name) == name]
        columns += own
        read_as += [content.read_as] if own and content.read_as else []
        use = _use(name, content, owners, language, has_columns=bool(own))
        files.append(use)
        if is_schema and not (own or content.problems or content.tables):
            unparsed.append(Unparsed(file=name, line=1, error=use.reason, statement=_FILE_FAILED))
    return ReadSchemas(tuple(columns), tuple(unparsed), tuple(files), tuple(read_as))


def _read_schema(path: Path) -> _Content:
    try:
        schema = read_schema_file(path)
    except SchemaError as error:
        return _failure(path, str(error), error.reason)
    problems, said = [*schema.problems, *schema.duplicates], schema.read_as(path.name)
    return _Content(schema.columns, problems, schema.tables, read_as=said)


def _read_list(path: Path) -> _Content:
    """Return the columns that a workbook or a CSV lists; other tables list none."""
    try:
        if path.stat().st_size > MAX_CHARACTERS:
            return _failure(
                path, f"{masked_name(path.name)} is too large for a list of columns.", "too_large"
            )
        if path.suffix.casefold() in _TEXTS:
            try:
                find_encoding(path)
            except FileFault as error:
                return _failure(path, str(error), "encoding")
        given = open_file(path, Wishes())
        found = list(given.columns) if given.kind == "list" else []
    except StandardiseFault:
        return _Content([], [], lists_nothing=True)
    except FileFault as error:
        return _failure(path, str(error), "damaged")
    except OSError as error:
        return _failure(
            path, f"{masked_name(path.name)} cannot be read ({error.strerror}).", "not_opened"
        )
    items = [one for one in found if isinstance(one, Item)]
    unparsed = [one for one in found if isinstance(one, Unparsed)]
    keys = dict.fromkeys(item.table_key for item in items if item.table is not None)
    return _Content(items, unparsed, keys, lists_nothing=not found, read_as=given.read_as)


def _failure(path: Path, error: str, reason: Unreadable) -> _Content:
    told = Unparsed(file=path.name, line=1, error=error, statement=_FILE_FAILED)
    return _Content([], [told], reason=reason)


def _use(
    name: str, content: _Content, owners: dict[str, str], language: Language, *, has_columns: bool
) -> AttachmentUse:
    """Return what became of a file, and why not if no column of it counts."""
    if has_columns:
        return AttachmentUse(name=name, status="used")
    if content.reason:
        reason = TEXTS(f"unreadable.{content.reason}", language)
        return AttachmentUse(name=name, status="unreadable", reason=reason)
    others = [owners[table] for table in content.tables if owners[table] != name]
    line = next((one.line for one in content.problems), 0)
    if content.is_empty:
        reason = TEXTS("empty", language)
    elif content.lists_nothing:
        reason = TEXTS("no_list", language)
    elif others and content.columns:
        reason = TEXTS("elsewhere", language, first=others[0])
    else:
        where = TEXTS("where", language, line=line) if line else ""
        reason = TEXTS("no_table", language, where=where)
    return AttachmentUse(name=name, status="not_understood", reason=reason)
