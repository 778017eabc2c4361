"""`docstring_agent`: how much is documented, what is not, and drafts for it."""

from dataclasses import dataclass, replace
from typing import Any

from langgraph.graph import START, StateGraph
from pydantic import BaseModel

from minerva_insilico.answers.coverage import Report, answer, artifacts
from minerva_insilico.answers.missing_files import with_limits
from minerva_insilico.answers.prose import (
    MAX_DEFINITIONS,
    NOTHING,
    SYSTEM,
    Prose,
    agreeing,
    prompt_for,
    words_of,
)
from minerva_insilico.answers.unused_words import unused_restrictions
from minerva_insilico.contracts import (
    MAX_LIMITED,
    CodeIndex,
    DocstringCoverage,
    UndocumentedDefinition,
)
from minerva_insilico.core.docstrings.coverage import (
    CountRule,
    Coverage,
    coverage,
    coverage_by_file,
    find_missing,
)
from minerva_insilico.core.docstrings.docstyle import STYLES, Style
from minerva_insilico.core.docstrings.drafting import Drafts, draft_docstrings
from minerva_insilico.core.fields.usage import is_used
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_insilico.core.queries.name_question import read_name_question
from minerva_insilico.core.queries.nearest import refuse_paths, refuse_unknown
from minerva_insilico.core.queries.symbol import named_exactly
from minerva_insilico.steps.open_index import opened
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Citation, Shown, WorkerState
from minerva_platform.text import read_examples, read_words

_MAX_CITED = 20
_WORDS = read_words("minerva_insilico.core.queries", "docstring_question")


class DocstringInput(AgentInput):
    """An index; the request may name a file or a symbol."""

    index: CodeIndex


class CoverageCount(BaseModel, frozen=True):
    """Definitions with and without a docstring that says something; percent has one decimal.

    It is None where there is nothing to measure.
    """

    total: int
    covered: int
    missing: int
    percent: float | None
    filler: int = 0
    """How many of the missing have a docstring that says nothing but the name."""


class MissingDocstring(BaseModel, frozen=True):
    """A definition without a docstring."""

    qualname: str
    kind: str
    path: str
    line: int


class DocstringDraft(BaseModel, frozen=True):
    """A docstring in a model's words; its names, types and structure are the source's."""

    qualname: str
    path: str
    line: int
    docstring: str


class DocstringOutput(AgentOutput):
    """Coverage, what is missing (`missing_total` counts those cut), and drafts.

    There are drafts only if the request asks for some and the run has a model.
    """

    coverage: CoverageCount
    docstrings: DocstringCoverage
    missing: tuple[MissingDocstring, ...] = ()
    missing_total: int = 0
    truncated: bool = False
    drafts: tuple[DocstringDraft, ...] = ()


@dataclass(frozen=True)
class DocstringQuestion:
    """A person's question about docstrings."""

    drafts: bool
    """True if docstrings are to be drafted, not only counted."""
    rule: CountRule
    """The definitions that need a docstring."""
    style: Style | None
    """The style of the drafts. None for the style in use."""


class DocstringState(WorkerState):
    """Private: the selection, its count, and the drafts."""

    index: CodeIndex
    under: str
    question: DocstringQuestion
    selected: Page[SymbolRef]
    named: tuple[SymbolRef, ...]
    counted: Coverage
    by_file: dict[str, Coverage]
    drafted: Drafts | None
    coverage: CoverageCount
    docstrings: DocstringCoverage
    missing: tuple[MissingDocstring, ...]
    missing_total: int
    truncated: bool
    drafts: tuple[DocstringDraft, ...]


class DocstringAgent(BaseAgent[DocstringInput, DocstringOutput]):
    """Report docstring coverage; offer drafts as a patch, never write them."""

    name = "docstring_agent"
    description = (
        "Measures docstring coverage of indexed Python code, lists undocumented functions, classes"
        " and modules, and with a model drafts docstrings as a patch. Choose it for documentation"
        " of code."
    )
    examples = read_examples("minerva_insilico", "docstring_agent")
    aspects = read_words("minerva_insilico.agents", "aspects")["docstring_agent"]
    declines = read_examples("minerva_insilico", "declined")
    presents = (CodeIndex.kind,)

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Select, count, draft if the request asks for it and there is a model, report."""
        graph = StateGraph(DocstringState)
        graph.add_edge(START, "select")
        if self.model is None:
            return graph.add_sequence([self.select, self.count, self.report])
        graph.add_sequence([self.select, self.count])
        graph.add_sequence([self.draft, self.report])
        graph.add_conditional_edges("count", _after_count, ["draft", "report"])
        return graph

    def select(self, state: DocstringState) -> dict[str, Any]:
        """Find what the request names: a file, a folder, symbols, a style, the public ones."""
        request = state.get("request", "")
        with opened(state["index"], state["language"]) as index:
            names = read_name_question(request, is_known=lambda name: is_used(index, name))
            refuse_paths(index, names.paths)
            refuse_unknown(index, names, names.names or names.missing, is_found=False)
            paths = [path for path in names.paths if coverage(index, under=path).total]
            named = tuple(symbol for name in names.names for symbol in named_exactly(index, name))
        return {
            "under": paths[0] if paths else "",
            "named": named,
            "question": _read_question(request),
        }

    def count(self, state: DocstringState) -> dict[str, Any]:
        """Count by the rule of interrogate."""
        with opened(state["index"], state["language"]) as index:
            under, rule = state["under"], state["question"].rule
            counted = coverage(index, under=under, rule=rule)
            by_file = coverage_by_file(index, under=under, rule=rule)
            selected = find_missing(index, under=under, rule=rule)
        missing = tuple(
            MissingDocstring.model_validate(item, from_attributes=True) for item in selected.items
        )
        return {
            "counted": counted,
            "by_file": by_file,
            "selected": selected,
            "coverage": CoverageCount.model_validate(counted, from_attributes=True),
            "docstrings": DocstringCoverage(
                total=counted.total,
                covered=counted.covered,
                percent=counted.percent,
                missing=tuple(
                    UndocumentedDefinition.model_validate(one, from_attributes=True)
                    for one in missing[:MAX_LIMITED]
                ),
            ),
            "missing": missing,
            "missing_total": selected.total,
            "truncated": selected.truncated,
        }

    async def draft(self, state: DocstringState) -> dict[str, Any]:
        """Let the model word docstrings that are missing. Words that do not fit are not used."""
        chosen = state["named"] or state["selected"].items
        wanted = [symbol for symbol in chosen if not symbol.documented][:MAX_DEFINITIONS]
        with opened(state["index"], state["language"]) as index:
            drafted = draft_docstrings(index, wanted, style=state["question"].style)
            subjects = drafted.subjects
            if not subjects:
                return {"drafted": drafted}
            said = await self.assist(
                prompt_for(index, subjects),
                schema=Prose,
                instead=NOTHING,
                check=lambda prose: agreeing(prose, index, subjects),
                system=SYSTEM,
                is_whole=False,
            )
            if said.docstrings:
                symbols = [one.symbol for one in subjects]
                worded = draft_docstrings(
                    index, symbols, style=drafted.style, words=words_of(said, subjects)
                )
                drafted = replace(worded, refused=worded.refused + drafted.refused)
        drafts = (
            DocstringDraft(
                qualname=one.symbol.qualname,
                path=one.symbol.path,
                line=one.symbol.line,
                docstring=one.docstring,
            )
            for one in drafted.drafts
        )
        return {"drafted": drafted, "drafts": tuple(drafts)}

    def report(self, state: DocstringState) -> dict[str, Any]:
        """Write the count, the worst files, the missing docstrings and the drafts."""
        report = Report(
            index=state["index"],
            under=state["under"],
            coverage=state["counted"],
            by_file=state["by_file"],
            missing=state["selected"],
            symbols=state["named"],
            drafts=state.get("drafted"),
            public_only=state["question"].rule.public_only,
            lacks_model=self.model is None and state["question"].drafts,
        )
        return {
            "unused": unused_restrictions(state.get("request", "")),
            "summary": with_limits(
                answer(report, state["language"]), state["index"], state["language"]
            ),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.qualname)
                for item in report.missing.items[:_MAX_CITED]
            ),
            "artifacts": tuple(artifacts(report)),
            "shown": (
                Shown(kind="file", names=tuple(report.by_file)),
                Shown(kind="symbol", names=tuple(item.qualname for item in report.missing.items)),
            ),
        }


def _after_count(state: DocstringState) -> str:
    return "draft" if state["question"].drafts else "report"


def _read_question(request: str) -> DocstringQuestion:
    """Read a request in Korean or English."""
    return DocstringQuestion(
        drafts=_WORDS.says("drafts", request),
        rule=CountRule(public_only=_WORDS.says("public_only", request)),
        style=next((style for style in STYLES if _WORDS.says(f"styles.{style}", request)), None),
    )
