"""`ToolAgent`: a worker whose model calls tools, its own and those of servers (MCP).

    class WikiAgent(ToolAgent):
        name, description = "wiki_agent", "Finds and deletes pages of the wiki."
        examples = ("find the page about leave", …)
        tools = (today,)                  # functions, or tools of LangChain
        mcp = ("wiki",)                   # as `mcp:` in configs/teams/<team>.yaml calls it
        review = ("delete_page",)         # a person decides about each call

The worker is an agent of LangChain's `create_agent`. A call that fails is an error that the model
reads; it costs no other call its answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, tool

from minerva_platform.agents.graph_agent import GraphAgent
from minerva_platform.config.mcp_spec import McpServerSpec
from minerva_platform.config.settings import TeamSettings
from minerva_platform.contract.agent import AgentInput, AgentOutput
from minerva_platform.errors import McpServerError, NoModelError
from minerva_platform.run_context.recorded_failures import note_without

try:
    from langchain import agents
except ImportError as error:
    message = (
        "`ToolAgent` is an agent of LangChain, which is not installed; type: pip install "
        "'minerva-platform[agents]', or with servers of tools: 'minerva-platform[mcp]'"
    )
    raise ImportError(message) from error

from minerva_platform.tools.middleware import EVERY_TOOL, ToolsMiddleware

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from minerva_platform.tools.toolbox import Toolbox

_RESERVED: Final = frozenset({"FINISH", "finish", "list_agents", "task", "think"})
"""Names of tools that lead a team. A model that knows them would take one for the other."""
_INSTALL: Final = "type: pip install 'minerva-platform[mcp]'"


class ToolAgent(GraphAgent):
    """A worker that lets its model call tools. Without a model it fails with a sentence.

    The model reads at most 8,000 characters of an answer. A server that cannot be used costs its
    tools, and the run is `ok_degraded`. Sessions with servers are opened at their first use in a
    run, and closed with it.
    """

    Input = AgentInput
    Output = AgentOutput

    tools: Sequence[BaseTool | Callable[..., Any]] = ()
    """Its own tools: functions with a docstring, sync or async, or tools of LangChain."""
    mcp: Sequence[str] = ()
    """The servers whose tools it has, by their names in `mcp:` of its team's file."""
    review: Sequence[str] = ()
    """Names of tools about whose calls a person decides before they are made; `"*"`: of all."""
    instructions: str = ""
    """What its model is told before each request."""
    servers: Mapping[str, McpServerSpec] = {}
    """The servers by name, if they are given in code. What the team's file says goes before it."""
    team: str = ""
    """The team whose file was read; empty if none was."""
    neighbours: Sequence[str] = ()
    """The members of its team. No server's tool may be called like one."""

    def take_settings(self, settings: TeamSettings, *, team: str, members: Sequence[str]) -> None:
        """Take the servers that the team's file names."""
        self.team, self.neighbours = team, members
        self.servers = {**self.servers, **settings.mcp}

    def declaration_problems(self) -> Iterator[str]:
        """Yield what would keep it from working as it is declared."""
        for name, attribute in (("mcp", self.mcp), ("review", self.review)):
            if isinstance(attribute, str):
                yield f'its `{name}` is one text; write a tuple: {name} = ("{attribute}",).'
                return
        for name in self._unknown:
            yield f"it names the MCP server `{name}`, which is not in {self._way_to_name(name)}"
        if self.mcp and find_spec("mcp") is None:
            yield f"it names MCP servers; {_INSTALL}."
        for name in sorted({name for name in self.own_names if self.own_names.count(name) > 1}):
            yield f"it has several tools called `{name}`; rename one."
        for name in self.review:
            if not self.mcp and name not in {EVERY_TOOL, *self.own_names}:
                has = ", ".join(f"`{own}`" for own in self.own_names) or "none"
                yield f"its `review` names `{name}`, which is no tool of it (it has {has})."
        if self.isolation == "process":
            yield 'its model chooses tools, and its process asks none; set isolation = "none".'

    @property
    def _unknown(self) -> list[str]:
        return [name for name in dict.fromkeys(self.mcp) if name not in self.servers]

    def _way_to_name(self, name: str) -> str:
        """Return the file that should name a server, and what to write there."""
        file = f"configs/teams/{self.team or '<team>'}.yaml"
        return f"{file}; write there `mcp: {{{name}: {{command: […]}}}}`, or `url: …`."

    @cached_property
    def own_tools(self) -> tuple[BaseTool, ...]:
        """Its own tools, as LangChain's."""
        return tuple(one if isinstance(one, BaseTool) else tool(one) for one in self.tools)

    @property
    def own_names(self) -> list[str]:
        """The names of its own tools."""
        return [one.name for one in self.own_tools]

    @cached_property
    def compiled(self) -> "CompiledStateGraph[Any, Any, Any, Any]":
        """The agent of LangChain. No clock runs yet when it is made, so `mcp` is loaded here."""
        if self.mcp and find_spec("mcp") is not None:
            import_module("minerva_platform.tools.toolbox")
        made: Any = agents.create_agent(
            _NoModel(),
            tools=list(self.own_tools),
            middleware=[ToolsMiddleware(self)],
            system_prompt=self.instructions or None,
            name=self.name,
        )
        return made  # type: ignore[no-any-return]  # partly typed

    def chat_model(self) -> BaseChatModel:
        """Return the model that chooses.

        Raises:
            NoModelError: it has none.
        """
        if self.model is None:
            raise NoModelError(self.name, self.team)
        return self.model.chat

    def toolbox(self) -> "Toolbox | None":
        """Return its servers; None if it has none that could be asked. What is missing is noted."""
        for name in self._unknown:
            reason = f"is not in {self._way_to_name(name)}"
            note_without(McpServerError(self.name, name, "", reason), node=name)
        known = {name: self.servers[name] for name in self.mcp if name in self.servers}
        if not known:
            return None
        if find_spec("mcp") is None:
            reason = f"needs a package that is not installed; {_INSTALL}."
            for name in known:
                note_without(McpServerError(self.name, name, self.team, reason), node=name)
            return None
        from minerva_platform.tools.toolbox import Toolbox  # noqa: PLC0415  # mcp takes a second

        reserved = {self.name, *self.neighbours, *_RESERVED}
        return Toolbox(self.name, self.team, known, self.own_names, reserved)


class _NoModel(BaseChatModel):
    """Stands where the agent's model will be, which configuration sets later or never."""

    @property
    def _llm_type(self) -> str:
        return "none"

    def _generate(self, messages: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError
