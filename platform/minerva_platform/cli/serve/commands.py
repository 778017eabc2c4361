"""The grammar of the commands of the server: `serve` and `token create|list|revoke`."""

from typing import Annotated

import typer

from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.options import (
    AtOnce,
    Config,
    CreateOptions,
    Grace,
    Language,
    TokenJson,
    TokenName,
)

# ruff: noqa: PLC0415  # each command's imports wait for its call


token = typer.Typer(help="Make, list and revoke the tokens of the server.", no_args_is_help=True)


def serve(  # noqa: PLR0913  # each is an option that people type
    *,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at; others need tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 takes any free one.")] = 8123,
    team: Annotated[
        str | None, typer.Option("--team", metavar="NAME", help="Serve this team alone.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Worker processes beside it; 0: HTTP alone.")
    ] = 1,
    at_once: AtOnce = 4,
    grace: Grace = 30.0,
    language: Language = None,
    config: Config = None,
) -> None:
    """Serve the teams over HTTP, to clients of LangGraph; processes beside it do the runs.

    SIGTERM or Ctrl-C takes no more runs and waits for those at work; a second one ends at once.
    What did not end goes on in another process.
    """
    from minerva_platform.cli.serve.serve import ServeOptions, serve as serve_now

    options = ServeOptions(host, port, team, workers, at_once, grace, language, config)
    raise typer.Exit(serve_now(options))


@token.command("create")
@command
def _create(options: CreateOptions) -> int:
    """Make a token, and print it this once."""
    from minerva_platform.cli.serve.tokens import create

    return create(options)


@token.command("list")
def _list(*, as_json: TokenJson = False, language: Language = None, config: Config = None) -> None:
    """List the tokens that were ever made."""
    from minerva_platform.cli.serve.tokens import show

    raise typer.Exit(show(as_json=as_json, language=language, config=config))


@token.command("revoke")
def _revoke(name: TokenName, *, language: Language = None, config: Config = None) -> None:
    """Let a token open nothing any more."""
    from minerva_platform.cli.serve.tokens import revoke

    raise typer.Exit(revoke(name, language=language, config=config))
