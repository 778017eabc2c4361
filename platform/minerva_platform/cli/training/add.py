"""`minerva route add`: teaches a router one request, and shows first what that changes."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from minerva_platform.app import Platform
from minerva_platform.cli.ask.open_app import open_app
from minerva_platform.cli.ask.request import read_request
from minerva_platform.cli.io.command import option_words
from minerva_platform.cli.io.escape import harmless
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, write_json, write_text
from minerva_platform.cli.maintenance.open_store import is_confirmed, reader_language
from minerva_platform.cli.training.commands import AddOptions
from minerva_platform.cli.training.edit import Edit, settings_edit, source_edit
from minerva_platform.cli.training.new_example import (
    Addition,
    check_addition,
    check_example,
    check_folder,
    find_declining_team,
    find_worker,
)
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import Settings, SettingsT, TeamSettings, find_settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.errors import RunError, SettingsError
from minerva_platform.evaluation.cases import Case, read_cases, team_file
from minerva_platform.evaluation.figures import Verdict
from minerva_platform.evaluation.outcome import Outcome, foreseen
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.training", "add")

_MAX_SHOWN: Final = 20
"""Changed requests that are shown; `--json` has all."""
_MAX_TEXT: Final = 120
"""Characters of each."""
_KINDS: Final = ("worse", "better", "other")
"""What may happen to a known request, the gravest first."""


class SettingsWith(Settings):
    """Settings as they would be with the added request."""

    def __init__(self, settings: Settings, addition: Addition) -> None:
        super().__init__(settings.folder)
        self.addition = addition

    def team(self, name: str, model: type[SettingsT]) -> SettingsT:
        """Return the settings of a team; of the changed one with the request."""
        found = super().team(name, model)
        if name != self.addition.team.name or not isinstance(found, TeamSettings):
            return found
        text, worker = self.addition.text, self.addition.worker
        if worker is None:
            return found.model_copy(update={"declines": (*found.declines, text)})
        of_worker = (*found.examples.get(worker.name, ()), text)
        examples = {**found.examples, worker.name: of_worker}
        return found.model_copy(update={"examples": examples})


@dataclass(frozen=True, slots=True)
class Change:
    """A known request for which others would be asked."""

    before: Verdict
    after: Verdict

    @property
    def kind(self) -> str:
        """What it does to the request: one of `_KINDS`."""
        if self.before.is_right == self.after.is_right:
            return "other"
        return "better" if self.after.is_right else "worse"


def known_requests(platform: AssembledTeam, *, besides: str) -> list[Case]:
    """Return what is known of the installed teams, without the request `besides`.

    Known are the workers' examples, the declined requests, and what the teams' own files expect
    (`examples/eval.yaml`).
    """
    served: dict[str, Case] = {}
    for team in platform.agents:
        for agent in team.agents if isinstance(team, AssembledTeam) else ():
            path = f"{team.name}/{agent.name}"
            for text in agent.examples:
                served.setdefault(text, _case(text, path))
    declined = {text: _case(text, "") for text in platform.declines if text not in served}
    own = [
        case
        for team in platform.agents
        if isinstance(team, AssembledTeam)
        for case in _expected_cases(team)
    ]
    known = [*own, *served.values(), *declined.values()]
    return [case for case in known if case.text != besides]


async def outcomes(platform: AssembledTeam, cases: Sequence[Case]) -> list[Outcome]:
    """Return what `platform` would do with each request."""
    return [await foreseen(platform, case) for case in cases]


def changes(
    cases: Sequence[Case], before: Sequence[Outcome], after: Sequence[Outcome]
) -> Iterator[Change]:
    """Yield the requests for which others would be asked, in the order of `cases`."""
    for case, old, new in zip(cases, before, after, strict=True):
        if (old.teams, old.workers) != (new.teams, new.workers):
            yield Change(Verdict(case, old), Verdict(case, new))


def _expected_cases(team: AssembledTeam) -> Sequence[Case]:
    """Return what the team's own file expects. A faulty file is reported, and left out."""
    path = team_file(team)
    try:
        return () if path is None else read_cases(path)
    except SettingsError as error:
        say(f"left out: {error}")
        return ()


def _case(text: str, worker: str) -> Case:
    """Return a request as a case: of the worker at a path, or declined without one."""
    return Case(
        id=worker or "declined",
        where=worker or "declined",
        text=text,
        teams=frozenset([worker.partition("/")[0]] if worker else []),
        workers=(worker,) if worker else (),
        kind="single" if worker else "out_of_scope",
        language=language_of(text),
    )


@dataclass(frozen=True, slots=True)
class _Effect:
    """What the request leads to, and what happens to those known so far."""

    before: Outcome
    after: Outcome
    known_count: int
    changes: tuple[Change, ...]


def add_route(options: AddOptions) -> ExitCode:
    """Show what would be written and what it changes; write it if the person says so.

    Raises:
        RunError: the request is no example, or the file cannot be written.
        SettingsError: the worker is not there, or the file's form is not edited.
    """
    language = reader_language(options.language)
    text = check_example(read_request(options.text))
    with answers_only():
        settings = find_settings(options.config)
        folder = None if options.source else check_folder(settings.folder)
        app = open_app(settings)
        before = run_sync(foreseen, app.team, _case(text, ""))
        addition = _addition(options, text, app, before)
        if addition.is_there:
            return _told_there(addition, options, language)
        check_addition(addition, app.team)
        edit = settings_edit(addition, folder) if folder else source_edit(addition)
        effect = _effect(app, settings, addition, before, language)
    if not options.as_json:
        write_text("\n".join(_lines(addition, edit, effect, language)))
    is_written = _is_wanted(options, edit, language)
    if is_written:
        edit.write()
    if options.as_json:
        write_json(_to_json(addition, edit, effect, is_written=is_written))
    elif is_written:
        write_text(TEXTS("written", language, file=harmless(str(edit.path))))
    if not is_written:
        say(TEXTS("not_written", language, command=_command(options)))
    return ExitCode.ANSWERED


def _addition(options: AddOptions, text: str, app: Platform, before: Outcome) -> Addition:
    if options.decline == (options.to is not None):
        message = "Type --to WORKER, or --decline if no team serves the request."
        raise RunError(message)
    if options.to is not None:
        return Addition(text, *find_worker(app.team, options.to))
    return Addition(text, find_declining_team(app.team, options.team, asked=before.teams))


def _told_there(addition: Addition, options: AddOptions, language: Language) -> ExitCode:
    say(TEXTS("there", language, target=addition.target))
    if options.as_json:
        write_json({"text": addition.text, "target": addition.target, "written": False})
    return ExitCode.ANSWERED


def _effect(
    app: Platform, settings: Settings, addition: Addition, before: Outcome, language: Language
) -> _Effect:
    cases = known_requests(app.team, besides=addition.text)
    say(TEXTS("comparing", language, count=len(cases)))
    old = run_sync(outcomes, app.team, cases)
    changed = open_app(SettingsWith(settings, addition))
    after, *new = run_sync(outcomes, changed.team, [_case(addition.text, ""), *cases])
    return _Effect(before, after, len(cases), tuple(changes(cases, old, new)))


def _is_wanted(options: AddOptions, edit: Edit, language: Language) -> bool:
    if options.yes:
        return True
    if options.as_json:
        return False
    return is_confirmed(TEXTS("question", language, file=harmless(str(edit.path)))) is True


def _lines(addition: Addition, edit: Edit, effect: _Effect, language: Language) -> Iterator[str]:
    yield from edit.diff()
    yield ""
    told = {"before": _targets_text(effect.before), "after": _targets_text(effect.after)}
    yield TEXTS("asks", language, **told)
    if addition.worker is None and addition.team.name in effect.after.teams:
        yield TEXTS("still_asked", language)
    elif addition.worker is not None and addition.target not in effect.after.workers:
        yield TEXTS("still", language, target=addition.target)
    if not effect.changes:
        yield TEXTS("unchanged", language, count=effect.known_count)
        return
    kinds = [change.kind for change in effect.changes]
    counts = {"changed": len(kinds), "better": kinds.count("better"), "worse": kinds.count("worse")}
    yield TEXTS("changed", language, count=effect.known_count, **counts)
    ranked = sorted(effect.changes, key=lambda change: _KINDS.index(change.kind))
    for change in ranked[:_MAX_SHOWN]:
        where, text = harmless(change.before.case.where), _short(change.before.case.text)
        arrow = f"{_targets_text(change.before.outcome)} → {_targets_text(change.after.outcome)}"
        yield f"  {TEXTS(change.kind, language)}  {text}  ({where}): {arrow}"
    if len(ranked) > _MAX_SHOWN:
        yield TEXTS("more", language, count=len(ranked) - _MAX_SHOWN)


def _targets_text(outcome: Outcome) -> str:
    return ", ".join(sorted(outcome.workers or outcome.teams)) or "-"


def _short(text: str) -> str:
    return f"“{harmless(text if len(text) <= _MAX_TEXT else f'{text[:_MAX_TEXT]}…')}”"


def _command(options: AddOptions) -> str:
    """Return the same command with `--yes`."""
    options_by_name = {
        "--to": options.to,
        "--team": options.team,
        "--config": options.config,
        "--decline": options.decline,
        "--source": options.source,
    }
    words = ["route", "add", options.text, *option_words(options_by_name), "--yes"]
    return f"{minerva_command()} {shlex.join(words)}"


def _to_json(
    addition: Addition, edit: Edit, effect: _Effect, *, is_written: bool
) -> dict[str, Any]:
    return {
        "text": addition.text,
        "target": addition.target,
        "file": str(edit.path),
        "diff": list(edit.diff()),
        "before": _outcome_to_json(effect.before),
        "after": _outcome_to_json(effect.after),
        "known": effect.known_count,
        "changed": [_change_to_json(change) for change in effect.changes],
        "written": is_written,
    }


def _change_to_json(change: Change) -> dict[str, Any]:
    return {
        "text": change.before.case.text,
        "where": change.before.case.where,
        "before": _outcome_to_json(change.before.outcome),
        "after": _outcome_to_json(change.after.outcome),
        "change": change.kind,
    }


def _outcome_to_json(outcome: Outcome) -> dict[str, Sequence[str]]:
    return {"teams": sorted(outcome.teams), "workers": sorted(outcome.workers)}
