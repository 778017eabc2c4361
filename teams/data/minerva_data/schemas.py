"""Read the schemas that came with a request, each table once, and tell what became of each file."""

from dataclasses import dataclass

from minerva_data.core.ddl import Schema, SchemaError, Unreadable, read_schema_file
from minerva_data.core.record import Item, Unparsed
from minerva_platform import Attachment, AttachmentUse, Language

_FILE_FAILED = "-"
_UNREADABLE: dict[Language, dict[Unreadable, str]] = {
    "ko": {
        "not_opened": "파일을 열 수 없음",
        "too_large": "너무 큼",
        "encoding": "UTF-8도 cp949도 아님",
    },
    "en": {
        "not_opened": "it cannot be opened",
        "too_large": "it is too large",
        "encoding": "it is neither UTF-8 nor cp949",
    },
}
_NO_TABLE: dict[Language, str] = {
    "ko": "읽을 수 있는 테이블 정의(CREATE TABLE)가 없음{where}",
    "en": "it creates no table that can be read{where}",
}
_WHERE: dict[Language, str] = {"ko": " ({line}행부터 확인)", "en": "; see line {line}"}
_ELSEWHERE: dict[Language, str] = {
    "ko": "테이블이 모두 {first}에도 있어 그 정의를 씀",
    "en": "every table of it is in {first} too, which is used",
}


@dataclass(frozen=True, slots=True)
class ReadSchemas:
    """The columns of all files, what of them could not be read, and what became of each file."""

    columns: tuple[Item, ...] = ()
    unparsed: tuple[Unparsed, ...] = ()
    files: tuple[AttachmentUse, ...] = ()


def read_schemas(schemas: tuple[Attachment, ...], language: Language) -> ReadSchemas:
    """Return the columns of all files, each table once, and what became of each file."""
    columns: list[Item] = []
    unparsed: list[Unparsed] = []
    files: list[AttachmentUse] = []
    tables: dict[str, str] = {}
    for attachment in schemas:
        name = attachment.name
        try:
            schema = read_schema_file(attachment.path)
        except SchemaError as error:
            unparsed.append(Unparsed(file=name, line=1, error=str(error), statement=_FILE_FAILED))
            reason = _UNREADABLE[language][error.reason]
            files.append(AttachmentUse(name=name, status="unreadable", reason=reason))
            continue
        unparsed += [*schema.unparsed, *schema.duplicates]
        for table in schema.tables:
            first = tables.setdefault(table, name)
            if first != name:
                error_text = f"table {table} is in {first} too; that one is used"
                unparsed.append(Unparsed(file=name, line=1, error=error_text, statement=table))
        own = [column for column in schema.columns if tables[column.table_key] == name]
        columns += own
        reason = "" if own else _why_unused(schema, tables, name, language)
        if not (own or schema.unparsed or schema.tables):
            unparsed.append(Unparsed(file=name, line=1, error=reason, statement=_FILE_FAILED))
        status = "used" if own else "not_understood"
        files.append(AttachmentUse(name=name, status=status, reason=reason))
    return ReadSchemas(tuple(columns), tuple(unparsed), tuple(files))


def _why_unused(schema: Schema, tables: dict[str, str], name: str, language: Language) -> str:
    """Return why no column of a file counts, in one clause."""
    others = [tables[table] for table in schema.tables if tables[table] != name]
    if others and schema.columns:
        return _ELSEWHERE[language].format(first=others[0])
    line = schema.unparsed[0].line if schema.unparsed else 0
    where = _WHERE[language].format(line=line) if line else ""
    return _NO_TABLE[language].format(where=where)
