"""`minerva policy`: check policy files, explain their rules, and print their form."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from minerva_platform import MinervaError
from minerva_platform.text import Language, locale_language

# ruff: noqa: PLC0415  # each command's imports wait for its call

app = typer.Typer(
    name="policy",
    help="Check policy files, and see in plain words what their rules ask.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
_Language = Annotated[
    Literal["ko", "en"] | None,
    typer.Option("--language", help="Of what is said: ko or en; else that of your terminal."),
]
_Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Policies, or folders that hold some.")
]


class PolicyCommandError(MinervaError):
    """What was named cannot be checked or explained; says what to name instead."""


@app.command("check")
def _check(
    paths: _Paths,
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with 3 if something is odd in a policy.")
    ] = False,
    language: _Language = None,
    as_json: _Json = False,
) -> None:
    """Load policies as a review does, and name mistakes by file, line and rule.

    Exit codes: 0 all load; 2 a policy has mistakes or nothing here is a policy; 3 with --strict, if
    something is odd, such as a waiver that has ended.
    """
    from minerva_governance.commands.policy_view import checked, show_checked, to_json
    from minerva_platform.cli_kit import ExitCode, write_json

    said = _reader(language)
    _exist(paths)
    found = checked(paths, language=said)
    if as_json:
        write_json(to_json(found))
    else:
        show_checked(found, said)
    if found.mistakes or not found.policies:
        raise typer.Exit(ExitCode.WRONG_USAGE)
    if strict and found.problems:
        raise typer.Exit(ExitCode.FINDINGS)


@app.command("explain")
def _explain(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A policy, or a folder.")],
    rule: Annotated[
        str | None, typer.Argument(metavar="[RULE]", help="The id of one rule.")
    ] = None,
    *,
    language: _Language = None,
    as_json: _Json = False,
) -> None:
    """Say in plain words what each rule asks, of what, and what passes and fails."""
    from minerva_governance.answers.policy_explained import explained, explained_to_json
    from minerva_governance.commands.policy_view import checked, show_checked
    from minerva_platform.cli_kit import ExitCode, printable, write_json, write_text

    said = _reader(language)
    _exist([path])
    found = checked([path], language=said)
    rules = [one.id for policy in found.policies for one in policy.rules]
    if rule is not None and found.policies and rule not in rules:
        message = f"{path} has no rule {rule}. It has {', '.join(dict.fromkeys(rules))}."
        raise PolicyCommandError(message)
    if as_json:
        write_json(explained_to_json(found.policies, rule, said))
    elif found.policies:
        write_text(printable(explained(found.policies, rule, said)))
    if found.mistakes or not found.policies:
        show_checked(found, said)
        raise typer.Exit(ExitCode.WRONG_USAGE)


@app.command("schema")
def _schema() -> None:
    """Print the form of a policy file as JSON Schema, for editors."""
    from minerva_governance.core.policy.policy_schema import schema_text
    from minerva_platform.cli_kit import write_text

    write_text(schema_text().rstrip("\n"))


def _reader(language: Literal["ko", "en"] | None) -> Language:
    return language or ("ko" if locale_language(os.environ) == "ko" else "en")


def _exist(paths: list[Path]) -> None:
    for path in paths:
        if not path.exists():
            message = f"{path}: there is no such file or folder."
            raise PolicyCommandError(message)
