"""`docstring_agent`: how much is documented, what is not, and drafts for it."""

import re
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, ConfigDict

from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.coverage import Coverage, coverage, coverage_by_file, undocumented
from minerva_insilico.core.drafting import Drafts, draft_docstrings
from minerva_insilico.core.index import Page, SymbolRef
from minerva_insilico.core.question import read_question
from minerva_insilico.core.search import named_exactly
from minerva_insilico.core.usage import is_used
from minerva_insilico.coverage_answer import DRAFTED, Report, answer, artifacts
from minerva_insilico.opening import opened
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Citation,
    Language,
    read_examples,
)

_CITED = 20
_ASKS_FOR_DRAFTS = re.compile(
    r"\bdraft|\bwrite\b|\bgenerat|\bsuggest|\bpropos|\badd\b|\bfill|초안|작성|써\s*줘|만들어|추가|제안"
    r"|채워|달아",
    re.IGNORECASE,
)


class DocstringInput(AgentInput):
    """An index; the request may name a file or a symbol."""

    index: CodeIndex


class CoverageCount(BaseModel):
    """Definitions with and without a docstring; percent has one decimal."""

    model_config = ConfigDict(frozen=True)

    total: int
    covered: int
    missing: int
    percent: float


class MissingDocstring(BaseModel):
    """A definition without a docstring."""

    model_config = ConfigDict(frozen=True)

    qualname: str
    kind: str
    path: str
    line: int


class DocstringDraft(BaseModel):
    """A docstring that states only what the signature proves."""

    model_config = ConfigDict(frozen=True)

    qualname: str
    path: str
    line: int
    docstring: str


class DocstringOutput(AgentOutput):
    """Coverage, what is missing (`missing_total` counts those cut), and drafts if asked for."""

    coverage: CoverageCount
    missing: tuple[MissingDocstring, ...] = ()
    missing_total: int = 0
    truncated: bool = False
    drafts: tuple[DocstringDraft, ...] = ()


class DocstringState(TypedDict):
    """Private: the selection, its count, and the drafts."""

    request: str
    language: Language
    index: CodeIndex
    under: str
    selected: Page[SymbolRef]
    named: tuple[SymbolRef, ...]
    counted: Coverage
    by_file: dict[str, Coverage]
    drafted: Drafts | None
    coverage: CoverageCount
    missing: tuple[MissingDocstring, ...]
    missing_total: int
    truncated: bool
    drafts: tuple[DocstringDraft, ...]
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]


class DocstringAgent(BaseAgent[DocstringInput, DocstringOutput]):
    """Report docstring coverage; offer drafts as a patch, never write them."""

    name = "docstring_agent"
    description = (
        "Measures docstring coverage of indexed Python code, lists undocumented functions, classes"
        " and modules, and drafts docstrings as a patch. Choose it for documentation of code."
    )
    examples = read_examples("minerva_insilico", "docstring_agent")
    aspects = ("draft", "초안")
    declines = read_examples("minerva_insilico", "nobody")
    Input = DocstringInput
    Output = DocstringOutput
    state_schema = DocstringState
    presents = (CodeIndex.kind,)

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Select, count, draft if the request asks for drafts, report."""
        graph = StateGraph(DocstringState)
        graph.add_node("select", self.select)
        graph.add_node("count", self.count)
        graph.add_node("draft", self.draft)
        graph.add_node("report", self.report)
        graph.add_edge(START, "select")
        graph.add_edge("select", "count")
        graph.add_conditional_edges("count", _after_count, {"draft": "draft", "report": "report"})
        graph.add_edge("draft", "report")
        graph.add_edge("report", END)
        return graph

    def select(self, state: DocstringState) -> dict[str, Any]:
        """Find the file, folder or symbols which the request names."""
        with opened(state["index"]) as index:
            question = read_question(
                state.get("request", ""), is_known=lambda name: is_used(index, name)
            )
            paths = [path for path in question.paths if coverage(index, under=path).total]
            named = tuple(
                symbol for name in question.names for symbol in named_exactly(index, name)
            )
        return {"under": paths[0] if paths else "", "named": named}

    def count(self, state: DocstringState) -> dict[str, Any]:
        """Count by the rule of interrogate."""
        with opened(state["index"]) as index:
            counted = coverage(index, under=state["under"])
            by_file = coverage_by_file(index, under=state["under"])
            selected = undocumented(index, under=state["under"])
        missing = tuple(
            MissingDocstring(qualname=item.qualname, kind=item.kind, path=item.path, line=item.line)
            for item in selected.items
        )
        return {
            "counted": counted,
            "by_file": by_file,
            "selected": selected,
            "coverage": CoverageCount(
                total=counted.total,
                covered=counted.covered,
                missing=counted.missing,
                percent=counted.percent,
            ),
            "missing": missing,
            "missing_total": selected.total,
            "truncated": selected.truncated,
        }

    def draft(self, state: DocstringState) -> dict[str, Any]:
        """Draft for the named symbols, else for all that lack a docstring."""
        named = [symbol for symbol in state["named"] if not symbol.documented]
        wanted = named if state["named"] else list(state["selected"].items[:DRAFTED])
        with opened(state["index"]) as index:
            drafted = draft_docstrings(index, wanted)
        drafts = tuple(
            DocstringDraft(
                qualname=item.symbol.qualname,
                path=item.symbol.path,
                line=item.symbol.line,
                docstring=item.docstring,
            )
            for item in drafted.drafts
        )
        return {"drafted": drafted, "drafts": drafts}

    def report(self, state: DocstringState) -> dict[str, Any]:
        """Write the count, the worst files, what is missing and the drafts."""
        report = Report(
            index=state["index"],
            under=state["under"],
            counted=state["counted"],
            by_file=state["by_file"],
            selected=state["selected"],
            is_named=bool(state["named"]),
            drafted=state.get("drafted"),
        )
        return {
            "summary": answer(report, state["language"]),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.qualname)
                for item in report.selected.items[:_CITED]
            ),
            "artifacts": tuple(artifacts(report)),
        }


def _after_count(state: DocstringState) -> str:
    return "draft" if _ASKS_FOR_DRAFTS.search(state.get("request", "")) else "report"
