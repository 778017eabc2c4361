"""Serve the dashboard until a person presses Ctrl-C."""

import socket
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn

from minerva_observability.dashboard.server.app import DashboardError, build_app
from minerva_observability.http_access import AddressError, bind, is_loopback, url_of
from minerva_observability.records.segments import Source

HOST: Final = "127.0.0.1"
PORT: Final = 8070
TOKEN_VARIABLE: Final = "MINERVA_DASHBOARD_TOKEN"  # noqa: S105  # a name
GRACE_S: Final = 1


def serve(
    source: Source,
    *,
    host: str = HOST,
    port: int = PORT,
    token: str | None = None,
    announce: Callable[[str], None] = lambda _: None,
    opens: bool = False,
) -> None:
    """Serve the records of `source` at `host` and `port` until Ctrl-C; 0 means any free port.

    `announce` is called with the dashboard's address as soon as it answers. With `opens`, a browser
    is opened at that address. `token` is needed for a `host` other than this machine.

    Raises:
        DashboardError: the port or host cannot be used, or the token is missing or too short.
    """
    if not token and not is_loopback(host):
        msg = (
            f"Anyone who can reach {host} could read every record. To require a token, "
            f"set {TOKEN_VARIABLE} or type --token."
        )
        raise DashboardError(msg)
    app = build_app(source, token=token)
    try:
        bound = bind(host, port)
    except AddressError as error:
        raise DashboardError(str(error)) from error
    url = url_of(host, bound.getsockname()[1])
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE_S
    )

    def welcome() -> None:
        announce(url)
        if opens:
            webbrowser.open(url)

    server = _Server(config, welcome)
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:
        return  # Ctrl-C is the usual end of a server
    finally:
        bound.close()


class _Server(uvicorn.Server):
    """Calls `answers` as soon as it answers requests."""

    def __init__(self, config: uvicorn.Config, answers: Callable[[], None]) -> None:
        super().__init__(config)
        self._answers = answers

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        if self.started:
            self._answers()
