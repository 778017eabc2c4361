"""What a node returns is tried as a checkpoint would write it, while the node's name is known.

LangGraph writes a step's values in the background. An error there ends the graph later, under the
name of no node, and is lost if the graph asks a person first.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langgraph._internal._constants import CONFIG_KEY_CHECKPOINTER  # pyright: ignore[reportPrivateImportUsage]  # nothing public names it
from langgraph.types import Command, Send

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.errors import OutputError, UnkeptValueError
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.state_classes import Names, state_classes

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

_PLAIN: Final = frozenset({bool, bytes, float, int, str, type(None)})
"""Types of which every value is kept."""


class UpdateValues:
    """Refuses what no checkpoint keeps, at the step of `agent` that returns it.

    Until `write_as` is called it takes everything: a graph of one step has no checkpoint inside.
    """

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self._serializer: StrictSerializer | None = None

    def write_as(self, classes: Names) -> None:
        """Write from now on, with the classes that the states may hold."""
        self._serializer = StrictSerializer().with_msgpack_allowlist(classes)

    def check(self, node: str, answer: Any) -> None:
        """Try to write each value of what a node returned.

        Raises:
            OutputError: one cannot be kept. It names the node, the key and the type.
        """
        if self._serializer is None:
            return
        for key, value in _updates(answer):
            if type(value) in _PLAIN:
                continue
            try:
                self._serializer.dumps_typed(value)
            except UnkeptValueError as error:
                where = f"its node `{node}` returned `{key}`, which"
                again = UnkeptValueError(error.kind, error.reason, where=where)
                raise OutputError(self.agent, str(again)) from error


def _updates(answer: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a node's answer puts into a state, by keys, and what it sends, by nodes."""
    if isinstance(answer, Mapping):
        yield from cast("Mapping[str, Any]", answer).items()
    elif isinstance(answer, Send):
        yield answer.node, answer.arg
    elif isinstance(answer, Command):
        update: Any = answer.update
        is_pairs = isinstance(update, list | tuple)  # LangGraph also takes these
        yield from update if is_pairs else _updates(update)
        yield from _updates(answer.goto)
    elif isinstance(answer, list | tuple):
        for each in cast("Sequence[Any]", answer):
            yield from _updates(each)
    elif answer is not None and not isinstance(answer, str):  # a node to go to
        yield "a state", answer


def name_classes(
    graph: "CompiledStateGraph[Any, Any, Any, Any]", agent: BaseAgent[Any, Any]
) -> Names:
    """Let LangGraph know the classes of an agent's states by its types and modules; return them."""
    schemas: list[Any] = []
    code: list[Any] = [type(agent), agent.Input, agent.Output]
    inner = cast("Iterator[tuple[str, Any]]", graph.get_subgraphs(recurse=True))
    for each in (graph, *(subgraph for _, subgraph in inner)):
        schemas += each.builder.schemas
        for spec in each.builder.nodes.values():
            runnable: Any = spec.runnable
            functions = (getattr(runnable, "func", None), getattr(runnable, "afunc", None))
            code += [inspect.unwrap(found) for found in functions if inspect.isroutine(found)]
    known: Any = graph  # nothing public tells which classes it reads states back as
    names: Names = {*state_classes(schemas, code), *(known._serde_allowlist or ())}  # noqa: SLF001  # as above
    known._serde_allowlist = names  # noqa: SLF001  # as above
    return names


def refuse_unkept(config: RunnableConfig, *, own_graph: bool = False) -> None:
    """Raise what kept the state of a graph below the node of `config` from being written.

    With `own_graph`, the graph that the node is in counts, too. LangGraph raises it when the graph
    ends, and never if that asks a person: the question would come again after each answer.

    Raises:
        UnkeptValueError: no checkpoint keeps a value of it.
    """
    given = config.get("configurable", {})
    unkept = getattr(given.get(CONFIG_KEY_CHECKPOINTER), "unkept", {})
    if not unkept:
        return
    place = str(given.get("checkpoint_ns", ""))
    below = place.rpartition("|")[0] if own_graph else place
    for namespace, error in unkept.items():
        if namespace.startswith(below):
            raise error
