"""`code_search_agent`: definitions, callers, importers, texts, and uses of a field."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from langgraph.graph import START, StateGraph
from pydantic import Field

from minerva_insilico.answers.findings import (
    TEXTS,
    Finding,
    answer_names,
    answer_sinks,
    failed_list,
)
from minerva_insilico.answers.missing_files import with_limits
from minerva_insilico.answers.plan import answer_plan
from minerva_insilico.answers.search_result import (
    SearchResult,
    answer_result,
    page_to_result,
    result_of_question,
)
from minerva_insilico.answers.unused_words import files_at, places_in, tokens_in, unused_in_search
from minerva_insilico.answers.uses import uses_csv
from minerva_insilico.answers.word_search import (
    NOTHING,
    SYSTEM,
    SearchWords,
    WordSearch,
    answer_word_search,
    known_words,
    search_words,
)
from minerva_insilico.contracts import CodeIndex, CodeUse, CodeUses, PlannedColumn, RenamePlan
from minerva_insilico.core.fields.declared import declared_fields
from minerva_insilico.core.fields.elsewhere import find_elsewhere
from minerva_insilico.core.fields.usage import (
    FieldUse,
    field_uses,
    is_used,
    judged_uses,
    sink_uses,
    sql_columns,
)
from minerva_insilico.core.flows.flow_reach import Flow, reached_sinks
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.queries.caller import (
    find_callees,
    find_callers,
    find_importers,
    find_imports,
)
from minerva_insilico.core.queries.defined_name import defined_names
from minerva_insilico.core.queries.name_question import NameQuestion, read_name_question
from minerva_insilico.core.queries.nearest import (
    is_known,
    is_member,
    is_module,
    refuse_unknown,
    unknown_among,
)
from minerva_insilico.core.queries.search import SearchMode, SearchQuery, search, word_lines
from minerva_insilico.core.queries.symbol import find_symbol
from minerva_insilico.core.queries.text import find_text, unparsed_lines
from minerva_insilico.steps.open_index import opened
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Citation,
    Shown,
    WorkerState,
)
from minerva_platform.routing import Evidence
from minerva_platform.text import read_examples, read_words

_KINDS = {"object": "attribute"}
"""A whole object becomes its fields, each of which is an attribute of it."""
_MAX_HANDED_ON = 5_000
_MAX_USES = 1_000_000
_MAX_CITED = 20
_DEFAULT_LIMIT = 50
_NAMING = frozenset({"any", "callees", "callers", "definition", "importers", "imports"})
"""Modes in which a word that the code knows is taken for a name."""


class CodeSearchInput(AgentInput):
    """An index, and the plan of a renaming if there is one."""

    index: CodeIndex
    plan: RenamePlan | None = None
    query: str = Field("", max_length=2_000, description="With `mode`: asked instead of `request`.")
    mode: SearchMode | None = None
    transitive: int = Field(0, ge=0, le=10, description="Callers of callers, callees of callees.")
    limit: int = Field(50, ge=1, le=1_000)


class CodeSearchOutput(AgentOutput):
    """The answer, its hits, and the uses for the workers that judge them next."""

    uses: CodeUses
    result: SearchResult


class CodeSearchState(WorkerState):
    """Private: the question as it was read, and the hits."""

    index: CodeIndex
    plan: RenamePlan | None
    query: str
    mode: SearchMode | None
    transitive: int
    limit: int
    result: SearchResult
    question: NameQuestion
    by_words: WordSearch
    findings: tuple[Finding, ...]
    unknown: tuple[str, ...]
    places: tuple[str, ...]
    found: Page[FieldUse]
    uses: CodeUses


class CodeSearchAgent(BaseAgent[CodeSearchInput, CodeSearchOutput]):
    """Answer where something is in the code, with path and line."""

    name = "code_search_agent"
    description = (
        "Searches indexed Python code: where a symbol is defined, who calls a function, who"
        " imports a module, and which SQL string, attribute or key uses a column. Choose it to"
        " find code that breaks when columns or fields are renamed."
    )
    examples = read_examples("minerva_insilico", "code_search_agent")
    aspects = read_words("minerva_insilico.agents", "aspects")["code_search_agent"]
    declines = read_examples("minerva_insilico", "declined")
    presents = (CodeIndex.kind,)

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:
        """Return 1 if the request names what an attached tree defines."""
        roots = [item.path.resolve() for item in attachments if item.is_dir]
        names = defined_names(request, roots)
        if not names:
            return Evidence()
        places = (one for place in places_in(request) for one in tokens_in(place))
        names += tuple(one for one in places if any((root / one).exists() for root in roots))
        why = f"the attached code defines {', '.join(f'`{name}`' for name in names[:5])}"
        return Evidence(score=1, why=why[:200], words=names)

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Read the question, search names, trace fields, report."""
        rewriting = [self.rewrite] if self.model else []
        graph = StateGraph(CodeSearchState)
        graph.add_sequence([self.read, *rewriting, self.search, self.trace, self.report])
        graph.add_edge(START, "read")
        return graph

    def read(self, state: CodeSearchState) -> dict[str, Any]:
        """Read which names the request is about, and what it asks of them."""
        with opened(state["index"], state["language"]) as index:
            known = {column.column for column in _columns(state)}
            question = read_name_question(
                state.get("request", ""),
                is_known=lambda name: name in known or is_used(index, name),
                is_member=lambda name: is_member(index, name),
            )
            if question.kind == "importers" and _is_of_no_module(index, question):
                question = replace(question, kind="uses")  # what depends on a class or a field
            by_words = WordSearch()
            if _names_nothing(question) and not (_query(state) or _columns(state)):
                by_words = search_words(index, question.words)
        return {"question": question, "by_words": by_words}

    async def rewrite(self, state: CodeSearchState) -> dict[str, Any]:
        """Let the model say in words of the code what names nothing and finds nothing."""
        question = state["question"]
        is_answered = state["by_words"].is_found or not _names_nothing(question)
        if is_answered or question.kind == "sinks" or _query(state) or _columns(state):
            return {}
        with opened(state["index"], state["language"]) as index:
            said = await self.assist(
                state.get("request", ""),
                schema=SearchWords,
                instead=NOTHING,
                check=lambda words: known_words(words, index),
                system=SYSTEM,
            )
            return {"by_words": search_words(index, said.words)}

    def search(self, state: CodeSearchState) -> dict[str, Any]:
        """Look up each name, and each quoted text."""
        question, limit = state["question"], state.get("limit", 50)
        query = _query(state)
        if query:
            with opened(state["index"], state["language"]) as index:
                return {
                    "findings": (),
                    "result": page_to_result([search(index, query)], limit=limit),
                }
        with opened(state["index"], state["language"]) as index:
            names = question.names
            if not names and question.kind in _NAMING:
                names = tuple(word for word in question.words if is_used(index, word))
            if question.kind in {"importers", "imports"}:
                names += tuple(path for path in question.paths if path not in names)
            if not _columns(state):  # a column that the code does not have is no mistake
                refuse_unknown(index, question, names, is_found=state["by_words"].is_found)
            unknown = [] if _columns(state) else [*unknown_among(index, question, names)]
            left_out = {error.name for error in unknown}
            places = {one: files_at(index, one) for one in places_in(state.get("request", ""))}
            places = {one: paths for one, paths in places.items() if paths}
            tokens = {token for place in places for token in tokens_in(place)}
            names = tuple(name for name in names if name not in tokens) or names
            is_about_files = question.kind in {"importers", "imports"} or not names
            meant = _files_meant(state)
            if not is_about_files:
                meant = meant.union(*places.values())
            limit_each = _MAX_USES if meant else _DEFAULT_LIMIT
            found = (_look_up(index, name, question, limit_each) for name in names)
            findings = [one for one in found if one.name not in left_out or any(one.places())]
            findings += [Finding(text, texts=find_text(index, text)) for text in question.phrases]
            findings = [one.within(meant) for one in findings]
            result = result_of_question(index, replace(question, names=names), limit=limit)
        said = tuple(error.text(state["language"]) for error in unknown)
        only = () if is_about_files else tuple(places)
        return {"findings": tuple(findings), "result": result, "unknown": said, "places": only}

    def trace(self, state: CodeSearchState) -> dict[str, Any]:
        """Find the uses of the named fields and of every column of the plan.

        With neither, what leaves is what the code itself shows: columns in its SQL and values that
        reach a log. In any case leave the flows of all fields that the code's models declare.
        """
        names = [*state["question"].names, *(item.column for item in _columns(state))]
        query = _query(state)
        if query and query.mode == "field_uses":
            names += query.text.replace(",", " ").split()
        with opened(state["index"], state["language"]) as index:
            if names:
                found = field_uses(index, names, limit=_MAX_USES)
            else:
                found = _both(
                    sink_uses(index, limit=_MAX_USES), sql_columns(index, limit=_MAX_USES)
                )
            declared = declared_fields(index, limit=_MAX_USES).items
            columns = [(item.table, item.column) for item in _columns(state)]
            flows = reached_sinks(index, declared, columns, limit=_MAX_USES)
        handed = handed_on(flows.items, found.items, limit=_MAX_HANDED_ON)
        uses = CodeUses(
            uses=handed.items,
            total=handed.total,
            truncated=handed.truncated,
            unparsed=tuple(item.path for item in state["index"].failed),
        )
        return {"found": found, "uses": uses}

    def report(self, state: CodeSearchState) -> dict[str, Any]:
        """Write the answer with places that editors open, and the whole list as CSV."""
        question, language, found = state["question"], state["language"], state["found"]
        findings, plan = state["findings"], state.get("plan")
        parts: list[str] = []
        query = _query(state)
        if query:
            parts.append(answer_result(state["result"], query, language))
        elif findings:
            only = ", ".join(f"`{place}`" for place in state.get("places", ()))
            parts += [TEXTS("only", language, places=only)] if only else []
            parts += [answer_names(findings, question, language), *state.get("unknown", ())]
        elif plan and plan.columns and question.kind != "sinks":
            parts.append(answer_plan(plan, found, language))
        elif state["by_words"].is_found and question.kind != "sinks":
            parts.append(answer_word_search(state["by_words"], language))
        else:
            with opened(state["index"], state["language"]) as index:
                parts.append(answer_sinks(sink_uses(index), question, language))
        parts.append(failed_list(state["index"], language))
        return {
            "summary": with_limits("\n\n".join(filter(None, parts)), state["index"], language),
            "unused": ()
            if query
            else unused_in_search(state.get("request", ""), question, state.get("places", ())),
            "citations": _sources(state),
            "shown": _shown_names(state),
            "artifacts": (uses_csv(found),) if found.total else (),
        }


def _query(state: CodeSearchState) -> SearchQuery | None:
    """Return the question given by mode, or None if it was asked in words."""
    mode, query = state.get("mode"), state.get("query", "").strip()
    if mode is None or not query:
        return None
    limit, transitive = state.get("limit", 50), state.get("transitive", 0)
    return SearchQuery(mode, query, limit=limit, transitive=transitive)


def _names_nothing(question: NameQuestion) -> bool:
    return not (question.names or question.phrases or question.paths)


def _sources(state: CodeSearchState) -> tuple[Citation, ...]:
    if _query(state):
        return tuple(
            Citation(source=hit.path, line=hit.line, quote=hit.snippet)
            for hit in state["result"].hits[:_MAX_CITED]
        )
    if state["by_words"].is_found and not state["findings"]:
        return state["by_words"].citations()
    return tuple(_citations(state["findings"], state["found"]))


def _files_meant(state: CodeSearchState) -> frozenset[str]:
    """Return the files of earlier answers that the request refers to; all files if none is."""
    return frozenset(name for one in state["meant"] if one.kind == "file" for name in one.names)


def _shown_names(state: CodeSearchState) -> tuple[Shown, ...]:
    """Return the names asked about, and the files where they are."""
    places = dict.fromkeys(one.source for one in _sources(state))
    names = [finding.name for finding in state["findings"]]
    return (Shown(kind="symbol", names=tuple(names)), Shown(kind="file", names=tuple(places)))


def _columns(state: CodeSearchState) -> tuple[PlannedColumn, ...]:
    plan = state.get("plan")
    return plan.columns if plan else ()


def _is_of_no_module(index: Index, question: NameQuestion) -> bool:
    """True if the names are known, and none is a module or a file."""
    names = question.names
    return any(is_known(index, name) for name in names) and not any(
        is_module(index, name) for name in names
    )


def _look_up(index: Index, name: str, question: NameQuestion, limit: int) -> Finding:
    """Find what the mode asks about one name; "any" asks for everything."""
    mode = question.kind
    symbols = find_symbol(index, name)
    callers = callees = importers = imports = uses = elsewhere = None
    left_out: tuple[FieldUse, ...] = ()
    if mode == "callees":
        callees = find_callees(index, name)
    if mode == "imports":
        imports = find_imports(index, name)
    if mode in {"any", "callers"} or (mode == "uses" and symbols.items):
        callers = find_callers(index, name, limit=limit)
    if mode in {"any", "importers"}:
        importers = find_importers(index, name)
    if mode in {"any", "uses", "sinks"}:
        answer = judged_uses(index, name, with_variables=True)
        uses, left_out = Page(answer.uses, len(answer.uses)), answer.left_out
    if mode == "uses":
        elsewhere = find_elsewhere(index, name.rpartition(".")[2], limit=_MAX_CITED)
    texts = find_text(index, name) if mode == "text" else None
    if mode == "uses":
        texts = word_lines(index, name, limit=limit)
    elif mode in {"any", "callers"}:
        lines = unparsed_lines(index, name)
        texts = Page(lines[:limit], len(lines))
    return Finding(
        name, symbols, callers, importers, uses, texts, callees, imports, left_out, elsewhere
    )


def _both(first: Page[FieldUse], second: Page[FieldUse]) -> Page[FieldUse]:
    items = tuple(dict.fromkeys((*first.items, *second.items)))
    return Page(items, len(items))


def _citations(findings: tuple[Finding, ...], uses: Page[FieldUse]) -> list[Citation]:
    places = [place for finding in findings for place in finding.places()]
    if not findings:
        places = [(use.path, use.line, use.snippet) for use in uses.items]
    chosen = list(dict.fromkeys(places))[:_MAX_CITED]
    return [Citation(source=path, line=line, quote=quote) for path, line, quote in chosen]


def handed_on(flows: Sequence[Flow], uses: Sequence[FieldUse], *, limit: int) -> Page[CodeUse]:
    """Return flows and uses as the hand-off has them, each place and name once."""
    found = [_of_flow(flow) for flow in flows]
    known = {(one.path, one.line, one.name.casefold()) for one in found}
    found += [
        CodeUse.model_validate(asdict(use))
        for use in uses
        if use.kind != "text"  # of a file that does not parse: no use of any kind
        and (use.path, use.line, use.name.casefold()) not in known
    ]
    return Page(tuple(found[:limit]), len(found))


def _of_flow(flow: Flow) -> CodeUse:
    kind = _KINDS.get(flow.kind, flow.kind)
    return CodeUse.model_validate({**asdict(flow), "kind": kind, "suspected": flow.suspect})
