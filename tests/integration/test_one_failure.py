"""A failure counts once, where it began, wherever it is counted; what follows from it does not."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent
from minerva_observability import Metrics, SpanStore, build_recorder, list_runs
from minerva_observability.compaction import compact_records
from minerva_observability.metrics import PrometheusPage
from minerva_platform import AgentError, Handoff, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, StubAgent


class Plan(Handoff):
    """What the failing worker should have given."""

    kind: ClassVar[str] = "once.plan"


class Index(Handoff):
    """What a team makes before the plan is there, and again with it."""

    kind: ClassVar[str] = "once.index"


def fails(_: Any) -> Any:
    """Be broken."""
    message = "no table"
    raise ValueError(message)


def team_of(name: str, *members: Any, **more: Any) -> Team:
    """Return a team that visits each member once."""
    return Team(name=name, description="…", members=members, router=EachOnceRouter(), **more)


def failing_worker(_: Path) -> tuple[Team, Task]:
    """Return teams of which one has a broken worker, and two others need what it gives."""
    data = team_of("data", StubAgent("maker", gives=[Plan()], behave=fails), exports=(Plan,))
    code = team_of("code", StubAgent("search", needs=[Plan]), StubAgent("index"))
    report = team_of("report", StubAgent("writer", needs=[Plan]))
    return team_of("platform", data, code, report), Task(request="go")


def failing_twice(_: Path) -> tuple[Team, Task]:
    """Return teams of which one is visited early, and meets its fault there and again later."""
    data = team_of("data", StubAgent("maker", gives=[Plan()]), exports=(Plan,))
    index = StubAgent("index", gives=[Index()], behave=fails)
    code = team_of("code", index, StubAgent("search", needs=[Index, Plan]), exports=(Index,))
    return team_of("platform", data, code), Task(request="go")


class UnreadablePolicies(PolicyAgent):
    """A worker of a real team that cannot answer."""

    def load(self, state: Any) -> Any:
        """Say so in words."""
        del state
        message = "the policies are on a disk that is gone."
        raise AgentError(message)


def broken_worker(folder: Path) -> tuple[Team, Task]:
    """Return a real team below the platform, of which one worker says that it cannot answer."""
    rows = folder / "rows.csv"
    rows.write_text("A\n1\n", encoding="utf-8")
    team = GovernanceTeam(members=(UnreadablePolicies, ComplianceAgent))
    platform = Team(name="platform", description="…", members=(team,), router=EachOnceRouter())
    request = "Scan these files for personal data and report violations"
    return platform, Task.model_validate({"request": request, "attachments": [rows]})


@pytest.fixture(params=[failing_worker, failing_twice, broken_worker])
def page(request: pytest.FixtureRequest, minerva_home: Path, tmp_path: Path) -> str:
    """Record a run with one failure; return what Prometheus is shown of it."""
    minerva_home.mkdir()
    platform, task = request.param(tmp_path)
    feed, recorder = PrometheusPage(minerva_home), build_recorder(minerva_home)
    run = asyncio.run(run_team(platform.assembled, task, RunOptions(recorder=recorder)))
    recorder.close()
    assert run.status in {"ok_degraded", "failed"}
    assert len(run.bypassed) > 1
    assert [entry.because_of for entry in run.bypassed].count(None) == 1
    shown = feed.text()[0].decode()
    feed.close()
    return shown


def test_prometheus_is_told_of_one(page: str) -> None:
    """Over all labels, so nobody has to know which to leave out."""
    counted = [
        float(line.rpartition(" ")[2])
        for line in page.splitlines()
        if line.startswith("minerva_failures_total{")
    ]

    assert sum(counted) == 1


@pytest.mark.usefixtures("page")
def test_figures_and_pages_count_one(minerva_home: Path) -> None:
    """The agents of `minerva stats`, the teams, all together, the failures page, and the runs.

    A run that failed went on without nothing.
    """
    with SpanStore(minerva_home) as store:
        store.refresh()
        ask = Metrics(store)
        (listed,) = ask.runs().runs
        went_on = int(listed.status == "ok_degraded")
        for by in ("agent", "team"):
            assert sum(each.failures for each in ask.figures(by)) == 1
            assert sum(each.bypasses for each in ask.figures(by)) == went_on
        totals = ask.totals()
        assert (totals.failures, totals.bypasses, totals.causes) == (1, went_on, 1)
        assert (totals.runs_with_failure, totals.runs_answered) == (1, went_on)
        (failure,) = ask.failures()
        action = "bypassed" if went_on else "stopped"
        assert (failure.kind, failure.action, failure.count) == ("agent", action, 1)
        assert [entry.count for entry in ask.overview().bypassed] == [1] * went_on
        assert (listed.failures, listed.bypasses) == (1, went_on)
        assert sum(each.failures for each in ask.calls_over_time("day")) == 1


@pytest.mark.usefixtures("page")
def test_the_list_of_runs_counts_one(minerva_home: Path) -> None:
    """From the lines, and from the files that they are compacted into."""
    before = [run.failures for run in list_runs(minerva_home).runs]
    assert compact_records(minerva_home).segments

    assert before == [run.failures for run in list_runs(minerva_home).runs] == [1]
