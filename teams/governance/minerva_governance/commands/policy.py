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
    from minerva_governance.commands.policy_view import check_policies, show_checked, to_json
    from minerva_platform.cli_kit import ExitCode, write_json

    reader = _reader(language)
    _exist(paths)
    policy_set = check_policies(paths, language=reader)
    if as_json:
        write_json(to_json(policy_set))
    else:
        show_checked(policy_set, reader)
    if policy_set.mistakes or not policy_set.policies:
        raise typer.Exit(ExitCode.WRONG_USAGE)
    if strict and policy_set.problems:
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
    from minerva_governance.answers.policy_explained import explain_rules, explained_to_json
    from minerva_governance.commands.policy_view import check_policies, show_checked
    from minerva_platform.cli_kit import ExitCode, printable, write_json, write_text

    reader = _reader(language)
    _exist([path])
    policy_set = check_policies([path], language=reader)
    rules = [one.id for policy in policy_set.policies for one in policy.rules]
    if rule is not None and policy_set.policies and rule not in rules:
        message = f"{path} has no rule {rule}. It has {', '.join(dict.fromkeys(rules))}."
        raise PolicyCommandError(message)
    if as_json:
        write_json(explained_to_json(policy_set.policies, rule, reader))
    elif policy_set.policies:
        write_text(printable(explain_rules(policy_set.policies, rule, reader)))
    if policy_set.mistakes or not policy_set.policies:
        show_checked(policy_set, reader)
        raise typer.Exit(ExitCode.WRONG_USAGE)


@app.command("schema")
def _schema() -> None:
    """Print the form of a policy file as JSON Schema, for editors."""
    from importlib.resources import files

    from minerva_platform.cli_kit import write_text

    schema = files("minerva_governance") / "schemas" / "policy.schema.json"
    write_text(schema.read_text("utf-8").rstrip("\n"))


def _reader(language: Literal["ko", "en"] | None) -> Language:
    return language or ("ko" if locale_language(os.environ) == "ko" else "en")


def _exist(paths: list[Path]) -> None:
    for path in paths:
        if not path.exists():
            message = f"{path}: there is no such file or folder."
            raise PolicyCommandError(message)
