"""Keep the state of runs in SQLite, so that a run can be looked at and gone on with later."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from minerva_platform.errors import RunError


@asynccontextmanager
async def open_saver(path: Path) -> AsyncGenerator[AsyncSqliteSaver]:
    """Open the checkpoint database at `path`, making it and its folder when needed.

    Raises:
        RunError: the folder or the file cannot be written; said before anything runs.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = AsyncSqliteSaver.from_conn_string(str(path))
    except OSError as error:
        message = f"Runs keep their state in {path.parent}, which cannot be written: {error}."
        raise RunError(message) from error
    async with connection as saver:
        await saver.setup()
        yield saver
