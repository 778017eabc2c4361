"""What a run knows of the runs that its members in the background start."""

from typing import TYPE_CHECKING, Any, Protocol

from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Result, Role
from minerva_platform.contract.task import Task
from minerva_platform.routing.own_runs import RunQuestions

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent


class OwnRuns(Protocol):
    """Starts runs for members in the background."""

    async def start(
        self, agent: "BaseAgent[Any, Any]", task: Task, *, path: str, role: Role
    ) -> tuple[Result, Handoffs]:
        """Start a run that does `task`, once for each `path`; the result names it.

        It gives no hand-offs: the work is not done yet.

        Raises:
            LeaseLostError: another process goes on with this run.
            StateError: the run cannot be kept.
        """
        ...

    @property
    def questions(self) -> RunQuestions | None:
        """Answers what a router asks about them; None in such a run itself."""
        ...
