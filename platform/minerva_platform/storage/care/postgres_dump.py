"""The command that copies a Postgres store: its own pg_dump does it best. No password is in it."""

import os
import shlex
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from sqlalchemy import Connection, text

from minerva_platform.storage.artifacts import ArtifactPlace
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.place import PASSWORD_VARIABLE, PostgresPlace
from minerva_platform.storage.schema import metadata

_SECRET: Final = frozenset({"password", "sslpassword"})


def dump_command(engine: Engine, place: PostgresPlace, artifacts: ArtifactPlace, file: Path) -> str:
    """Return the command that writes the tables to `file`, and the artifacts beside it.

    Raises:
        StateError: the database cannot be asked for the schema of its tables.
    """
    schema = engine.read(_schema, empty="public")
    url = shlex.quote(url_without_password(place))
    tables = " ".join(
        shlex.join(["-t", f'"{schema}"."{table.name}"']) for table in metadata.sorted_tables
    )
    dump = f"pg_dump --format=custom --file={shlex.quote(str(file))} {tables} {url}"
    folder = artifacts.folder
    where = ["-C", str(folder.parent), folder.name]
    archive = shlex.join(["tar", "-cf", f"{file}.artifacts.tar", *where])
    steps = [f"{_password()}{dump}", *([archive] if folder.is_dir() else [])]
    return f"(umask 077 && {' && '.join(steps)})"


def restore_command(place: PostgresPlace, file: Path) -> str:
    """Return the command that makes the tables anew from `file`."""
    url = shlex.quote(url_without_password(place))
    words = ["pg_restore", "--clean", "--if-exists", "--single-transaction", "--no-owner"]
    return f"{_password()}{shlex.join(words)} -d {url} {shlex.quote(str(file))}"


def url_without_password(place: PostgresPlace) -> str:
    """Return the URL as PostgreSQL's programs take it, without any password."""
    parts = urlsplit(place.url)
    account, at, server = parts.netloc.rpartition("@")
    options = [pair for pair in parse_qsl(parts.query) if pair[0].lower() not in _SECRET]
    query = f"?{urlencode(options, quote_via=quote)}" if options else ""
    return f"postgresql://{account.partition(':')[0]}{at}{server}{parts.path}{query}"


def _schema(connection: Connection) -> str:
    query = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('runs')"
    return str(connection.execute(text(query)).scalar_one())


def _password() -> str:
    """Name the variable with the password; without one, the program asks for it if need be."""
    return f'PGPASSWORD="${PASSWORD_VARIABLE}" ' if os.environ.get(PASSWORD_VARIABLE) else ""
