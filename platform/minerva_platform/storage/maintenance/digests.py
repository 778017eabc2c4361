"""Which artifacts rows of the ledger name, by their sha-256."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

import orjson
from sqlalchemy import Connection, func, select

from minerva_platform.storage.ledger.schema import turns
from minerva_platform.storage.maintenance.run_rows import OF_RUN, content_columns

# No border is asked for after it: in msgpack a number may follow whose byte reads as a digit.
_DIGEST: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}")
_ROWS: Final = 200
"""Rows that are held in memory at once while a table is read."""


def digests_by_run(connection: Connection) -> Iterator[tuple[str, set[str]]]:
    """Yield the run of each row that holds digests, with them; a turn without a run: its thread.

    A digest in any text counts, whatever it is of, so an artifact that is in use is never missed.
    """
    for table, run_id in OF_RUN.items():
        owned_by = func.coalesce(run_id, turns.c.thread_id) if table is turns else run_id
        query = select(owned_by, *content_columns(table)).execution_options(yield_per=_ROWS)
        with connection.execute(query) as rows:
            for owner, *values in rows:
                found = set(digests_in(values))
                if found:
                    yield owner, found


def digests_in(values: Iterable[Any]) -> Iterator[str]:
    """Yield what looks like a sha-256 in texts and bytes."""
    for value in values:
        if value:
            data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
            yield from (found.decode() for found in _DIGEST.findall(data))


def artifacts_of_run(run: str) -> dict[str, str]:
    """Return the artifacts of a run's JSON, name by sha-256; none if it cannot be read."""
    return {
        str(entry["sha256"]): str(entry.get("name", ""))
        for entry in _entries(_at(run, "artifacts"))
        if "sha256" in entry
    }


def handoffs_of_turn(turn: str) -> dict[str, str]:
    """Return the hand-offs that a turn's JSON keeps by reference, kind by sha-256."""
    handoffs = _at(turn, "handoffs")
    if not isinstance(handoffs, dict):
        return {}
    return {
        str(entry["sha256"]): str(kind)
        for kind, entries in cast("dict[object, object]", handoffs).items()
        for entry in _entries(entries)
        if "sha256" in entry
    }


def _entries(value: object) -> "list[dict[str, object]]":
    if not isinstance(value, list):
        return []
    entries = cast("list[object]", value)
    return [cast("dict[str, object]", entry) for entry in entries if isinstance(entry, dict)]


def _at(text: str, key: str) -> object:
    """Return what a JSON object holds under `key`; None if it is none."""
    try:
        parsed: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, object]", parsed).get(key) if isinstance(parsed, dict) else None
