"""One HTTP connection pool per event loop, for all models, closed with the loop.

A pool belongs to the loop that used it, and not to a model: one that is given up while its loop
goes on, or ends, leaves no open connection to the garbage collector. Programs call the same model
from several loops (tests, `invoke` in a script, a server), and a pool of an ended loop breaks the
next call.

A redirect to another origin is refused. The request holds a person's words, and Azure's key is in a
header that HTTP clients do not treat as secret.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from openai import DefaultAsyncHttpxClient

from minerva_observability.tracing.trace_context import HEADER, current_traceparent
from minerva_platform.errors import MinervaError


class ForeignRedirectError(MinervaError):
    """A model's server answers with a redirect to another scheme, host or port."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        super().__init__(
            f"it redirects to {origin}, and a redirect to another origin is not followed; "
            "if that server is the one you mean, name it as `base_url`."
        )


class PerLoopClient(DefaultAsyncHttpxClient):
    """Sends each request through the pool of the running loop, by the environment's proxies."""

    async def send(self, request: Any, **options: Any) -> Any:
        """Send `request` as the client of this loop would, and say which span asks."""
        if (traceparent := current_traceparent()) is not None:
            request.headers[HEADER] = traceparent
        return await (await _pool()).send(request, **options)


_pools: dict[int, tuple[DefaultAsyncHttpxClient, AsyncGenerator[None]]] = {}


async def _pool() -> DefaultAsyncHttpxClient:
    loop = id(asyncio.get_running_loop())
    if loop not in _pools:
        client = DefaultAsyncHttpxClient(event_hooks={"response": [_refuse_foreign_redirect]})
        closing = _closed_with_its_loop(loop, client)
        _pools[loop] = client, closing
        await anext(closing)
    return _pools[loop][0]


async def _closed_with_its_loop(loop: int, client: DefaultAsyncHttpxClient) -> AsyncGenerator[None]:
    """Close `client` when the loop ends. A loop closes the generators that began in it."""
    try:
        yield
    finally:
        _pools.pop(loop, None)
        await client.aclose()


async def _refuse_foreign_redirect(response: Any) -> None:
    if not response.has_redirect_location:
        return
    came_from = response.request.url
    goes_to = came_from.join(response.headers["location"])
    if _origin(goes_to) != _origin(came_from):
        raise ForeignRedirectError(_origin(goes_to))


def _origin(url: Any) -> str:
    """Return scheme, host and port, without a default port, so both spellings are equal."""
    port = "" if url.port is None else f":{url.port}"
    return f"{url.scheme}://{url.host}{port}"
