"""`docstring_agent`: how much is documented, what is not, and drafts for it."""

import re
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from langgraph.graph import END, START, StateGraph
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Citation,
    Language,
)
from pydantic import BaseModel, ConfigDict

from minerva_insilico.answer import failed_list
from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.coverage import Coverage, coverage, coverage_by_file, undocumented
from minerva_insilico.core.drafting import Drafts, draft_docstrings
from minerva_insilico.core.fault import CoreError
from minerva_insilico.core.index import Index, Page, SymbolRef
from minerva_insilico.core.question import read_question
from minerva_insilico.core.search import named_exactly
from minerva_insilico.core.usage import is_used
from minerva_insilico.markdown import code, cut, table, to_csv

_SHOWN = 20
_DRAFTED = 300
"""Definitions drafted in one run; the rest is said to be left."""
_DRAFTS_SHOWN = 3
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


class DocstringState(TypedDict, total=False):
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
    examples: ClassVar = (
        "docstring 커버리지가 몇 퍼센트야?",
        "문서화되지 않은 함수 목록을 뽑아줘",
        "독스트링이 없는 클래스가 어디야?",
        "load 함수의 docstring 초안을 써줘",
        "주석 문서화 수준을 파일별로 보고해줘",
        "설명이 안 달린 공개 함수를 알려줘",
        "이 모듈에 독스트링을 달아줘",
        "코드 문서화율을 측정해줘",
        "어느 파일의 문서화가 제일 부실해?",
        "빠진 docstring을 채우는 패치를 만들어줘",
        "함수 설명문이 빠진 곳을 전부 찾아줘",
        "문서 없는 메서드에 인자와 반환값 설명 초안을 제안해줘",
        "What is our docstring coverage?",
        "List all undocumented functions and classes",
        "Which modules have no docstring?",
        "Draft a docstring for parse_order",
        "Generate missing docstrings as a diff",
        "How well is this code documented?",
        "Show documentation coverage per file",
        "Write docstrings for app/service.py",
        "Which public methods lack documentation?",
        "Report the percentage of documented code",
        "Suggest docstrings from the signatures",
        "Is every class in the package documented?",
    )
    Input = DocstringInput
    Output = DocstringOutput
    state_schema = DocstringState
    presents: ClassVar = (CodeIndex.kind,)

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

    def select(self, state: DocstringState) -> DocstringState:
        """Find the file, folder or symbols which the request names."""
        with _opened(state) as index:
            question = read_question(
                state.get("request", ""), is_known=lambda name: is_used(index, name)
            )
            paths = [path for path in question.paths if coverage(index, under=path).total]
            named = tuple(
                symbol for name in question.names for symbol in named_exactly(index, name)
            )
        return {"under": paths[0] if paths else "", "named": named}

    def count(self, state: DocstringState) -> DocstringState:
        """Count by the rule of interrogate."""
        with _opened(state) as index:
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

    def draft(self, state: DocstringState) -> DocstringState:
        """Draft for the named symbols, else for all that lack a docstring."""
        named = [symbol for symbol in state["named"] if not symbol.documented]
        wanted = named if state["named"] else list(state["selected"].items[:_DRAFTED])
        with _opened(state) as index:
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

    def report(self, state: DocstringState) -> DocstringState:
        """Write the count, the worst files, what is missing and the drafts."""
        language, selected = state["language"], state["selected"]
        parts = [
            _opening(state["counted"], state["under"], language),
            _worst(state["by_file"], language),
            _missing(selected, language),
            _drafts(state, language),
            failed_list(state["index"], language),
        ]
        return {
            "summary": "\n\n".join(part for part in parts if part),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.qualname)
                for item in selected.items[:_SHOWN]
            ),
            "artifacts": tuple(_artifacts(state)),
        }


def _after_count(state: DocstringState) -> str:
    return "draft" if _ASKS_FOR_DRAFTS.search(state.get("request", "")) else "report"


def _opened(state: DocstringState) -> Index:
    try:
        return Index(Path(state["index"].database))
    except CoreError as error:
        raise AgentError(str(error)) from error


def _opening(counted: Coverage, under: str, language: Language) -> str:
    place = f" ({code(under)})" if under else ""
    if language == "ko":
        return (
            f"docstring 커버리지{place}: **{counted.percent:.1f} %** — 정의 {counted.total:,}개 중"
            f" {counted.covered:,}개에 있고 {counted.missing:,}개에 없습니다. 모듈, 클래스, 모든"
            " 함수와 메서드(중첩, 비공개, `__init__` 포함)를 셉니다."
        )
    return (
        f"Docstring coverage{place}: **{counted.percent:.1f} %** — {counted.covered:,} of"
        f" {counted.total:,} definitions have one, {counted.missing:,} lack it. Modules, classes"
        " and all functions and methods count (nested, private and `__init__` included)."
    )


def _worst(by_file: dict[str, Coverage], language: Language) -> str:
    rows = [(path, item) for path, item in by_file.items() if item.missing]
    if len(by_file) < 2 or not rows:  # noqa: PLR2004 - one file needs no comparison
        return ""
    headers = ("파일", "없음", "전체", "%") if language == "ko" else ("file", "missing", "all", "%")
    body = (
        (code(path), f"{item.missing:,}", f"{item.total:,}", f"{item.percent:.1f}")
        for path, item in rows[:_SHOWN]
    )
    note = cut(language, shown=min(len(rows), _SHOWN), total=len(rows))
    return "\n\n".join([table(headers, body), *([note] if note else [])])


def _missing(selected: Page[SymbolRef], language: Language) -> str:
    if not selected.total:
        return ""
    title = "docstring이 없는 정의" if language == "ko" else "Without a docstring"
    lines = [
        f"- {code(item.place)} {item.kind} {code(item.qualname)}"
        for item in selected.items[:_SHOWN]
    ]
    note = cut(
        language, shown=len(lines), total=selected.total, artifact="missing_docstrings.csv"
    )
    body = [f"{title} ({selected.total:,}):", "", *lines]
    return "\n".join([*body, *(["", note] if note else [])])


def _drafts(state: DocstringState, language: Language) -> str:
    drafted, is_korean = state.get("drafted"), language == "ko"
    if drafted is None:
        return ""
    if not drafted.drafts and not drafted.refused:
        done = "초안이 필요한 정의가 없습니다: 모두 docstring이 있습니다."
        return done if is_korean else "Nothing to draft: every one of them has a docstring."
    parts: list[str] = []
    if drafted.drafts:
        parts.append(
            f"초안 {len(drafted.drafts):,}개를 {code('docstrings.diff')}에 담았습니다. 시그니처에서"
            " 확인되는 사실만 적었고, 파일은 고치지 않았습니다."
            if is_korean
            else f"{len(drafted.drafts):,} drafts are in {code('docstrings.diff')}. They state only"
            " what the signatures prove; no file was changed."
        )
    for item in drafted.drafts[:_DRAFTS_SHOWN]:
        fence = "`" * max(3, _longest_fence(item.docstring) + 1)
        where = f"{code(item.symbol.place)} {code(item.symbol.qualname)}"
        parts.append(f"{where}\n\n{fence}text\n{item.docstring}\n{fence}")
    left = 0 if state["named"] else state["selected"].total - _DRAFTED
    if left > 0:
        parts.append(cut(language, shown=_DRAFTED, total=state["selected"].total))
    if drafted.refused:
        title = "초안을 만들지 않음" if is_korean else "Not drafted"
        lines = [f"- {code(place)}: {reason}" for place, reason in drafted.refused[:_SHOWN]]
        note = cut(language, shown=len(lines), total=len(drafted.refused))
        head = [f"{title} ({len(drafted.refused):,}):", "", *lines]
        parts.append("\n".join([*head, *(["", note] if note else [])]))
    return "\n\n".join(parts)


def _longest_fence(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _artifacts(state: DocstringState) -> list[Artifact]:
    found: list[Artifact] = []
    selected, drafted = state["selected"], state.get("drafted")
    if selected.total > _SHOWN:
        rows = ((item.qualname, item.kind, item.path, item.line) for item in selected.items)
        content = to_csv(("qualname", "kind", "path", "line"), rows)
        found.append(
            Artifact(name="missing_docstrings.csv", media_type="text/csv", content=content)
        )
    if drafted and drafted.patch:
        found.append(
            Artifact(name="docstrings.diff", media_type="text/x-diff", content=drafted.patch)
        )
    return found
