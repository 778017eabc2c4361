"""The tokens of the server: who may use it, for which tenant, and for what.

A token is shown once, when it is made. The ledger keeps its digest: whoever reads the database
cannot use the server with it. A token has 256 random bits, so a plain SHA-256 is enough.
"""

import hashlib
import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from sqlalchemy import Connection, Row, insert, or_, select, update

from minerva_platform.config.setting_values import NAME
from minerva_platform.errors import RunError
from minerva_platform.storage.ledger.run_row import roots_to_row, row_to_roots
from minerva_platform.storage.ledger.schema import tokens

Scope = Literal["read", "run", "approve", "admin"]
"""`read`: see threads, runs and files. `run`: ask, cancel, upload. `approve`: see and decide
questions. `admin`: all of it, erase threads, read metrics."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
PREFIX: Final = "minerva_"
"""What every token begins with, so that scanners for secrets find one that leaked."""


class TokenError(RunError):
    """A token cannot be made or revoked as asked."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept; times are seconds since 1970."""

    name: str
    tenant: str
    scopes: frozenset[Scope]
    roots: frozenset[str] | None
    """The platform and the teams that it may ask; None: all."""
    created: float
    expires_at: float | None
    revoked: float | None

    def is_valid(self, now: float) -> bool:
        """True if it was not revoked and has not expired."""
        return self.revoked is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that is to be made."""

    name: str
    tenant: str
    scopes: Collection[Scope]
    roots: Collection[str] | None = None
    expires_at: float | None = None


def create_token(connection: Connection, new: NewToken, now: float) -> str:
    """Keep a new token, and return it: nobody can read it again.

    Raises:
        TokenError: the name or the tenant is no name, no scope is given, or the name is taken.
    """
    for what, given in (("name", new.name), ("tenant", new.tenant)):
        if not NAME.fullmatch(given):
            message = (
                f"The {what} {given!r} has other characters than letters, digits and `._@-`, "
                "or more than 64. Take another."
            )
            raise TokenError(message)
    if not new.scopes:
        message = f"A token without a scope opens nothing. Choose of: {', '.join(SCOPES)}"
        raise TokenError(message)
    if connection.execute(select(tokens.c.name).where(tokens.c.name == new.name)).first():
        message = f"There was a token `{new.name}` already. Take another name, so audits stay true."
        raise TokenError(message)
    secret = PREFIX + secrets.token_urlsafe(32)
    row = {
        "token_sha256": _digest(secret),
        "name": new.name,
        "tenant": new.tenant,
        "scopes": json.dumps(sorted(new.scopes)),
        "roots": roots_to_row(new.roots),
        "created": now,
        "expires_at": new.expires_at,
    }
    connection.execute(insert(tokens).values(**row))
    return secret


def find_token(connection: Connection, secret: str) -> Token | None:
    """Return the token that a client gave; None if there is none. It may be over."""
    row = connection.execute(select(tokens).where(tokens.c.token_sha256 == _digest(secret))).first()
    return None if row is None else _to_token(row)


def list_tokens(connection: Connection) -> tuple[Token, ...]:
    """Return all tokens that were ever made, the oldest first."""
    rows = connection.execute(select(tokens).order_by(tokens.c.created, tokens.c.name))
    return tuple(_to_token(row) for row in rows)


def has_valid_token(connection: Connection, now: float) -> bool:
    """True if somebody could use the server with a token now."""
    is_over = tokens.c.expires_at <= now
    valid = select(tokens.c.name).where(
        tokens.c.revoked.is_(None), or_(tokens.c.expires_at.is_(None), ~is_over)
    )
    return connection.execute(valid.limit(1)).first() is not None


def revoke_token(connection: Connection, name: str, now: float) -> Token:
    """Let a token open nothing from now on. Its row stays, for audits.

    Raises:
        TokenError: there is no such token.
    """
    row = connection.execute(select(tokens).where(tokens.c.name == name)).first()
    if row is None:
        message = f"There is no token `{name}`. Type: minerva token list"
        raise TokenError(message)
    mine = update(tokens).where(tokens.c.name == name, tokens.c.revoked.is_(None))
    connection.execute(mine.values(revoked=now))
    return _to_token(row)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _to_token(row: Row[tuple[object, ...]]) -> Token:
    return Token(
        name=row.name,
        tenant=row.tenant,
        scopes=frozenset(cast("list[Scope]", json.loads(row.scopes))),
        roots=row_to_roots(row.roots),
        created=row.created,
        expires_at=row.expires_at,
        revoked=row.revoked,
    )
