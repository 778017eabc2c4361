"""Keep the state of runs in SQLite, so that a run can be looked at and gone on with later."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.serde._msgpack import (
    STRICT_MSGPACK_ENABLED,  # pyright: ignore[reportPrivateUsage]  # nothing public tells it
)

from minerva_platform.conversation import make_private
from minerva_platform.errors import RunError
from minerva_platform.saver import ThreadedSqliteSaver


@asynccontextmanager
async def open_saver(path: Path) -> AsyncGenerator[ThreadedSqliteSaver]:
    """Open the checkpoint database at `path`, making it and its folder when needed.

    Raises:
        RunError: it cannot be made, read or trusted; said before anything runs.
    """
    if not STRICT_MSGPACK_ENABLED:
        message = (
            "langgraph was imported before minerva_platform, so a forged checkpoint could run "
            "code. Import minerva_platform first, or set LANGGRAPH_STRICT_MSGPACK=true."
        )
        raise RunError(message)
    async with AsyncExitStack() as stack:
        try:
            make_private(path)
            saver = await stack.enter_async_context(ThreadedSqliteSaver.opened(path))
        except (OSError, sqlite3.Error) as error:
            message = (
                f"Runs keep their state in {path}, which cannot be used: {error}. "
                "Move it away, or set `keep_state: false` in platform.yaml."
            )
            raise RunError(message) from error
        yield saver
