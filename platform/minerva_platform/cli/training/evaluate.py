"""`minerva eval`: judges requests with known teams, workers and facts."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from minerva_platform.app import Platform
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import check_router_name
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, write_json
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.training.commands import EvalOptions
from minerva_platform.cli.training.eval_view import TEXTS, draw
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import find_settings
from minerva_platform.evaluation.cases import Case, check_names, read_cases
from minerva_platform.evaluation.figures import Share, Verdict, confusion, groups_of, tally
from minerva_platform.evaluation.outcome import foreseen, ran
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.text.language import Language


def evaluate(options: EvalOptions) -> ExitCode:
    """Print how well the requests are met. Return 3 if fewer than `least` of them are right.

    Raises:
        SettingsError: the file is wrong, or names a team or worker that is not there.
    """
    language = reader_language(options.language)
    cases = read_cases(options.file)
    with answers_only():
        router = check_router_name(options.router)
        settings = find_settings(options.config)
        app = open_app(settings, only_team=options.team, router=router)
        check_names(cases, app.team)
        verdicts = run_sync(_judge, app, cases, options, language)
    right = tally(verdicts).right
    is_below = options.least is not None and right.is_below(options.least)
    if options.as_json:
        write_json(_to_json(verdicts, options, is_below=is_below))
    else:
        show(lambda _: draw(verdicts, file=options.file, is_run=options.is_run, language=language))
    if is_below:
        say(TEXTS("below", language, value=right.value, least=options.least))
    return ExitCode.FINDINGS if is_below else ExitCode.ANSWERED


async def _judge(
    app: Platform, cases: Sequence[Case], options: EvalOptions, language: Language
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for number, case in enumerate(cases, start=1):
        if options.is_run:
            told = {"number": number, "count": len(cases), "id": harmless(case.id)}
            say(TEXTS("running", language, **told))
            outcome = await ran(app.team, case, app.limits)
        else:
            outcome = await foreseen(app.team, case)
        verdicts.append(Verdict(case, outcome))
    return verdicts


def _to_json(
    verdicts: Sequence[Verdict], options: EvalOptions, *, is_below: bool
) -> dict[str, Any]:
    return {
        "file": str(options.file),
        "run": options.is_run,
        "requests": len(verdicts),
        "figures": _figures_to_json(verdicts),
        "groups": {
            name: {key: _figures_to_json(several) for key, several in groups.items()}
            for name, groups in groups_of(verdicts).items()
        },
        "confusion": [
            {"expected": expected, "asked": asked, "requests": count}
            for expected, asked, count in confusion(verdicts)
        ],
        "wrong": [_wrong_to_json(verdict) for verdict in verdicts if not verdict.is_right],
        "min": options.least,
        "below_min": is_below,
    }


def _figures_to_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    figures: dict[str, dict[str, int]] = asdict(tally(verdicts))
    return {name: {**share, "share": Share(**share).value} for name, share in figures.items()}


def _wrong_to_json(verdict: Verdict) -> dict[str, Any]:
    case, outcome = verdict.case, verdict.outcome
    return {
        "id": case.id,
        "where": case.where,
        "text": case.text,
        "expected": {"teams": sorted(case.teams), "workers": list(case.workers)},
        "asked": {"teams": sorted(outcome.teams), "workers": sorted(outcome.workers)},
        "decisions": [decision.model_dump(mode="json") for decision in outcome.decisions],
        "unserved": list(outcome.unserved),
        "missing_facts": list(verdict.missing_facts),
        "status": outcome.status,
    }
