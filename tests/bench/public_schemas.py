"""Whether schemas that others publish are read whole: as many as a count of their statements says.

The schemas are not ours to ship. `PUBLIC` names a folder with checkouts of their repositories:

    make bench ARGS=public_schemas PUBLIC=/folder

The second count shares no code with the reader. It blanks texts and remarks letter by letter, and
counts what stands between the commas of each CREATE TABLE.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from minerva_data.core.schema.schema_file import read_schema_file

SCHEMAS = {
    "devrimgunduz/pagila": ["pagila/pagila-schema.sql"],
    "jOOQ/sakila": ["sakila/*/*-sakila-schema.sql"],
    "lerocha/chinook-database": ["chinook-database/ChinookDatabase/DataSources/Chinook_*.sql"],
    "lorint/AdventureWorks-for-Postgres": ["AdventureWorks-for-Postgres/install.sql"],
    "pthom/northwind_psql": ["northwind_psql/northwind.sql"],
    "MIT-LCP/mimic-code": [
        "mimic-code/mimic-iii/buildmimic/postgres/postgres_create_tables.sql",
        "mimic-code/mimic-iii/buildmimic/oracle/oracle_create_tables.sql",
        "mimic-code/mimic-iv/buildmimic/postgres/create.sql",
    ],
    "openstreetmap/openstreetmap-website": ["openstreetmap-website/db/structure.sql"],
    "eGovFramework/egovframe-common-components": [
        "egovframe-common-components/script/ddl/*/com_DDL_*.sql"
    ],
    "OHDSI/CommonDataModel": ["CommonDataModel/inst/ddl/5.4/*/OMOPCDM_*_5.4_ddl.sql"],
    "oracle-samples/db-sample-schemas": [
        "db-sample-schemas/human_resources/hr_create.sql",
        "db-sample-schemas/customer_orders/co_create.sql",
        "db-sample-schemas/sales_history/sh_create.sql",
    ],
}
"""Files by the repository of github.com that holds them; its name is that of the checkout."""

_NO_CODE = re.compile(
    r"""
    --[^\n]* | /\*.*?\*/ | ^[ \t]*(?:\#|REM\b|PROMPT\b)[^\n]*
    | (?P<text>'(?:[^']|'')*') | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$
    | ^COPY\s[^;]*FROM\s+stdin[^\n]*;.*?^\\\.$
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_TABLE = re.compile(
    r"""
    ^[ \t]*CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+|LOCAL\s+|UNLOGGED\s+|PRIVATE\s+)?
    (?P<passing>TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?
    (?P<name>(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$.#@])+)
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_CONSTRAINT = re.compile(
    r"(?:KEY|INDEX)\s+\S+\s*\(|(?:CONSTRAINT|PRIMARY\s+KEY|FOREIGN\s+KEY|UNIQUE|CHECK"
    r"|(?:FULLTEXT|SPATIAL)\s+KEY|EXCLUDE|PERIOD\s+FOR|SUPPLEMENTAL|LIKE)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\bCOMMENT\s+ON\s+COLUMN\s+([^;]*?)\s*\.\s*[^;.]*?\s+IS\s+'", re.IGNORECASE)
_ADDED = re.compile(
    r"\bALTER\s+TABLE\s[^;]*?\bADD\s+(?!CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|GENERATED"
    r"|KEY|INDEX)\w",
    re.IGNORECASE,
)
_DROPPED = re.compile(r"\bALTER\s+TABLE\s[^;]*?\bDROP\s+COLUMN\b", re.IGNORECASE)
_QUERY = re.compile(
    r"(?:USING\s+\w+\s+)?AS\s+SELECT\b([^;]*?)(?:\bFROM\b|\bWHERE\b|;)", re.IGNORECASE
)
_PARENTS = re.compile(r"\)\s*INHERITS\s*\(([^)]+)\)", re.IGNORECASE)
_COLUMN_COMMENT = re.compile(r"\bCOMMENT\s+'", re.IGNORECASE)
_PROPERTY = re.compile(
    r"MS_Description'(?:(?!\bEXEC|\bGO\b).)*?@level2type\s*=\s*N?'COLUMN'",
    re.IGNORECASE | re.DOTALL,
)


def count(sql: str) -> tuple[int, int, int]:
    """Return the tables, columns and comments on columns that the statements of `sql` declare."""
    code = _NO_CODE.sub(lambda found: "'x'" if found["text"] else " ", sql)
    tables: dict[str, int] = {}
    comments = len(_PROPERTY.findall(sql))
    for found in _TABLE.finditer(code):
        rest = code[found.end() :].lstrip()
        parts = list(_parts(rest)) if rest.startswith("(") else []
        if query := _QUERY.match(rest):
            parts = list(_parts(f"({query[1]})"))
        columns = [part for part in parts if part.strip() and not _CONSTRAINT.match(part.strip())]
        if found["passing"] or re.match(r"PARTITION\s+OF\b", rest, re.IGNORECASE):
            continue  # what a routine makes for itself; what has the columns of another table
        parents = _PARENTS.search(rest.partition(";")[0])
        inherited = sum(tables.get(_key(one), 0) for one in parents[1].split(",")) if parents else 0
        tables.setdefault(_key(found["name"]), len(columns) + inherited)
        comments += sum(_COLUMN_COMMENT.search(part) is not None for part in columns)
    comments += sum(_key(name) in tables for name in _SAYS.findall(code))
    changed = len(_ADDED.findall(code)) - len(_DROPPED.findall(code))
    return len(tables), sum(tables.values()) + changed, comments


def _key(name: str) -> str:
    return re.sub(r"[`\"\[\]\s]", "", name.rsplit(".", 1)[-1]).upper()


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas of the brackets that `text` begins with."""
    depth, start = 0, 1
    for place, letter in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if (letter == "," and depth == 1) or depth == 0:
            yield text[start:place]
            start = place + 1
        if depth == 0:
            return


def main() -> int:
    """Print, for each file, what is read beside what is counted; 1 if one differs."""
    folder = Path(os.environ.get("PUBLIC") or "-")
    if not folder.is_dir():
        print("Clone these repositories of github.com into one folder, and name it: PUBLIC=/folder")
        print("\n".join(f"  {name}" for name in SCHEMAS))
        return 0
    wrong = 0
    for name, files in SCHEMAS.items():
        if not any(True for one in files for _ in folder.glob(one)):
            print(f"not there: {name}")
    print(f"{'schema':44} {'dialect':10} {'tables':>11} {'columns':>13} {'comments':>13} unread")
    for path in sorted(one for names in SCHEMAS.values() for n in names for one in folder.glob(n)):
        schema = read_schema_file(path)
        counted = count(path.read_text(encoding="utf-8", errors="replace"))
        read = (
            len(schema.tables),
            len(schema.columns),
            sum(bool(item.comment) for item in schema.columns),
        )
        cells = (f"{a:,}/{b:,}" for a, b in zip(read, counted, strict=True))
        tables, columns, comments = cells
        lost = sum(problem.is_loss for problem in schema.problems)
        is_same = read == counted and not lost
        wrong += not is_same
        print(f"{path.stem[:44]:44} {schema.dialect:10} {tables:>11} {columns:>13} {comments:>13} "
              f"{lost}{'' if is_same else '  differs'}")  # fmt: skip
        for problem in schema.problems[:5] if "-v" in sys.argv else ():
            print(f"    {problem.line}: {problem.error} ({problem.statement})")
    return 1 if wrong else 0
