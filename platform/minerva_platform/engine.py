"""The runtime behind `contract.engine`, which agents find by the name of this module.

Each part is imported when it is first used: LangGraph takes a second to load.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from minerva_observability.lazy import lazy_names
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.engine import Surroundings
from minerva_platform.contract.run_object import ResumeRequest, Run, RunEvent
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
    team: Team | AssembledTeam, request: Task | ResumeRequest, around: Surroundings | None = None
) -> Run:
    """Run a team as the root, or let its run go on; failures are in the run object."""
    from minerva_platform.runtime.run_options import team_options  # noqa: PLC0415

    async with around or team_options() as options:
        return await _work(assembled_team(team), request)(options)


async def stream_team(
    team: Team | AssembledTeam, request: Task | ResumeRequest, around: Surroundings | None = None
) -> AsyncGenerator[RunEvent]:
    """Yield each span of what `run_team` does as it starts and finishes, then the run."""
    from minerva_platform.durable.events import stream_run  # noqa: PLC0415
    from minerva_platform.runtime.run_options import team_options  # noqa: PLC0415

    root = assembled_team(team)
    async with (
        around or team_options() as options,
        aclosing(stream_run(root.name, _work(root, request), options)) as events,
    ):
        async for event in events:
            yield event


def _work(
    team: AssembledTeam, request: Task | ResumeRequest
) -> Callable[[Any], Coroutine[Any, Any, Run]]:
    """Return what does a request; it gets the options of the run."""
    if isinstance(request, ResumeRequest):
        from minerva_platform.durable.run_continuation import resume_team  # noqa: PLC0415

        return partial(resume_team, team, request.run_id, request.batch)
    from minerva_platform.durable.incoming_request import ask_team  # noqa: PLC0415

    return partial(ask_team, team, request)
