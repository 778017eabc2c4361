"""Contents of artifacts and uploads as rows of the database, by their sha-256."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, select, update

from minerva_platform.storage.engine.encryption import keyring
from minerva_platform.storage.ledger.schema import contents

if TYPE_CHECKING:
    from minerva_platform.contract.values import Content
    from minerva_platform.storage.engine.engine import Engine


class Contents:
    """The contents of one database. Each is written in a transaction of its own."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @property
    def place(self) -> object:
        """The database, as errors name it."""
        return self._engine.place

    def add(self, content: "Content", *, now: float) -> None:
        """Keep a content. One that is there is only noted as given again.

        Raises:
            StateError: the database cannot be written. Nothing of the content is in it then.
        """

        def work(connection: Connection) -> None:
            mine = update(contents).where(contents.c.sha256 == content.sha256)
            if connection.execute(mine.values(given=now)).rowcount:
                return
            data = keyring().seal_content(content.data, content.sha256)
            row = {"sha256": content.sha256, "content": data, "given": now}
            new = self._engine.insert(contents).values(**row)
            again = {"given": new.excluded.given}  # another process was faster
            connection.execute(new.on_conflict_do_update(index_elements=["sha256"], set_=again))

        self._engine.write(work)

    def find(self, sha256: str) -> bytes | None:
        """Return the bytes of a content; None if the database does not have it.

        Raises:
            StateError: the database cannot be read.
        """

        def look(connection: Connection) -> bytes | None:
            mine = select(contents.c.content).where(contents.c.sha256 == sha256)
            data = connection.execute(mine).scalar()
            return None if data is None else keyring().unseal_content(data, sha256)

        return self._engine.read(look, empty=None)


def contents_in(connection: Connection) -> Iterator[tuple[str, bytes]]:
    """Yield each content with its sha-256, one at a time."""
    query = select(contents.c.sha256, contents.c.content).execution_options(yield_per=1)
    for row in connection.execute(query):
        yield row.sha256, keyring().unseal_content(row.content, row.sha256)


def remove_contents(connection: Connection, rows: Mapping[str, float | None]) -> set[str]:
    """Remove contents; return those that went.

    One that was given at another time than `rows` say stays; None stands for any time.
    """
    gone: set[str] = set()
    for sha256, given in rows.items():
        mine = delete(contents).where(contents.c.sha256 == sha256)
        if given is not None:
            mine = mine.where(contents.c.given == given)
        if connection.execute(mine).rowcount:
            gone.add(sha256)
    return gone
