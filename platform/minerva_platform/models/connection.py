"""One HTTP connection pool per event loop, closed with the loop.

A pool belongs to the loop it was used in. People call the same model from several (tests,
`invoke` in a script, a server), and a pool of a loop that has ended breaks the next call.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from openai import DefaultAsyncHttpxClient


class PerLoopClient(DefaultAsyncHttpxClient):
    """Sends each request through the pool of the running loop; proxies are the environment's."""

    def __init__(self) -> None:
        super().__init__()
        self._pools: dict[int, tuple[DefaultAsyncHttpxClient, AsyncGenerator[None]]] = {}

    async def send(self, request: Any, **options: Any) -> Any:
        """Send `request` as the client of this loop would."""
        return await (await self._pool()).send(request, **options)

    async def _pool(self) -> DefaultAsyncHttpxClient:
        loop = id(asyncio.get_running_loop())
        if loop not in self._pools:
            client = DefaultAsyncHttpxClient()
            closing = self._closed_with_its_loop(loop, client)
            self._pools[loop] = client, closing
            await anext(closing)
        return self._pools[loop][0]

    async def _closed_with_its_loop(
        self, loop: int, client: DefaultAsyncHttpxClient
    ) -> AsyncGenerator[None]:
        """Close `client` when the loop ends: a loop closes the generators begun in it."""
        try:
            yield
        finally:
            self._pools.pop(loop, None)
            await client.aclose()
