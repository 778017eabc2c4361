"""A Postgres that is far away: every answer of the real one comes later."""

import asyncio
import contextlib
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_SOCKET = ".s.PGSQL.5432"
_BYTES = 65_536


async def _copied(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float
) -> None:
    """Give on what comes, after a while, until there is no more."""
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(_BYTES):
            await asyncio.sleep(seconds)
            writer.write(part)
            await writer.drain()
    writer.close()


@contextmanager
def slow(address: str, seconds: float) -> Generator[str]:
    """Give the address under which the database at `address` answers `seconds` later."""
    before, _, folder = address.partition("?host=")

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(str(Path(folder) / _SOCKET))
        await asyncio.gather(_copied(reader, there[1], 0.0), _copied(there[0], writer, seconds))

    with TemporaryDirectory(prefix="far") as near:
        loop, begun = asyncio.new_event_loop(), threading.Event()
        done = asyncio.Event()

        async def relay() -> None:
            async with await asyncio.start_unix_server(connect, Path(near) / _SOCKET):
                begun.set()
                await done.wait()

        thread = threading.Thread(target=lambda: loop.run_until_complete(relay()), daemon=True)
        thread.start()
        begun.wait()
        try:
            yield f"{before}?host={near}"
        finally:
            loop.call_soon_threadsafe(done.set)
            thread.join()
