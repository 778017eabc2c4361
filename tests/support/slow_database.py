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
    """Give on what comes, after a while, until there is no more, or the relay ends."""
    try:
        with contextlib.suppress(ConnectionError):
            while part := await reader.read(_BYTES):
                await asyncio.sleep(seconds)
                writer.write(part)
                await writer.drain()
    finally:
        writer.close()


@contextmanager
def slow(address: str, seconds: float) -> Generator[str]:
    """Give the address under which the database at `address` answers `seconds` later."""
    folder = address.partition("host=")[2].partition("&")[0]
    begun, ends = threading.Event(), threading.Event()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(str(Path(folder) / _SOCKET))
        await asyncio.gather(_copied(reader, there[1], 0.0), _copied(there[0], writer, seconds))

    async def relay() -> None:
        async with await asyncio.start_unix_server(connect, Path(near) / _SOCKET):
            begun.set()
            await asyncio.to_thread(ends.wait)

    with TemporaryDirectory(prefix="far") as near:
        thread = threading.Thread(target=lambda: asyncio.run(relay()))
        thread.start()
        begun.wait()
        try:
            yield address.replace(folder, near)
        finally:
            ends.set()
            thread.join()
