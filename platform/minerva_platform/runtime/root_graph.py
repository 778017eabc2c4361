"""The graph of the team that was asked: begun, gone on with, and read while it waits.

Its state says what comes next. So a run that was cut off anywhere goes on by the same call.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphBubbleUp

from minerva_platform.calls.context import current_run
from minerva_platform.calls.deadline import within
from minerva_platform.calls.error_info import error_to_reason_info
from minerva_platform.calls.failure_text import failure_text
from minerva_platform.calls.questions import Answer
from minerva_platform.contract.result import Bypass, Reason, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.errors import (
    AgentTimeoutError,
    LeaseLostError,
    OtherTeamsError,
    StateBusyError,
    StateError,
)
from minerva_platform.runtime.answering import answering_config, host_answers
from minerva_platform.runtime.border.firewall import convert_in
from minerva_platform.runtime.pending import classes_in, find_missing
from minerva_platform.runtime.so_far import in_order_of_calls, output_so_far

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import Interrupt, StateSnapshot

    from minerva_platform.contract.team import Team


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run has come to: its output, so far if questions are `asked`."""

    output: TeamOutput
    asked: "tuple[Interrupt[Any], ...]" = ()
    is_cut_off: bool = False
    """True if its state could not be kept; with a database that works it can go on."""


class RootGraph:
    """The graph of `team` in one run; `run_id` is LangGraph's thread, None inside a host's."""

    def __init__(
        self, team: "Team", checkpointer: "BaseCheckpointSaver[Any] | None", run_id: str | None
    ) -> None:
        self.team, self.checkpointer, self.run_id = team, checkpointer, run_id
        self.is_kept = checkpointer is not None
        self.graph: Any = team.graph
        if checkpointer is not None:
            self.graph = team.graph.copy({"checkpointer": checkpointer})
        self.config: Any = None if run_id is None else {"configurable": {"thread_id": run_id}}

    async def state(self, *, below: bool = False) -> "StateSnapshot":
        """Return the state as it is kept; `below` says that of the teams below, too."""
        found: StateSnapshot = await self.graph.aget_state(self.config, subgraphs=below)
        return found

    async def begin(self, task: Task, *, seconds: float) -> Stop:
        """Run the graph on `task` until it ends or waits. Its failures are in the output.

        Raises:
            LeaseLostError: another process goes on with this run.
        """
        store = current_run().store
        return await self._run(partial(convert_in, self.team, task, store), task, seconds)

    async def go_on(self, decided: Mapping[str, Answer], task: Task, *, seconds: float) -> Stop:
        """Go on from the kept state, with what was decided by the ids of its questions.

        Raises:
            LeaseLostError: another process goes on with this run.
            OtherTeamsError: the teams that are there now lack what the run has left to do.
        """
        state = await self.state()
        if state.created_at is None:  # cut off before anything was kept
            return await self.begin(task, seconds=seconds)
        await self._refuse_other_teams()
        if not state.tasks:  # cut off after its last step; `next` leaves out what has written
            return Stop(self.team.state_to_output(state.values))
        asked = {item.id: item for item in state.interrupts if item.id in decided}
        questions = current_run().questions
        questions.given = asked
        questions.answers.update(decided)
        questions.wait_on(state.interrupts, decided)
        return await self._run(lambda: None, task, seconds)

    async def _refuse_other_teams(self) -> None:
        if self.checkpointer is None or self.run_id is None:
            return
        checkpointer = self.checkpointer.with_allowlist(classes_in(self.team))
        kept = [item async for item in checkpointer.alist(self.config)]
        missing = find_missing(self.team, kept)
        if missing is not None:
            raise OtherTeamsError(self.run_id, missing.path, missing.what)

    async def _run(self, given: Callable[[], Any], task: Task, seconds: float) -> Stop:
        team = self.team
        try:
            final = await within(self._invoked(given()), seconds=seconds, path=team.name)
            if "__interrupt__" not in final:
                return Stop(team.state_to_output(final))
        except (LeaseLostError, GraphBubbleUp):  # the latter only from an inner run
            raise
        except (AgentTimeoutError, StateBusyError) as error:
            return await self._failed("deadline", error, task)
        except Exception as error:  # noqa: BLE001  # after any failure the person gets a run object
            return await self._failed("internal_error", error, task)
        return await self._waiting(final, task)

    async def _invoked(self, given: Any) -> Any:
        if self.config is not None:
            return await self.graph.ainvoke(given, answering_config(self.config))
        async with host_answers():
            return await self.graph.ainvoke(given)

    async def _waiting(self, final: Mapping[str, Any], task: Task) -> Stop:
        asked: Sequence[Interrupt[Any]] = final["__interrupt__"]
        if not self.is_kept:
            return Stop(output_so_far(self.team, task, final, ()), tuple(asked))
        state = await self.state(below=True)
        output = output_so_far(self.team, task, state.values, state.tasks)
        return Stop(output, in_order_of_calls(asked, state.tasks))

    async def _failed(self, reason: Reason, error: Exception, task: Task) -> Stop:
        """Return the failure. Questions that were asked beside it are not lost by it.

        A run whose time is up asks nobody: it could do nothing with the answer.
        """
        info = error_to_reason_info(reason, error)
        is_cut_off = isinstance(error, StateError)
        if self.is_kept and reason != "deadline" and not is_cut_off:
            state = await self.state(below=True)
            given = current_run().questions.given
            asked = tuple(item for item in state.interrupts if item.id not in given)
            if asked:
                output = output_so_far(self.team, task, state.values, state.tasks)
                cause = failure_text(info, task.language)
                entry = Bypass(path=self.team.name, cause=cause, action="bypassed")
                update = {"bypassed": (*output.bypassed, entry)}
                told = output.model_copy(update=update)
                return Stop(told, in_order_of_calls(asked, state.tasks))
        output = TeamOutput(status="failed", reason=reason, error=info)
        return Stop(output, is_cut_off=is_cut_off)
