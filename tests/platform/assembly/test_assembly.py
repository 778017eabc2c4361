"""A declared team says and an assembled one runs: nothing is written to what an author made."""

from pathlib import Path

import pytest

from minerva_platform import Platform, Team
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.config import TeamSettings
from minerva_platform.config.settings import Settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.testing import EachOnceRouter, StubAgent

CLERK = StubAgent("clerk")
OFFICE = Team(
    name="office",
    description="An office.",
    members=[CLERK, Team(name="archive", description="An archive.", members=[StubAgent("keeper")])],
    router=EachOnceRouter(),
)
"""One declaration for all tests here, as a module of a company has it."""


def configured(folder: Path, model: str, seconds: float) -> AssembledTeam:
    """Return the office in a platform of this configuration."""
    local = "base_url: 'http://127.0.0.1:9/v1'"
    (folder / "teams").mkdir(parents=True)
    (folder / "platform.yaml").write_text(f"model: {{name: 'openai:{model}', {local}}}\n")
    (folder / "teams" / "office.yaml").write_text(f"timeouts: {{clerk: {seconds}}}\n")
    (office,) = Platform(settings=Settings(folder), teams=[OFFICE]).team.inner_teams
    return office


@pytest.mark.slow
def test_two_platforms_over_one_declaration_see_nothing_of_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each worker, at any depth, has the model and the time of the platform that asks it."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    first = configured(tmp_path / "first", "small", 1.5)
    second = configured(tmp_path / "second", "large", 30.0)

    for office, model, seconds in ((first, "small", 1.5), (second, "large", 30.0)):
        agents = [agent for team in office.teams for agent in (team, *team.agents)]
        assert [agent.model and agent.model.spec.model for agent in agents] == [model] * 5
        assert office.by_name["clerk"].timeout == seconds
    assert (CLERK.model, CLERK.timeout, OFFICE.model) == (None, None, None)


def test_a_worker_for_which_nothing_is_set_runs_itself() -> None:
    """Tests and notebooks look at the object that they gave; only a change makes a copy."""
    settings = TeamSettings(timeouts={"archive": 4.0})
    office = assemble(OFFICE, Defaults(settings))

    assert OFFICE.assembled.by_name["clerk"] is office.by_name["clerk"] is CLERK
    assert (office.by_name["archive"].timeout, OFFICE.members[1].timeout) == (4.0, None)


def test_a_team_is_assembled_once_and_again_when_its_tree_has_changed() -> None:
    """So `team.router = …` counts after a request, and a request costs no assembly."""
    inner = Team(name="inner", description="…", members=[StubAgent("a")])
    outer = Team(name="outer", description="…", members=[inner])
    before = outer.assembled
    assert outer.assembled is before

    inner.router = EachOnceRouter()

    assert outer.assembled is not before
    assert outer.assembled.inner_teams[0].router is inner.router
