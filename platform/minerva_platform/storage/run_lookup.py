"""Runs as a person names them: by an id, or by its beginning."""

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from minerva_platform.errors import RunError, UnknownRunError
from minerva_platform.storage.schema import LOCAL, runs

_MAX_NAMED = 5
"""Runs that an error names."""


@dataclass(frozen=True, slots=True)
class RunHead:
    """What is known of a run before its state is read."""

    run_id: str
    thread_id: str
    root: str
    """The platform, or the team that was asked by itself."""
    status: str
    request: str
    """The words of its request; empty if they cannot be read."""


def named_run(connection: Connection, name: str) -> RunHead:
    """Return the run whose id is `name`, or the only one whose id begins so.

    Raises:
        UnknownRunError: there is none.
        RunError: there are several.
    """
    columns = (runs.c.run_id, runs.c.thread_id, runs.c.root, runs.c.status, runs.c.task)
    mine = select(*columns).where(runs.c.tenant == LOCAL)
    whole = connection.execute(mine.where(runs.c.run_id == name)).first()
    if whole is not None:
        return _head(whole)
    begins = mine.where(runs.c.run_id.startswith(name, autoescape=True)).order_by(runs.c.run_id)
    found = (
        [row for row in connection.execute(begins) if row.run_id.startswith(name)] if name else []
    )
    if not found:
        raise UnknownRunError(name)
    if len(found) > 1:
        names = ", ".join(row.run_id[: len(name) + 4] for row in found[:_MAX_NAMED])
        message = f"{len(found)} runs begin with `{name}`: {names}. Type more."
        raise RunError(message)
    return _head(found[0])


def _head(row: Row[Any, Any, Any, Any, Any]) -> RunHead:
    return RunHead(row.run_id, row.thread_id, row.root, row.status, _request(row.task))


def _request(task: str) -> str:
    try:
        return str(json.loads(task)["request"])
    except (TypeError, ValueError, KeyError):  # a damaged row; `minerva doctor` names it
        return ""
