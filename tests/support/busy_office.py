"""A team to which everything happens, and what counts it."""

from typing import Any

from front_desk import led_by
from langgraph.types import interrupt
from pydantic import BaseModel

from minerva_observability.testing import ManualClock
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Decision, Team
from minerva_platform.contract.router import Goal, RoutingView
from minerva_platform.errors import ModelUnavailableError
from minerva_platform.models.fallback import assist
from minerva_platform.testing import StubAgent


class Guess(BaseModel):
    """What a model is asked for."""

    word: str = "none"


class Gone:
    """A model that does not answer."""

    name = "openai:gone"

    def __init__(self, reason: str) -> None:
        self.reason = reason

    async def ask(self, prompt: str, **_: Any) -> Any:
        """Raise."""
        raise ModelUnavailableError(self.name, prompt, self.reason)


def helped(name: str, reason: str) -> StubAgent:
    """Return a worker that does without its model."""

    async def guess(_: Any) -> None:
        model: Any = Gone(reason)
        await assist(model, name, schema=Guess, instead=Guess(), is_whole=False)

    return StubAgent(name, behave=guess)


class Apart(BaseAgent[AgentInput, AgentOutput]):
    """Works in a process of its own."""

    name = "apart"
    description = "Works alone."
    examples = ("work alone", "be alone")
    isolation = "process"

    def work(self, given: AgentInput) -> AgentOutput:
        """Answer."""
        return AgentOutput(summary=given.request)


class Named:
    """Asks the members that the request names, and is asked once more when they have answered."""

    async def decide(self, view: RoutingView) -> Decision:
        """Return them, or the end."""
        if view.results:
            return Decision(finish=True, router="named")
        goals = [Goal(member=name, request=view.request) for name in view.request.split()]
        return Decision(goals=tuple(goals), router="named")


def office(day: ManualClock, url: str) -> Team:
    """Return a team whose workers take the time of `day`."""

    def spending(name: str, ms: float, *, fails: bool = False) -> StubAgent:
        def spend(_: Any) -> None:
            day.advance(ms)
            if fails:
                message = f"{name} has lost its key"
                raise ValueError(message)

        return StubAgent(name, behave=spend)

    def ask(_: Any) -> dict[str, str]:
        day.advance(30)
        answer = interrupt("may I?")
        day.advance(50)
        return {"summary": str(answer)}

    reviewer = spending("reviewer", 150)
    reviewer.background = True
    members = [
        spending("packer", 100),
        led_by(url, spending("helper", 60), name="lead"),
        reviewer,
        StubAgent("asker", behave=ask),
        spending("flaky", 10, fails=True),
        spending("spare", 20),
        spending("broken", 10, fails=True),
        helped("guesser", "it cannot be reached (ConnectError)."),
        Apart(),
    ]
    return Team(
        name="office",
        description="…",
        members=members,
        router=Named(),
        substitutes={"flaky": "spare"},
    )


def shown(page: str, name: str, *labels: str) -> float:
    """Add up the series of a metric that have all of the labels."""
    lines = [line for line in page.splitlines() if line.startswith(f"{name}{{")]
    wanted = [line for line in lines if all(label in line for label in labels)]
    return sum(float(line.rpartition(" ")[2]) for line in wanted)
