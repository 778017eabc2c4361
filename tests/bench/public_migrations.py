"""Whether migrations of schemas that others publish run, and are undone, on real databases.

The schemas are not ours to ship. `PUBLIC` names a folder with checkouts of their repositories:

    make bench ARGS=public_migrations PUBLIC=/folder

Each schema is loaded without its data. A glossary gives each of its columns another name; the
migration runs, the database's own account of its columns is compared with the plan, and after the
rollback all that it says of columns, keys and views with what it said at first. PostgreSQL comes
with the development environment. MariaDB is taken from the machine, if it has `mariadbd`
(`apt-get install mariadb-server`).
"""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from mariadb import running_mariadb
from postgres import running_cluster

from minerva_data import standardise
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.schema.migration import MIN_CONFIDENCE
from minerva_data.core.schema.record import Row
from minerva_data.core.schema.schema_file import read_schema_file
from minerva_data.core.standardising.options import Wishes
from minerva_data.core.store.store import GlossaryStore
from minerva_platform.text import markdown_table

_CHINOOK = "chinook-database/ChinookDatabase/DataSources"
SCHEMAS = [
    ("postgres", "devrimgunduz/pagila", "pagila/pagila-schema.sql"),
    ("postgres", "jOOQ/sakila", "sakila/postgres-sakila-db/postgres-sakila-schema.sql"),
    ("postgres", "lerocha/chinook-database", f"{_CHINOOK}/Chinook_PostgreSql.sql"),
    ("postgres", "lorint/AdventureWorks-for-Postgres", "AdventureWorks-for-Postgres/install.sql"),
    ("postgres", "pthom/northwind_psql", "northwind_psql/northwind.sql"),
    ("mysql", "jOOQ/sakila", "sakila/mysql-sakila-db/mysql-sakila-schema.sql"),
    ("mysql", "lerocha/chinook-database", f"{_CHINOOK}/Chinook_MySql.sql"),
]
"""The dialect, the repository of github.com, and the file in its checkout."""

_CLIENT = re.compile(
    r"^(?:\\(?!\.)[^\n]*|(?:DROP|CREATE)[ \t]+(?:DATABASE|SCHEMA)\b[^;\n]*;|USE\b[^;\n]*;)$",
    re.MULTILINE | re.IGNORECASE,
)
"""Commands of a client, and those that make or choose a database: the bench has its own."""

_COMMENT = re.compile(
    r"^[ \t]*COMMENT\s+ON\s+COLUMN\s+\S+\s+IS\s+'(?:[^']|'')*'\s*;", re.MULTILINE | re.IGNORECASE
)
"""What would be read before a column's name; left out, for the glossary knows the names."""

_UUID = """
CREATE FUNCTION public.uuid_generate_v1() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
"""
"""What AdventureWorks takes from an extension that the wheel lacks. A view over another extension's
`crosstab` is not made."""

_POSTGRES_OWN = "NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
_POSTGRES_COLUMNS = f"""
SELECT n.nspname || '.' || c.relname, a.attname FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
AND n.nspname {_POSTGRES_OWN} ORDER BY 1, a.attnum
"""  # noqa: S608  # ours
_POSTGRES_HEIRS = "SELECT inhrelid::regclass, inhparent::regclass FROM pg_inherits"
_POSTGRES_STATE = f"""
SELECT * FROM information_schema.columns WHERE table_schema {_POSTGRES_OWN} ORDER BY 2, 3, 5;
SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace::regnamespace::text {_POSTGRES_OWN} ORDER BY 1, 2;
SELECT schemaname, viewname, definition FROM pg_views
WHERE schemaname {_POSTGRES_OWN} ORDER BY 1, 2;
SELECT schemaname, matviewname, definition FROM pg_matviews ORDER BY 1, 2;
SELECT indexdef FROM pg_indexes WHERE schemaname {_POSTGRES_OWN} ORDER BY 1;
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1;
SELECT schemaname, tablename, rulename, definition FROM pg_rules
WHERE schemaname {_POSTGRES_OWN} ORDER BY 1, 2, 3;
"""  # noqa: S608  # ours
_MARIADB_VIEWS = "SELECT table_name FROM information_schema.views WHERE table_schema = DATABASE()"
_MARIADB_COLUMNS = """
SELECT c.table_name, c.column_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
ORDER BY 1, c.ordinal_position
"""
_MARIADB_STATE = """
SELECT * FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 3, 5;
SELECT table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() ORDER BY 1, 2, ordinal_position;
SELECT table_name, view_definition FROM information_schema.views
WHERE table_schema = DATABASE() ORDER BY 1;
SELECT table_name, index_name, column_name FROM information_schema.statistics
WHERE table_schema = DATABASE() ORDER BY 1, 2, seq_in_index;
"""


@dataclass(frozen=True, slots=True)
class Database:
    """An empty database: `run` takes a script past its errors, and returns answers and errors."""

    run: Callable[[str], tuple[str, str]]
    dialect: str

    def rows(self, query: str) -> list[list[str]]:
        """Return the rows of a query."""
        return [line.split("\t") for line in self.run(f"{query};")[0].splitlines()]

    def columns(self) -> dict[str, list[str]]:
        """Return the columns of all tables, by table, in small letters."""
        is_postgres = self.dialect == "postgres"
        found: dict[str, list[str]] = {}
        for table, column in self.rows(_POSTGRES_COLUMNS if is_postgres else _MARIADB_COLUMNS):
            found.setdefault(table.casefold(), []).append(column.casefold())
        return found

    def heirs(self) -> dict[str, str]:
        """Return the tables that tables inherit from."""
        if self.dialect != "postgres":
            return {}
        pairs = self.rows(_POSTGRES_HEIRS)
        full = [[name if "." in name else f"public.{name}" for name in pair] for pair in pairs]
        return {heir.casefold(): parent.casefold() for heir, parent in full}

    def state(self) -> str:
        """Return what the database says of columns, keys, views, indexes and triggers."""
        return self.run(_POSTGRES_STATE if self.dialect == "postgres" else _MARIADB_STATE)[0]

    def broken_views(self) -> list[str]:
        """Return the views that cannot be asked any more."""
        if self.dialect == "postgres":
            return []
        views = self.rows(_MARIADB_VIEWS)
        return [view for (view,) in views if self.run(f"SHOW FIELDS FROM `{view}`;")[1]]


@contextmanager
def servers() -> Generator[Callable[[str, str], Database | None]]:
    """Give a function that makes an empty database of a dialect, None where no server is."""
    with running_cluster() as postgres, running_mariadb() as mariadb:

        def psql(database: str, script: str) -> tuple[str, str]:
            command = (postgres.programs / "bin" / "psql", "-X", "-q", "-A", "-t", "-F", "\t")
            done = subprocess.run(
                (*command, "-h", postgres.folder, "-U", "postgres", database),
                input=script, capture_output=True, text=True, check=False,
            )  # fmt: skip
            errors = [line for line in done.stderr.splitlines() if "ERROR:" in line]
            return done.stdout, "\n".join(errors)

        def new_database(dialect: str, name: str) -> Database | None:
            if dialect == "postgres":
                psql("postgres", f"CREATE DATABASE {name};")
                return Database(lambda script: psql(name, script), dialect)
            if mariadb is None:
                return None
            server = mariadb
            server.run(f"CREATE DATABASE {name} CHARACTER SET utf8mb4;")

            def maria(script: str) -> tuple[str, str]:
                done = server.run(script, database=name)
                errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
                return done.stdout, "\n".join(errors)

            return Database(maria, dialect)

        yield new_database


def glossary_of(path: Path, dialect: str, home: Path) -> None:
    """Import a glossary that gives each column of a schema another name: itself and `_STD`."""
    columns = read_schema_file(path, dialect=dialect).columns
    names = {column.name.casefold(): column.name for column in columns}
    terms = home / "terms_2025-11.csv"
    with terms.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("용어명", "영문약어명", "도메인명"))
        for name in names.values():
            writer.writerow((name, f"{re.sub(r'[^A-Za-z0-9]', '_', name).upper()}_STD", "명V4000"))
    with GlossaryStore(home / "glossary.db") as store:
        import_file(store, terms, Wanted(kind="org"))


def is_made(row: Row) -> bool:
    """True if the migration renames the column of a row, by itself or with its table's."""
    return row.status == "renamed" and not row.item.bar and (row.confidence or 0) >= MIN_CONFIDENCE


def measure(database: Database, path: Path, home: Path) -> tuple[list[str], list[str]]:
    """Return the figures of one schema, and what went wrong."""
    dialect = database.dialect
    script = path.read_text(encoding="utf-8")
    schema = home / path.name
    schema.write_text(_COMMENT.sub("", script), encoding="utf-8")
    glossary_of(schema, dialect, home)
    with standardise(schema, out=home / "out", wishes=Wishes(dialect=dialect)) as done:
        rows = list(done.rows())
    there, back = ((home / "out" / name).read_text() for name in ("migration.sql", "rollback.sql"))
    script = (_UUID if "uuid_generate_v1" in script else "") + _CLIENT.sub("", script)
    _, load_errors = database.run(script)
    before, start, heirs = database.columns(), database.state(), database.heirs()
    _, there_errors = database.run(there)
    after, broken = database.columns(), database.broken_views()
    _, back_errors = database.run(back)
    wrong = [f"migration: {line}" for line in there_errors.splitlines()]
    wrong += [f"rollback: {line}" for line in back_errors.splitlines()]
    plan: dict[str, dict[str, Row]] = {}
    for row in rows:
        table = row.item.full_table or ""
        full = table if "." in table or dialect != "postgres" else f"public.{table}"
        plan.setdefault(full.casefold(), {})[row.item.name.casefold()] = row
    unplanned = [table for table in before if table not in plan and table not in heirs]
    for table, columns in before.items():
        owner = table
        names = dict[str, str]()
        while owner:
            for column, row in plan.get(owner, {}).items():
                if is_made(row):
                    names.setdefault(column, (row.physical_name or "").casefold())
            owner = heirs.get(owner, "")
        expected = [names.get(column, column) for column in columns]
        if after.get(table) != expected:
            wrong.append(f"{table}: {after.get(table)} where the plan says {expected}")
    if database.state() != start:
        wrong.append("after the rollback it is not as at the start")
    wrong += [f"view {view} is broken and not named" for view in broken if f"{view} (" not in there]
    statements = [line for line in there.splitlines() if not line.startswith("--")]
    by_hand, by_itself = named_objects(there)
    figures = (
        len(before), sum(map(len, before.values())), len(rows), len(statements), len(unplanned),
        len(load_errors.splitlines()), by_hand, by_itself, len(broken), len(wrong),
    )  # fmt: skip
    wrong += [f"not in the plan, because not read: {', '.join(unplanned)}"] * bool(unplanned)
    wrong += [f"at loading: {line}" for line in load_errors.splitlines()[:5]]
    return [f"{figure:,}" for figure in figures], wrong


def named_objects(migration: str) -> tuple[int, int]:
    """Return how many objects a migration names: to be mended by hand, renamed by the database."""
    counts = {"": 0, "Left": 0, "The": 0}
    head = ""
    for line in migration.splitlines():
        if line.startswith("-- ") and line[3] != " ":
            head = line.split()[1] if line.split()[1] in counts else ""
        elif line.startswith("--   "):
            counts[head] += 1
    return counts["Left"], counts["The"]


HEADER = (
    "database", "schema", "tables", "columns", "planned", "renames", "tables not read",
    "errors at loading", "objects named: by hand", "by the database", "broken views", "wrong",
)  # fmt: skip


def main() -> int:
    """Print a table of all schemas; return 1 if a migration or its way back went wrong."""
    public = Path(os.environ.get("PUBLIC") or ".missing")
    if not public.is_dir():
        repositories = ", ".join(dict.fromkeys(one[1] for one in SCHEMAS))
        print("PUBLIC names no folder. Check these out of github.com into one, each under its own")
        print(f"name, and give it: PUBLIC=/folder. {repositories}")
        return 0
    listed: list[list[str]] = []
    notes: list[str] = []
    has_failed = False
    with servers() as new_database:
        for dialect, repository, file in SCHEMAS:
            found = [one for one in (public / file, public / "schemas" / file) if one.is_file()]
            name = re.sub(r"\W", "_", file.partition("/")[0]).lower()
            database = new_database(dialect, name) if found else None
            if database is None:
                why = "no mariadbd on this machine" if found else f"{file} is not in {public}"
                notes.append(f"{dialect} {repository}: left out, {why}")
                continue
            with TemporaryDirectory() as home:
                os.environ["MINERVA_HOME"] = home
                figures, wrong = measure(database, found[0], Path(home))
            has_failed = has_failed or figures[-1] != "0"
            listed.append([dialect, repository, *figures])
            notes += [f"{dialect} {repository}: {one}" for one in wrong]
    print(markdown_table(HEADER, listed))
    print(*notes, sep="\n")
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
