"""The runtime behind `contract.engine`, which agents find by the name of this module.

Each part is imported when it is first used: LangGraph takes a second to load.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.engine import Surroundings
from minerva_platform.contract.run_object import DecisionBatch, Run, RunEvent
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team

# ruff: noqa: PLC0414  # these names are for others, as those of a package

if TYPE_CHECKING:
    from minerva_platform.models.fallback import assist as assist
    from minerva_platform.run_context.blocking import run_sync as run_sync
    from minerva_platform.runtime.member_call import run_standalone as run_standalone
    from minerva_platform.runtime.recorded_nodes import (
        compile_recorded as compile_recorded,
        one_step_graph as one_step_graph,
    )
    from minerva_platform.runtime.run_options import team_options as team_options
    from minerva_platform.runtime.state import first_state as first_state
    from minerva_platform.runtime.supervisor import build_supervisor as build_supervisor
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)


def assembled_team(team: Team | AssembledTeam) -> AssembledTeam:
    """Return a declared team as it runs by itself; made once, and anew once it has changed."""
    if isinstance(team, AssembledTeam):
        return team
    from minerva_platform.assembly.assemble import assembled_alone  # noqa: PLC0415

    return assembled_alone(team)


async def run_team(
    team: Team | AssembledTeam, task: Task, around: Surroundings | None = None
) -> Run:
    """Run a team as the root and return the run object. Failures are in it."""
    from minerva_platform.durable.incoming_request import ask_team  # noqa: PLC0415
    from minerva_platform.runtime.run_options import team_options  # noqa: PLC0415

    async with around or team_options() as options:
        return await ask_team(assembled_team(team), task, options)


async def stream_team(
    team: Team | AssembledTeam,
    task: Task,
    around: Surroundings | None = None,
    *,
    limits: RunLimits | None = None,
) -> AsyncGenerator[RunEvent]:
    """Yield each span of a run of `team` as it starts and finishes, then the run."""
    from minerva_platform.durable import incoming_request  # noqa: PLC0415
    from minerva_platform.runtime.run_options import team_options  # noqa: PLC0415

    async with (
        around or team_options(limits=limits) as options,
        aclosing(incoming_request.stream_team(assembled_team(team), task, options)) as events,
    ):
        async for event in events:
            yield event


async def resume_team(
    team: Team | AssembledTeam, run_id: str, batch: DecisionBatch, around: Surroundings
) -> Run:
    """Move on a run of a team, and return the run object."""
    from minerva_platform.durable import run_continuation  # noqa: PLC0415

    async with around as options:
        return await run_continuation.resume_team(assembled_team(team), run_id, batch, options)


async def stream_resumed_team(
    team: Team | AssembledTeam, run_id: str, batch: DecisionBatch, around: Surroundings
) -> AsyncGenerator[RunEvent]:
    """Yield each span of a run that goes on as it starts and finishes, then the run."""
    from minerva_platform.durable import run_continuation  # noqa: PLC0415

    async with around as options:
        stream = run_continuation.stream_resumed_team(assembled_team(team), run_id, batch, options)
        async with aclosing(stream) as events:
            async for event in events:
                yield event
