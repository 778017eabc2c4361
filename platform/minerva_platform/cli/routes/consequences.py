"""What an added request changes: who is asked for it, and for the requests known so far.

Known are the workers' examples, the declined requests, and what the teams' own files expect
(`examples/eval.yaml`). Each is foreseen by the platform as it is and as it would be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_platform.cli.routes.addition import Addition
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import Settings, SettingsT, TeamSettings
from minerva_platform.contract.team import Team
from minerva_platform.errors import SettingsError
from minerva_platform.evaluation.cases import Case, read_cases, team_file
from minerva_platform.evaluation.figures import Verdict
from minerva_platform.evaluation.outcome import Outcome, foreseen
from minerva_platform.text.language_detection import language_of


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
            return _updated(found, {"declines": (*found.declines, text)})
        of_worker = (*found.examples.get(worker.name, ()), text)
        return _updated(found, {"examples": {**found.examples, worker.name: of_worker}})


def _updated(found: SettingsT, update: dict[str, object]) -> SettingsT:
    return found.model_copy(update=update)


@dataclass(frozen=True, slots=True)
class Change:
    """A known request for which others would be asked."""

    before: Verdict
    after: Verdict


def known_requests(platform: Team, *, besides: str) -> list[Case]:
    """Return what is known of the installed teams, without the request `besides`."""
    served: dict[str, Case] = {}
    for team in platform.agents:
        for agent in team.agents if isinstance(team, Team) else ():
            path = f"{team.name}/{agent.name}"
            for text in agent.examples:
                served.setdefault(text, _example(text, path))
    declined = {text: _example(text, "") for text in platform.declines if text not in served}
    own = [case for team in platform.agents if isinstance(team, Team) for case in _expected(team)]
    known = [*own, *served.values(), *declined.values()]
    return [case for case in known if case.text != besides]


async def outcomes(platform: Team, cases: Sequence[Case]) -> list[Outcome]:
    """Return what `platform` would do with each request."""
    return [await foreseen(platform, case) for case in cases]


def changes(
    cases: Sequence[Case], before: Sequence[Outcome], after: Sequence[Outcome]
) -> Iterator[Change]:
    """Yield the requests for which others would be asked, in the order of `cases`."""
    for case, old, new in zip(cases, before, after, strict=True):
        if (old.teams, old.workers) != (new.teams, new.workers):
            yield Change(Verdict(case, old), Verdict(case, new))


def request_to_case(text: str) -> Case:
    """Return the added request as a case without expectations."""
    return _example(text, "")


def _expected(team: Team) -> Sequence[Case]:
    """Return what the team's own file expects. A faulty file is reported, and left out."""
    path = team_file(team)
    try:
        return () if path is None else read_cases(path)
    except SettingsError as error:
        say(f"left out: {error}")
        return ()


def _example(text: str, worker: str) -> Case:
    return Case(
        id=worker or "declined",
        where=worker or "declined",
        text=text,
        teams=frozenset([worker.partition("/")[0]] if worker else []),
        workers=(worker,) if worker else (),
        kind="single" if worker else "out_of_scope",
        language=language_of(text),
    )
