"""What a database takes on disk, against the useful bytes of its turns."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, text

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.schema import metadata, turns

_SQLITE = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
_POSTGRES = (
    "SELECT sum(pg_total_relation_size(to_regclass(name))) "
    "FROM unnest(CAST(:names AS text[])) AS name"
)


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes: of the turns' JSON with hand-offs by reference, and of the whole database."""

    useful: int
    on_disk: int

    @property
    def ratio(self) -> float:
        """How many bytes are kept for each that is useful."""
        return self.on_disk / self.useful

    def since(self, before: "Room") -> "Room":
        """Return what was added since `before`."""
        return Room(self.useful - before.useful, self.on_disk - before.on_disk)


def room_of(engine: Engine) -> Room:
    """Return what a database takes; of Postgres, its tables with their indexes."""

    def measured(connection: Connection) -> Room:
        told = connection.execute(select(turns.c.turn).where(turns.c.turn.is_not(None))).scalars()
        useful = sum(len(_by_reference(json.loads(turn))) for turn in told)
        if connection.dialect.name == "sqlite":
            return Room(useful, connection.execute(text(_SQLITE)).scalar_one())
        names = {"names": [*metadata.tables]}
        return Room(useful, int(connection.execute(text(_POSTGRES), names).scalar_one()))

    return engine.read(measured, empty=Room(1, 0))


def _by_reference(turn: dict[str, Any]) -> bytes:
    """Return a turn's JSON, where each hand-off is a name instead of its content."""
    turn["handoffs"] = {
        kind: [{key: value for key, value in record.items() if key != "json"} for record in records]
        for kind, records in turn["handoffs"].items()
    }
    told = json.dumps(turn, ensure_ascii=False, separators=(",", ":"))
    return told.encode("utf-8", "surrogatepass")
