"""`minerva token`: who may use the server, for which tenant, and for what."""

import time
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import cast

from minerva_platform.cli.ask.execution import check_home
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.serve.commands import CreateOptions, RevokeOptions, TokensOptions
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings, home_directory
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.server.tokens import (
    SCOPES,
    NewToken,
    Scope,
    Token,
    TokenError,
    create_token,
    list_tokens,
    revoke_token,
)
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.serve", "serving")
_DAY_S = 86_400.0


def create(options: CreateOptions) -> ExitCode:
    """Make a token and print it: this once.

    Raises:
        TokenError: it cannot be made as asked.
        StateError: the database cannot be written.
    """
    now = time.time()
    new = NewToken(
        options.name,
        options.tenant,
        _scopes(options.scopes),
        options.teams or None,
        None if options.days is None else now + options.days * _DAY_S,
    )
    check_home(home_directory())
    with _ledger(options.config) as engine:
        secret = engine.write(partial(create_token, new=new, now=now))
    if options.as_json:
        write_json({"name": new.name, "tenant": new.tenant, "token": secret})
    else:
        write_text(secret)
        say(TEXTS("created", reader_language(options.language), name=new.name))
    return ExitCode.ANSWERED


def _ledger(config: Path | None) -> AbstractContextManager[Engine]:
    """Return what opens the ledger, where tokens are kept."""
    url = find_settings(config).platform.storage.url
    return opened_engine(find_place(home_directory(), url))


def _scopes(text: str) -> tuple[Scope, ...]:
    """Return the scopes that were typed, separated by commas.

    Raises:
        TokenError: one is unknown.
    """
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in SCOPES:
            message = f"There is no scope `{name}`. Choose of: {', '.join(SCOPES)}"
            raise TokenError(message)
    return cast("tuple[Scope, ...]", names)


def show(options: TokensOptions) -> ExitCode:
    """Print all tokens that were ever made; none of them can be read again."""
    spoken, now = reader_language(options.language), time.time()
    with _ledger(options.config) as engine:
        found = engine.read(list_tokens, empty=tuple[Token, ...]())
    if options.as_json:
        write_json({"tokens": [_to_json(token, now) for token in found]})
        return ExitCode.ANSWERED
    if not found:
        say(TEXTS("none", spoken))
    for token in found:
        state = TEXTS(_state(token, now), spoken)
        teams = f" {','.join(sorted(token.roots))}" if token.roots is not None else ""
        scopes = ",".join(scope for scope in SCOPES if scope in token.scopes)
        write_text(f"{token.name}  {token.tenant}  {scopes}{teams}  {state}")
    return ExitCode.ANSWERED


def revoke(options: RevokeOptions) -> ExitCode:
    """Let a token open nothing any more.

    Raises:
        TokenError: there is no such token.
        StateError: the database cannot be written.
    """
    with _ledger(options.config) as engine:
        engine.write(partial(revoke_token, name=options.name, now=time.time()))
    say(TEXTS("revoked", reader_language(options.language), name=options.name))
    return ExitCode.ANSWERED


def _state(token: Token, now: float) -> str:
    if token.revoked is not None:
        return "state.revoked"
    return "state.valid" if token.is_valid(now) else "state.expired"


def _to_json(token: Token, now: float) -> dict[str, object]:
    return {
        "name": token.name,
        "tenant": token.tenant,
        "scopes": sorted(token.scopes),
        "teams": None if token.roots is None else sorted(token.roots),
        "created": token.created,
        "expires_at": token.expires_at,
        "revoked": token.revoked,
        "is_valid": token.is_valid(now),
    }
