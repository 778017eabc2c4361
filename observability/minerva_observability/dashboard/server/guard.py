"""Access to the dashboard: from this machine, or with the token, and never from another site.

Without this guard, a page of another site in a person's browser could reach a dashboard on this
machine: by its address, by a name that the site lets point here (DNS rebinding), or through a
websocket, to which browsers apply no same-origin rule.
"""

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import parse_qsl, urlencode

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minerva_observability.http_access import host_name, is_same_origin

COOKIE: Final = "minerva_dashboard"
ENTRANCE: Final = "/enter"
TOKEN_LENGTH: Final = 16
"""Characters; a shorter token could be guessed."""
MAX_POSTED_BYTES: Final = 4_096
"""Bytes of a posted form, which holds a token and nothing else."""
MONTH_S: Final = 30 * 24 * 3_600

_POLICY: Final = (
    "default-src 'self'",
    # NiceGUI compiles templates in the browser and begins with inline scripts
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "script-src-attr 'none'",  # so an `onerror=` that slipped in would still do nothing
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "; ".join(_POLICY),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Middleware that refuses requests below `prefix` which lack access; others pass to `app`.

    `hosts` are the allowed host names; an empty `hosts` allows any. `token` is needed if not None.
    """

    def __init__(
        self, app: ASGIApp, *, prefix: str, hosts: Iterable[str], token: str | None
    ) -> None:
        self._app = app
        self._prefix = prefix
        self._hosts = frozenset(host.lower() for host in hosts)
        self._token = token
        self._pass = ""
        """The cookie's value, a keyed hash from which the token cannot be computed."""
        if token:
            self._pass = hmac.new(token.encode(), b"minerva dashboard", sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on to `app`."""
        is_ours = scope["type"] in {"http", "websocket"} and self._is_below(scope["path"])
        if not is_ours:
            await self._app(scope, receive, send)
            return
        refusal = await self._refusal(scope, receive)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http":
            await refusal(scope, receive, _with_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _refusal(self, scope: Scope, receive: Receive) -> Response | None:
        headers = Headers(scope=scope)
        host = host_name(headers.get("host", ""))
        if self._hosts and host not in self._hosts:  # with a token every host is allowed
            return PlainTextResponse("Unknown host.\n", 421)
        if not is_same_origin(headers.get("origin"), headers.get("host", "")):
            return PlainTextResponse("The request comes from another site.\n", 403)
        if self._token is None:
            return None
        if scope["type"] == "http":
            request = Request(scope, receive)
            given = await self._token_of(request)
            if given is not None:
                return self._welcome(request) if self._is_token(given) else self._entrance(401)
        if self._has_pass(HTTPConnection(scope), headers):
            return None
        return self._entrance(401)

    def _is_below(self, path: str) -> bool:
        return path == self._prefix or path.startswith(f"{self._prefix}/")

    async def _token_of(self, request: Request) -> str | None:
        """Return the token in the address or in the posted form; None if neither has one."""
        if "token" in request.query_params:
            return request.query_params["token"]
        if request.method == "POST" and request.url.path == f"{self._prefix}{ENTRANCE}":
            body = b""
            async for block in request.stream():
                body += block
                if len(body) > MAX_POSTED_BYTES:
                    return ""
            return dict(parse_qsl(body.decode("utf-8", "replace"))).get("token", "")
        return None

    def _is_token(self, text: str) -> bool:
        token = (self._token or "").encode()
        return hmac.compare_digest(text.encode("utf-8", "replace"), token)

    def _has_pass(self, connection: HTTPConnection, headers: Headers) -> bool:
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return self._is_token(bearer[len("bearer ") :].strip())
        shown = connection.cookies.get(COOKIE, "")
        return hmac.compare_digest(shown.encode("utf-8", "replace"), self._pass.encode())

    def _welcome(self, request: Request) -> Response:
        """Set the cookie, and redirect to the same address without the token."""
        kept = [
            (name, text) for name, text in request.query_params.multi_items() if name != "token"
        ]
        path = f"/{request.url.path.lstrip('/')}"  # two slashes would lead to another host
        if path == f"{self._prefix}{ENTRANCE}":
            path = f"{self._prefix}/"
        response = RedirectResponse(f"{path}?{urlencode(kept)}" if kept else path, 303)
        response.set_cookie(
            COOKIE,
            self._pass,
            max_age=MONTH_S,
            path=self._prefix or "/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    def _entrance(self, code: int) -> Response:
        """Return a page whose form posts a token: plain HTML, because it loads nothing else."""
        page = Template(Path(__file__).with_name("entrance.html").read_text("utf-8"))
        shown = page.substitute(action=escape(f"{self._prefix}{ENTRANCE}"))
        return HTMLResponse(shown, code, headers={"Cache-Control": "no-store"})


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers
