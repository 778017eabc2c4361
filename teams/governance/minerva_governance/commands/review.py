"""`minerva review`: schema, code, policy, notice and data in; one report with evidence out."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from minerva_platform import MinervaError, Run
from minerva_platform.text import Language, locale_language, read_texts

# ruff: noqa: PLC0415  # the command's imports wait for its call

_HELP = """Review a schema, code and data by a privacy policy; one report with evidence comes out.

PATH is a folder, which is searched for all parts, or a file. Options name parts that lie
elsewhere; each may be given several times. What is missing is said in the report. The migration is
a question: approve, edit or reject it (`minerva waiting`); nothing is applied.

Exit codes: 0 done; 2 something that was given cannot be read or is invalid; 3 a finding fails at
the severity of --fail-on or above, or a rule is open and --fail-on-open is given; 4 a question
waits for a person.
"""

TEXTS = read_texts("minerva_governance.commands", "review")
Severity = Literal["low", "medium", "high", "critical"]
_SEVERITIES: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")
FINDINGS: Final = "findings.json"
STRICT_MASKS: Final = Path(__file__).parents[1] / "seed" / "strict_masks.yaml"
"""A policy that asks nothing and says `report: {mask: strict}`."""
_BEGIN_WITH: Final = ("report.html", "report.md")

app = typer.Typer(name="review", add_completion=False, rich_markup_mode=None)


class ReviewError(MinervaError):
    """What was given cannot be reviewed; says what to give."""


_Path = Annotated[Path, typer.Argument(metavar="PATH", show_default=False)]
_Code = Annotated[
    list[Path] | None, typer.Option("--code", metavar="DIR", help="A folder with source code.")
]
_Policy = Annotated[
    list[Path] | None, typer.Option("--policy", metavar="FILE", help="A policy: YAML with rules.")
]
_Notice = Annotated[
    list[Path] | None,
    typer.Option("--notice", metavar="FILE", help="A privacy notice: Markdown, text or HTML."),
]
_Data = Annotated[
    list[Path] | None, typer.Option("--data", metavar="FILE", help="A file or folder with data.")
]
_Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Where the report and its files go.")
]
_NoMigration = Annotated[
    bool, typer.Option("--no-migration", help="Ask nobody about a migration; write none.")
]
_FailOn = Annotated[
    Severity | None,
    typer.Option("--fail-on", help="End with 3 if a finding of this severity or above fails."),
]
_FailOnOpen = Annotated[
    bool, typer.Option("--fail-on-open", help="End with 3 if a rule could not be decided.")
]
_Since = Annotated[
    Path | None,
    typer.Option(
        "--since", metavar="FILE", help="An earlier findings.json: say what is new and mended."
    ),
]
_Mask = Annotated[
    Literal["strict"] | None,
    typer.Option("--mask", help="strict: the report shows no part of any value."),
]
_Lang = Annotated[str | None, typer.Option("--language", help="Of the report: ko or en.")]
_Config = Annotated[
    Path | None, typer.Option("--config", metavar="DIR", help="The folder with platform.yaml.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print the run as one JSON object.")]


@app.command("review", help=_HELP, no_args_is_help=True)
def _review(  # noqa: PLR0913  # each is an option that people type
    path: _Path,
    *,
    code: _Code = None,
    policy: _Policy = None,
    notice: _Notice = None,
    data: _Data = None,
    out: _Out = Path("review"),
    no_migration: _NoMigration = False,
    fail_on: _FailOn = None,
    fail_on_open: _FailOnOpen = False,
    since: _Since = None,
    mask: _Mask = None,
    language: _Lang = None,
    config: _Config = None,
    as_json: _Json = False,
) -> None:
    from minerva_platform.cli_kit import AskOptions, ExitCode, asked, say

    paths_by_option = {"--code": code, "--policy": policy, "--notice": notice, "--data": data}
    attached_paths = attachments(path, paths_by_option, since)
    if mask == "strict":
        attached_paths.append(STRICT_MASKS)
    is_read = any(_is_inside(out, [each]) for each in attached_paths if each.is_dir())
    if is_read and out.is_dir() and any(out.iterdir()):
        message = (
            f"--out {out} lies in what is reviewed and holds files, which would be reviewed, too. "
            "Empty it, or name a folder outside."
        )
        raise ReviewError(message)
    reader = language or locale_language(os.environ)
    options = AskOptions(
        text=TEXTS("request", "ko" if reader == "ko" else "en"),
        paths=attached_paths,
        out=out,
        as_json=as_json,
        config=config,
        language=reader,
        approvals=not no_migration,
    )
    said: Language = "ko" if reader == "ko" else "en"
    run, status = asked(options, text=lambda done: _describe_run(done, out, said))
    failures = list(_failures(_findings(run), fail_on, said, is_open_failing=fail_on_open))
    if failures and status in {ExitCode.ANSWERED, ExitCode.WAITS_FOR_PERSON}:
        say("\n".join(failures))
        status = ExitCode.FINDINGS
    if any(use.must_mend for use in run.files):  # of more weight than what was found without it
        status = ExitCode.WRONG_USAGE
    raise typer.Exit(status)


def attachments(
    path: Path, paths_by_option: dict[str, list[Path] | None], since: Path | None
) -> list[Path]:
    """Return what is attached to the request: `path`, and the parts that lie outside of it.

    Raises:
        ReviewError: one is not there, or is no folder (code) or no file (policy, notice).
    """
    _check(path, "PATH")
    attached_paths = [path]
    for option, paths in paths_by_option.items():
        for part in paths or ():
            _check(part, option)
            if option == "--code" and not part.is_dir():
                message = f"--code {part}: is no folder. Name the folder with the source code."
                raise ReviewError(message)
            if option in {"--policy", "--notice"} and not part.is_file():
                message = f"{option} {part}: is no file. Name the file itself."
                raise ReviewError(message)
            if not _is_inside(part, attached_paths):
                attached_paths.append(part)
    if since is not None:
        _check(since, "--since")
        _check_earlier(since)
        attached_paths.append(since)
    return attached_paths


def _check(path: Path, option: str) -> None:
    if not path.exists():
        message = f"{option} {path}: there is no such file or folder."
        raise ReviewError(message)


def _failures(
    findings: dict[str, Any], fail_on: Severity | None, language: Language, *, is_open_failing: bool
) -> Iterator[str]:
    """Yield why a review ends with 3."""
    if fail_on and (failing := count_failing(findings, fail_on)):
        yield TEXTS("failing", language, count=failing, severity=fail_on)
    open_ = findings.get("counts", {}).get("not_evaluated", 0)
    if is_open_failing and open_:
        yield TEXTS("open", language, count=open_)


def _check_earlier(since: Path) -> None:
    from minerva_governance.answers.report.since import (
        NoEarlierReviewError,
        is_earlier_review,
        read_earlier,
    )

    message = f"--since {since}: is no findings.json of a review. Name one as it was written."
    if not is_earlier_review(since):
        raise ReviewError(message)
    try:
        read_earlier(since)
    except NoEarlierReviewError:
        raise ReviewError(message) from None


def _is_inside(path: Path, others: Iterable[Path]) -> bool:
    return any(path.resolve().is_relative_to(other.resolve()) for other in others)


def count_failing(findings: dict[str, Any], severity: Severity) -> int:
    """Return how many findings fail at `severity` or above."""
    grave = _SEVERITIES[_SEVERITIES.index(severity) :]
    items: Sequence[dict[str, Any]] = findings.get("findings", ())
    return sum(item["status"] == "fail" and item["severity"] in grave for item in items)


def _findings(run: Run) -> dict[str, Any]:
    """Return the content of the run's findings.json; nothing if there is none."""
    for artifact in run.artifacts:
        if artifact.name == FINDINGS:
            content: dict[str, Any] = json.loads(Path(artifact.path).read_text(encoding="utf-8"))
            return content
    return {}


def _describe_run(run: Run, out: Path, language: Language) -> str:
    """Return the three sentences of the report, and where its files lie."""
    names = {artifact.name for artifact in run.artifacts}
    opening: list[str] = _findings(run).get("opening", [])
    if not opening:
        return f"{run.answer}\n\n{TEXTS('nothing', language)}"
    first = next((out / name for name in _BEGIN_WITH if name in names), out)
    where = TEXTS("files", language, count=len(names), folder=str(out), first=str(first))
    return "\n".join([*opening, "", where])
