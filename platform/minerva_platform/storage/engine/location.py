"""Where runs are kept: a file in the home, or a Postgres database that a URL names."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from minerva_platform.errors import SettingsError

STATE: Final = "state.db"
"""The database of runs, below the home directory."""
URL_VARIABLE: Final = "MINERVA_STORAGE_URL"
"""The URL of the database, with its password if it has one; goes before `storage.url`."""
PASSWORD_VARIABLE: Final = "MINERVA_STORAGE_PASSWORD"  # noqa: S105  # the name of a variable
"""The password for a URL without one. PostgreSQL's own `PGPASSWORD` works, too."""

_SCHEMES: Final = ("postgresql", "postgres")
_FORM: Final = "postgresql://USER@HOST/DATABASE, or sqlite:////PATH/OF/A/FILE"


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A Postgres database; only `str` of it is for people, without any password."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        """The URL without its password, and without options, which may hold one."""
        parts = urlsplit(self.url)
        account, at, server = parts.netloc.rpartition("@")
        return f"postgresql://{account.partition(':')[0]}{at}{server}{parts.path}"


Place: TypeAlias = Path | PostgresPlace
"""Where a database is: SQLite's file, or the URL of a Postgres database."""


def find_place(home: Path, setting: str | None = None) -> Place:
    """Return where runs are kept: what the variable says, else the configuration, else `home`.

    Raises:
        SettingsError: it is no URL of a database that MINERVA can use.
    """
    given = os.environ.get(URL_VARIABLE)
    url = given or setting
    if not url:
        return home / STATE
    return to_place(url, URL_VARIABLE if given else "`storage.url`")


def to_place(url: str, source: str) -> Place:
    """Return the database that `url` names, which `source` has given.

    Raises:
        SettingsError: it is no URL of a database that MINERVA can use.
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # its text quotes the URL, and a password may be in that
        message = f"{source} is no URL; write {_FORM}."
        raise SettingsError(message) from None
    if parts.scheme.partition("+")[0] in _SCHEMES:
        return PostgresPlace(url)
    path = parts.path.removeprefix("/")
    if parts.scheme == "sqlite" and not parts.netloc and path:
        return Path(path)
    message = f"{source} names no database that MINERVA can use; write {_FORM}."
    raise SettingsError(message)
