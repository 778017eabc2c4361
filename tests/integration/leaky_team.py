"""A team whose workers do with secrets what they should not, each in a way of its own.

It is copied into a folder of its own and found there by its entry point, as an installed team.
"""

import logging
import os
from typing import Annotated, Any, ClassVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Decision,
    Handoff,
    Team,
)
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.models.model import Model
from minerva_platform.routing import Goal, RoutingView

CANARIES = {
    "message": "sk-canary-message-7700001",
    "cause": "ghp_canary0cause0canary0770002",
    "context": "eyJcanarycontext7.eyJcanarycontext7.canarysign770003",
    "note": "AKIACANARY0NOTE77004",
    "class": "sk-canary-class-7700005",
    "node": "sk-canary-node-7700006",
    "tool": "sk-canary-tool-7700007",
    "tool argument": "glpat-canaryargument7700008",
    "model name": "sk-canary-model-7700009",
    "model client": "xoxb-canary-client-7700010",
    "model answer": "sk-canary-echo-7700011",
    "router": "postgresql://me:canary-router-7700012@db/x",
    "decision": "sk-canary-decision-7700013",
    "hand-off": "sk-canary-handoff-7700014",
    "reason": "hf_canary0reason0canary7700015",
    "log": "password='canary log 7700016'",
    "bearer": "Authorization: Bearer canary.bearer.7700017",
    "declared": "홍길동 canary 특이 체질 7700018",
    "resident number": "850101-1770019",
    "attachment": "sk-canary-attachment-7700020",
    "file name": "sk-canary-file-7700021",
    "request": "the canary of my words 7700022",
    "thread": "ghp_canary0thread0canary7700023",
    "option": "sk-canary-option-7700024",
    "environment": "canary of the environment 7700025",
    "address": "canary-address-7700026",
    "late": "canary set late 7700027",
    "cut": "-----BEGIN PRIVATE KEY-----\n" + "canarycanary7700028\n" * 3_000,
    "model key": "canary-key-of-the-model-7700029",
}
"""One for each way in, by its name."""
ENVIRONMENT = {
    "SOMETHING_TOKEN": CANARIES["environment"],
    "DATABASE_URL": f"postgresql://me:{CANARIES['address']}@db/x",
    "OPENAI_API_KEY": CANARIES["model key"],
}


class Told(Handoff):
    """Says that the sensitive field is known by now."""

    kind: ClassVar[str] = "leaky.told"


class LeakyState(TypedDict):
    """The request and the Output's fields."""

    request: str
    attachments: tuple[Attachment, ...]
    summary: str
    artifacts: tuple[Artifact, ...]
    history: str
    told: Told


class LeakyInput(AgentInput):
    """What a worker gets."""

    attachments: Annotated[tuple[Attachment, ...], Attachment.of("*.txt")] = ()


class LeakyOutput(AgentOutput):
    """What a worker gives."""

    history: str = ""


class DisclosesOutput(LeakyOutput):
    """What the one gives whom others wait for."""

    told: Told


class QuotesInput(LeakyInput):
    """What a worker gets that waits."""

    told: Told


class Leaky(BaseAgent[LeakyInput, LeakyOutput]):
    """Breaks, telling a secret."""

    name = "message"
    sensitive = ("history",)

    def __init__(self) -> None:
        self.description = f"Tells a secret by {self.name}."
        self.examples = tuple(f"{self.name} number {n}" for n in range(10))

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of one node."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(LeakyState)
        graph.add_node("work", self.step)
        graph.add_edge(START, "work")
        return graph

    def step(self, state: LeakyState) -> dict[str, Any]:
        """Break."""
        message = f"{self.told(state)} is refused"
        raise ValueError(message)

    def told(self, state: LeakyState) -> str:  # noqa: ARG002  # others look at it
        """Return what it tells."""
        return CANARIES[self.name]


class Chained(Leaky):
    """Breaks with notes, a cause and a context, and logs all of it."""

    name = "chained"

    def step(self, state: LeakyState) -> dict[str, Any]:  # noqa: ARG002  # others look at it
        """Break."""
        try:
            try:
                raise KeyError(CANARIES["context"])  # noqa: TRY301  # see above
            except KeyError:
                raise LookupError(CANARIES["cause"])  # noqa: B904  # the context is the point
        except LookupError as cause:
            error = type(f"{CANARIES['class']}Error", (ValueError,), {})("it broke")
            error.add_note(CANARIES["note"])
            try:
                raise error from cause
            except ValueError:
                logging.getLogger("leaky").exception("%s", CANARIES["log"])
                logging.getLogger("leaky").warning(CANARIES["bearer"], extra={"key": "value"})
                raise


class Discloses(Leaky):
    """Answers with a sensitive field, which the person may read and the records may not hold."""

    name = "declared"
    Output = DisclosesOutput

    def step(self, state: LeakyState) -> dict[str, Any]:
        """Answer."""
        report = Artifact(name="report.md", media_type="text/markdown", content=self.told(state))
        return {
            "summary": "done",
            "history": self.told(state),
            "artifacts": (report,),
            "told": Told(),
        }


class Quotes(Leaky):
    """Breaks over what it and others were given."""

    name = "quotes"
    Input = QuotesInput
    sensitive = ("request",)

    def told(self, state: LeakyState) -> str:
        """Return all there is."""
        os.environ["LATE_SECRET"] = CANARIES["late"]
        files = [f"{item.path}: {item.path.read_text()}" for item in state["attachments"]]
        known = [CANARIES[name] for name in ("declared", "resident number", "late", "cut")]
        return " ".join([*files, *map(os.environ.__getitem__, ENVIRONMENT), *known])


class Repeats(Quotes):
    """Breaks over the request, which it calls sensitive."""

    name = "repeats"

    def told(self, state: LeakyState) -> str:
        """Return the request."""
        return repr(state["request"])


class Unfit(Leaky):
    """Returns what is no Output, and names it after a secret."""

    name = "unfit"

    def step(self, state: LeakyState) -> dict[str, Any]:  # noqa: ARG002  # others look at it
        """Return nonsense."""
        return {CANARIES["hand-off"]: 1, "summary": {CANARIES["hand-off"]: 1}}


MODELS: list[Model] = []
"""Kept as a platform keeps its models: their connections close with the loop."""


class Asks(Leaky):
    """Asks the model, whose server repeats what it was sent."""

    name = "asks"

    async def step(self, state: LeakyState) -> dict[str, Any]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # a node may be async
        """Ask."""
        model = Model(ModelSpec(name="openai:m1", base_url=os.environ["LEAKY_MODEL"]))
        MODELS.append(model)
        await model.chat.ainvoke(f"{CANARIES['model answer']} {state['request']}")
        return {"summary": "never"}


class BrokenChat(BaseChatModel):
    """A model that is not ours, and fails loudly."""

    def _generate(self, *_: Any, **__: Any) -> Any:
        message = f"no route with {CANARIES['model client']}"
        raise ConnectionError(message)

    @property
    def _llm_type(self) -> str:
        return "broken"

    def _get_ls_params(self, *_: Any, **__: Any) -> Any:
        return {"ls_model_name": CANARIES["model name"]}


def hostile_graph() -> Any:
    """Return somebody's compiled graph whose nodes, tools and models are called after secrets."""

    def length(text: str) -> int:
        return len(text)

    tool = StructuredTool.from_function(length, name=CANARIES["tool"], description="Counts.")

    def call(state: LeakyState, config: RunnableConfig) -> dict[str, Any]:  # noqa: ARG001  # a node takes the state
        tool.invoke({"text": CANARIES["tool argument"]}, config)
        BrokenChat().invoke([HumanMessage(CANARIES["tool argument"])], config)
        return {"summary": "never"}

    graph: StateGraph[Any, Any, Any, Any] = StateGraph(LeakyState)
    graph.add_node(CANARIES["node"], call)
    graph.add_edge(START, CANARIES["node"])
    return agent_from_graph(graph.compile(), name="hostile", description="Is somebody else's.")


class WordRouter:
    """Calls the members whose names are words of the request."""

    async def decide(self, view: RoutingView) -> Decision:
        """Return them in their usual order, with more said than is good."""
        words = view.request.split()
        names = [card.name for card in view.members if card.name in words]
        goals = tuple(Goal(member=name, request=view.request) for name in names)
        return Decision(
            goals=goals,
            finish=bool(goals),
            router=CANARIES["reason"],
            scores={**dict.fromkeys(names, 1.0), CANARIES["decision"]: 0.5},
            fallback=f"{CANARIES['class']}: {CANARIES['router']}",
        )


class BrokenRouter:
    """Breaks over its own address."""

    async def decide(self, view: RoutingView) -> Decision:
        """Break."""
        message = f"{CANARIES['router']} does not answer about {view.request}"
        raise ConnectionError(message)


class LeakyTeam(Team):
    """All of them, in one run."""

    name = "leaky"
    description = "Tells secrets."

    def __init__(self) -> None:
        lost = Team(name="lost", description="Has no way.", members=(Leaky,), router=BrokenRouter())
        workers = (Discloses, Leaky, Chained, Quotes, Repeats, Unfit, Asks, hostile_graph(), lost)
        super().__init__(members=workers, router=WordRouter())
