"""The commands of the server, `serve` and `token create|list|revoke`, and their options."""

from typing import Annotated

from typer import Option, Typer

from minerva_platform.cli.io.command import Options, add_commands
from minerva_platform.cli.io.options import (
    AtOnce,
    Config,
    Grace,
    Language,
    Maybe,
    TokenJson,
    TokenName,
)


class ServeOptions(Options):
    """Serve the teams over HTTP, to clients of LangGraph; processes beside it do the runs.

    SIGTERM or Ctrl-C takes no more runs and waits for those at work; a second one ends at once.
    What did not end goes on in another process.
    """

    work = "serve.serve:serve"
    host: Annotated[str, Option("--host", help="The address to listen at; others need tokens.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Option("--port", help="The port; 0 takes any free one.")] = 8123
    team: Annotated[Maybe, Option("--team", metavar="NAME", help="Serve this team alone.")] = None
    workers: Annotated[
        int, Option("--workers", min=0, help="Worker processes beside it; 0: HTTP alone.")
    ] = 1
    """With 0 the queue is left to `minerva worker`: in the HTTP process, a member that blocks would
    stop every request."""
    at_once: AtOnce = 4
    grace: Grace = 30.0
    language: Language = None
    config: Config = None


class CreateOptions(Options):
    """Make a token, and print it this once."""

    work = "serve.tokens:create"
    name: TokenName
    tenant: Annotated[str, Option("--tenant", help="Whose threads and runs it opens.")] = "local"
    scopes: Annotated[str, Option("--scope", help="What it opens, of: read,run,approve,admin.")] = (
        "read,run,approve"
    )
    teams: Annotated[
        list[str] | None,
        Option("--team", metavar="NAME", help="It may ask this only; may be repeated."),
    ] = None
    days: Annotated[
        float | None, Option("--days", min=0, help="It expires after so many days.")
    ] = None
    as_json: TokenJson = False
    language: Language = None
    config: Config = None


class TokensOptions(Options):
    """List the tokens that were ever made."""

    work = "serve.tokens:show"
    as_json: TokenJson = False
    language: Language = None
    config: Config = None


class RevokeOptions(Options):
    """Let a token open nothing any more."""

    work = "serve.tokens:revoke"
    name: TokenName
    language: Language = None
    config: Config = None


token = Typer(help="Make, list and revoke the tokens of the server.", no_args_is_help=True)
add_commands(token, {"create": CreateOptions, "list": TokensOptions, "revoke": RevokeOptions})
