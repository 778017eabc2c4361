"""Who asks, and what they may: tokens, tenants and scopes."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Depends, Path, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import Connection
from starlette.datastructures import Headers

from minerva_platform.server.problems import ProblemError
from minerva_platform.server.rate_limit import Rate
from minerva_platform.server.request_models import ThreadId
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.schema import LOCAL
from minerva_platform.storage.server.tenant_rows import Sight
from minerva_platform.storage.server.tokens import SCOPES, Scope, Token, find_token

KNOWN_S: Final = 5.0
"""Seconds for which a token that was looked up is known: a revoked one opens nothing after that."""
FAILURES_PER_S: Final = 1.0
FAILURES_AT_ONCE: Final = 100
"""How many tokens that open nothing an address may send at once, and how many a second then."""
_MAX_KNOWN: Final = 10_000
_MAX_TOKEN: Final = 512

_API_KEY = APIKeyHeader(
    name="X-Api-Key", auto_error=False, description="What LangGraph's SDK sends"
)
_BEARER = HTTPBearer(auto_error=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: a token, or somebody at this machine."""

    name: str
    tenant: str
    scopes: frozenset[Scope]
    roots: frozenset[str] | None = None
    """What may be asked; None: all."""

    def may(self, scope: Scope) -> bool:
        """True if the caller has this scope; `admin` has all."""
        return scope in self.scopes or "admin" in self.scopes

    def need(self, scope: Scope) -> None:
        """Refuse a caller without this scope.

        Raises:
            ProblemError: 403.
        """
        if not self.may(scope):
            detail = f"This needs the scope `{scope}`; the token has {', '.join(self.scopes)}."
            raise ProblemError(403, "missing_scope", detail)

    @property
    def sight(self) -> Sight:
        """What the caller sees of the ledger."""
        return Sight(self.tenant, self.roots)

    def may_ask(self, root: str) -> bool:
        """True if the caller may ask this team, or the platform."""
        return self.roots is None or root in self.roots


LOCAL_CALLER: Final = Caller("local", LOCAL, frozenset(SCOPES))
"""Whoever reaches a server without tokens: a person at this machine, who can read its files."""


@dataclass(slots=True)
class Access:
    """Knows callers by their tokens.

    An address that has sent many tokens which open nothing is not listened to for a while. Only
    tokens that have opened something here are looked at meanwhile: whoever guesses behind the same
    proxy locks nobody out who is at work.
    """

    engine: Engine
    needs_token: bool
    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    _failures: Rate = field(
        default_factory=lambda: Rate(FAILURES_PER_S, FAILURES_AT_ONCE / FAILURES_PER_S)
    )
    _valid_tokens: "OrderedDict[bytes, tuple[float, Token]]" = field(
        default_factory=OrderedDict[bytes, "tuple[float, Token]"]
    )
    """Tokens that were valid when they were last looked up, and when that was."""

    async def caller_of(self, secret: str | None, address: str = "") -> Caller:
        """Return who has this token; `address` is where it comes from.

        Raises:
            ProblemError: 401, a token is needed, and this is none that is valid; 429, too many
                such tokens came from there.
        """
        if not self.needs_token:
            return LOCAL_CALLER
        if not secret:
            detail = "A token is needed: X-Api-Key, or Authorization: Bearer."
            raise _refusal(detail)
        token = await self._token(secret[:_MAX_TOKEN], address)
        if token is None or not token.is_valid(self.wall()):
            detail = "The token is unknown, revoked or expired."
            raise _refusal(detail)
        return Caller(token.name, token.tenant, token.scopes, token.roots)

    async def _token(self, secret: str, address: str) -> Token | None:
        key, now = hashlib.sha256(secret.encode("utf-8", "replace")).digest(), self.monotonic()
        found = self._valid_tokens.get(key)
        if found is not None and now - found[0] < KNOWN_S:
            return found[1]
        if found is None:
            detail = "Too many tokens that open nothing came from this address. Wait a little."
            self._failures.check(address, "too_many_failures", detail, costs=0.0)

        def look(connection: Connection) -> Token | None:
            return find_token(connection, secret)

        token = await self.engine.aread(look, empty=None)
        self._valid_tokens.pop(key, None)
        if token is None or not token.is_valid(self.wall()):
            self._failures.wait_of(address)
            return None
        self._valid_tokens[key] = (now, token)
        while len(self._valid_tokens) > _MAX_KNOWN:
            self._valid_tokens.popitem(last=False)
        return token


def _refusal(detail: str) -> ProblemError:
    return ProblemError(401, "no_token", detail, headers={"WWW-Authenticate": "Bearer"})


def secret_in(headers: Headers) -> str | None:
    """Return the token that a request has, in either of its places."""
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    is_bearer = scheme.lower() == "bearer"
    return headers.get("x-api-key") or (credentials.strip() if is_bearer else "") or None


def needs(scope: Scope) -> Callable[..., Coroutine[Any, Any, Caller]]:
    """Return what gives a route its caller, who has `scope`."""

    async def caller(
        request: Request,
        _key: Annotated[str | None, Security(_API_KEY)],
        _bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)],
    ) -> Caller:
        access: Access = request.app.state.service.access
        found = await access.caller_of(secret_in(request.headers))
        found.need(scope)
        return found

    return partial(caller)


async def _own_thread(thread_id: Annotated[ThreadId, Path()], request: Request) -> str:
    """Return the id under which the caller's tenant keeps a thread, or would."""
    service = request.app.state.service
    caller = await service.access.caller_of(secret_in(request.headers))
    own: str = await service.own_id(thread_id, caller)
    return own


ItsThread = Annotated[str, Depends(_own_thread)]
Reader = Annotated[Caller, Depends(needs("read"))]
Runner = Annotated[Caller, Depends(needs("run"))]
Approver = Annotated[Caller, Depends(needs("approve"))]
Admin = Annotated[Caller, Depends(needs("admin"))]
