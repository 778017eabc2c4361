"""Keep the state of runs in SQLite, so that a run can be looked at and gone on with later."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.serde._msgpack import (
    STRICT_MSGPACK_ENABLED,  # pyright: ignore[reportPrivateUsage]  # nothing public tells it
)

from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.database import PATIENCE_S, opened_in_loop
from minerva_platform.storage.saver import SharedSqliteSaver


@asynccontextmanager
async def open_saver(
    path: Path, *, seconds: float = PATIENCE_S
) -> AsyncGenerator[SharedSqliteSaver]:
    """Open the checkpoint database at `path`, making it and its folder when needed.

    All runs of a process share its connection. The wait for others is `seconds` at most.

    Raises:
        RunError: it cannot be made, read or trusted; said before anything runs.
    """
    if not STRICT_MSGPACK_ENABLED:
        message = (
            "langgraph was imported before minerva_platform, so a forged checkpoint could run "
            "code. Import minerva_platform first, or set LANGGRAPH_STRICT_MSGPACK=true."
        )
        raise RunError(message)
    async with opened_in_loop(path) as database:
        try:
            saver = await SharedSqliteSaver.over(database, seconds=seconds)
        except (OSError, sqlite3.Error) as error:
            reason = (
                f"cannot be used: {error}. "
                "Move it away, or set `keep_state: false` in platform.yaml."
            )
            raise StateError(path, reason) from error
        yield saver
