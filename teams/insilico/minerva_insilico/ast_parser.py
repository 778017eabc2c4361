"""`ast_parser_agent`: index a source tree, so that the others can answer."""

from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, ConfigDict

from minerva_insilico.contracts import CodeIndex, FailedFile
from minerva_insilico.core import indexer
from minerva_insilico.core.search import largest
from minerva_insilico.opening import opened, told_to_the_person
from minerva_insilico.outline import describe, list_problems
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Citation,
    Language,
    home_directory,
    read_examples,
)

_TOP = 5
_LISTED = 20


class AstParserInput(AgentInput):
    """A directory with Python sources."""

    source: Annotated[Attachment, Attachment.of("dir")]


class Changes(BaseModel):
    """What this run had to do, compared with the index of the run before."""

    model_config = ConfigDict(frozen=True)

    parsed: int
    unchanged: int
    removed: int


class AstParserOutput(AgentOutput):
    """The index, and what it took."""

    index: CodeIndex
    changes: Changes


class AstParserState(TypedDict):
    """Private: a scan, then a staged index, then a published one."""

    source: Attachment
    language: Language
    found: indexer.Scan
    staged: indexer.Staged
    indexed: indexer.Indexed
    index: CodeIndex
    changes: Changes
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]


class AstParserAgent(BaseAgent[AstParserInput, AstParserOutput]):
    """Index the Python sources of a directory without running a line of them."""

    name = "ast_parser_agent"
    description = (
        "Parses a directory of Python source code into an index and gives an overview: files,"
        " parse errors with line, the longest and most complex functions. Choose it to index,"
        " parse, outline or measure a code base."
    )
    examples = read_examples("minerva_insilico", "ast_parser_agent")
    declines = read_examples("minerva_insilico", "nobody")
    Input = AstParserInput
    Output = AstParserOutput
    state_schema = AstParserState

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Scan, parse, store, outline: one node each, so that each has its time."""
        graph = StateGraph(AstParserState)
        graph.add_node("scan", self.scan)
        graph.add_node("parse", self.parse)
        graph.add_node("store", self.store)
        graph.add_node("outline", self.outline)
        graph.add_edge(START, "scan")
        graph.add_edge("scan", "parse")
        graph.add_edge("parse", "store")
        graph.add_edge("store", "outline")
        graph.add_edge("outline", END)
        return graph

    def scan(self, state: AstParserState) -> dict[str, Any]:
        """Find what changed since the tree was indexed last."""
        with told_to_the_person():
            return {"found": indexer.scan(state["source"].path, home=home_directory())}

    def parse(self, state: AstParserState) -> dict[str, Any]:
        """Parse what changed, in a process of its own."""
        with told_to_the_person():
            return {"staged": indexer.parse(state["found"])}

    def store(self, state: AstParserState) -> dict[str, Any]:
        """Put the new index in the place of the old one."""
        with told_to_the_person():
            indexed = indexer.publish(state["staged"])
        index = CodeIndex(
            root=str(indexed.root),
            database=str(indexed.database),
            files=indexed.files,
            parsed=indexed.parsed,
            failed=tuple(
                FailedFile(path=item.path, error=item.error, line=item.line)
                for item in indexed.failed
            ),
        )
        changes = Changes(parsed=indexed.read, unchanged=indexed.unchanged, removed=indexed.removed)
        return {"indexed": indexed, "index": index, "changes": changes}

    def outline(self, state: AstParserState) -> dict[str, Any]:
        """Tell what is in the index."""
        indexed, language = state["indexed"], state["language"]
        with opened(state["index"]) as index:
            counts = dict(
                index.connection.execute("SELECT kind, count(*) FROM symbols GROUP BY kind")
            )
            longest = largest(index, by="lines", limit=_TOP)
            complex_ = largest(index, by="complexity", limit=_TOP)
        return {
            "summary": describe(indexed, counts, longest, complex_, language),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.error)
                for item in indexed.failed[:_LISTED]
            ),
            "artifacts": tuple(list_problems(indexed)),
        }
