"""`ast_parser_agent`: index a source tree, so that the others can answer."""

from functools import partial
from typing import Annotated, Any

from langgraph.graph import START, StateGraph
from pydantic import BaseModel

from minerva_insilico.answers.findings import failed_list
from minerva_insilico.answers.missing_files import file_uses, limits_line, with_limits
from minerva_insilico.answers.module_description import (
    NOTHING,
    SYSTEM,
    ModuleDescription,
    description_text,
    prompt_for,
    supported,
)
from minerva_insilico.answers.overview import list_problems, overview_text
from minerva_insilico.answers.structure import answer_structure
from minerva_insilico.answers.unused_words import unused_in_search, unused_restrictions
from minerva_insilico.contracts import MAX_LIMITED, CodeIndex, DeclaredFields, FailedFile
from minerva_insilico.core.fields.declared import declared_fields
from minerva_insilico.core.index import indexer
from minerva_insilico.core.queries.name_question import read_name_question
from minerva_insilico.core.queries.nearest import (
    ABOUT_NAMES,
    OF_SYMBOLS,
    is_known,
    is_member,
    is_of_code,
    refuse_paths,
    refuse_unknown,
)
from minerva_insilico.core.queries.structure_question import (
    StructureQuestion,
    read_structure_question,
)
from minerva_insilico.core.queries.summary import summarise
from minerva_insilico.core.queries.symbol import largest
from minerva_insilico.steps.given_code import attached_uses, root_of
from minerva_insilico.steps.open_index import opened, reported_errors
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Citation,
    Shown,
    WorkerState,
)
from minerva_platform.config import home_directory
from minerva_platform.text import read_examples

_MAX_FUNCTIONS = 5
_MAX_CITED = 20
_MAX_DECLARED = 5_000
"""Fields that are handed on. django-oscar 4.0 has 529."""


class AstParserInput(AgentInput):
    """A directory with Python sources, or single files of them."""

    source: Annotated[Attachment | None, Attachment.of("dir")] = None
    modules: Annotated[tuple[Attachment, ...], Attachment.of("*.py")] = ()
    """Read as a tree of their own if there is no directory."""


class Changes(BaseModel, frozen=True):
    """The work of this run, compared with the index of the run before."""

    parsed: int
    unchanged: int
    removed: int


class AstParserOutput(AgentOutput):
    """The index, and what it took."""

    index: CodeIndex
    declared: DeclaredFields
    changes: Changes


class AstParserState(WorkerState):
    """Private: a scan, then a staged index, then a published one, and what is asked of it."""

    source: Attachment | None
    modules: tuple[Attachment, ...]
    found: indexer.Scan
    staged: indexer.Staged
    indexed: indexer.Indexed
    index: CodeIndex
    declared: DeclaredFields
    changes: Changes
    question: StructureQuestion
    is_short: bool
    """True if the request asks about names, which the search answers: no list is asked for."""


class AstParserAgent(BaseAgent[AstParserInput, AstParserOutput]):
    """Index the Python sources of a directory without running a line of them."""

    name = "ast_parser_agent"
    description = (
        "Parses a directory of Python source code into an index and tells its shape: files, parse"
        " errors, outlines, complexity, module summaries, the import graph with its cycles, and"
        " declared requirements against imports. Choose it to index, outline or measure code."
    )
    examples = read_examples("minerva_insilico", "ast_parser_agent")
    declines = read_examples("minerva_insilico", "declined")

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Scan, parse, store and answer: one node each, so each has its own time."""
        graph = StateGraph(AstParserState)
        graph.add_sequence([self.scan, self.parse, self.store, self.read])
        graph.add_node(self.overview)
        graph.add_sequence([self.answer, *([self.describe] if self.model else [])])
        graph.add_edge(START, "scan")
        graph.add_conditional_edges("read", _after_reading, ["overview", "answer"])
        return graph

    def scan(self, state: AstParserState) -> dict[str, Any]:
        """Find what changed since the tree was indexed last."""
        with reported_errors(state["language"]):
            root = root_of(state["source"], state["modules"])
            return {"found": indexer.scan(root, home=home_directory())}

    def parse(self, state: AstParserState) -> dict[str, Any]:
        """Parse what changed, in processes of their own."""
        with reported_errors(state["language"]):
            return {"staged": indexer.parse(state["found"])}

    def store(self, state: AstParserState) -> dict[str, Any]:
        """Put the new index in the place of the old one."""
        with reported_errors(state["language"]):
            indexed = indexer.publish(state["staged"])
        limited = indexed.limited_files
        as_handed = partial(FailedFile.model_validate, from_attributes=True)
        index = CodeIndex(
            root=str(indexed.root),
            database=str(indexed.database),
            files=indexed.files,
            parsed=indexed.parsed,
            failed=tuple(map(as_handed, indexed.failed)),
            limited=tuple(map(as_handed, limited[:MAX_LIMITED])),
            limited_total=len(limited),
        )
        changes = Changes(parsed=indexed.read, unchanged=indexed.unchanged, removed=indexed.removed)
        with opened(index, state["language"]) as found:
            inside = file_uses(indexed, found.parsed_paths, state["language"])
            fields = declared_fields(found, limit=_MAX_DECLARED)
        declared = DeclaredFields(
            fields=fields.items,
            total=fields.total,
            truncated=fields.truncated,
            unparsed=tuple(item.path for item in index.failed),
        )
        files = attached_uses(state["source"], state["modules"], inside, state["language"])
        return {
            "indexed": indexed,
            "index": index,
            "declared": declared,
            "changes": changes,
            "files": files,
            "unused": unused_restrictions(state.get("request", "")),
        }

    def read(self, state: AstParserState) -> dict[str, Any]:
        """Read what the request asks about the tree."""
        request = state.get("request", "")
        with opened(state["index"], state["language"]) as index:
            question = read_name_question(
                request,
                is_known=lambda name: is_known(index, name),
                is_member=lambda name: is_member(index, name),
            )
            if question.kind in OF_SYMBOLS or is_of_code(index, question):
                refuse_unknown(index, question, question.names, is_found=False)
            if question.kind not in ABOUT_NAMES:
                refuse_paths(index, question.paths)
            structure = read_structure_question(index, request)
            is_of_others = structure.topic == "overview" and question.kind in ABOUT_NAMES
            is_short = is_of_others and bool(question.names)
            report = {"unused": unused_in_search(request, question)} if is_short else {}
            return {"question": structure, "is_short": is_short, **report}

    def answer(self, state: AstParserState) -> dict[str, Any]:
        """Answer about modules, imports, requirements or complexity."""
        with opened(state["index"], state["language"]) as index:
            found = answer_structure(index, state["question"], state["language"])
        unread = failed_list(state["index"], state["language"])
        return {
            "summary": with_limits(f"{found.text}\n\n{unread}", state["index"], state["language"]),
            "citations": found.citations,
            "shown": _shown_names(found.citations),
            "artifacts": found.artifacts,
        }

    async def describe(self, state: AstParserState) -> dict[str, Any]:
        """Let the model say what a module does, in sentences that cite lines."""
        question = state["question"]
        if question.topic != "summary":
            return {}
        with opened(state["index"], state["language"]) as index:
            (item,) = summarise(index, question.paths[0])
            lines = index.lines(item.path)
            prompt = prompt_for(index, item, state.get("request", ""))
        said = await self.assist(
            prompt,
            schema=ModuleDescription,
            instead=NOTHING,
            check=lambda account: supported(account, lines),
            system=SYSTEM,
        )
        if not said.sentences:
            return {}
        text = description_text(said, item, state["language"])
        line = limits_line(state["index"], state["language"])
        facts = state["summary"].removeprefix(line).lstrip()
        return {"summary": "\n\n".join(filter(None, [line, text, facts]))}

    def overview(self, state: AstParserState) -> dict[str, Any]:
        """Write the contents of the index."""
        indexed, language = state["indexed"], state["language"]
        with opened(state["index"], state["language"]) as index:
            counts = dict(
                index.connection.execute("SELECT kind, count(*) FROM symbols GROUP BY kind")
            )
            limit = 0 if state["is_short"] else _MAX_FUNCTIONS
            longest = largest(index, by="lines", limit=limit)
            complex_ = largest(index, by="complexity", limit=limit)
        return {
            "summary": with_limits(
                overview_text(indexed, counts, longest, complex_, language),
                state["index"],
                language,
            ),
            "citations": tuple(
                Citation(source=item.path, line=item.line, quote=item.error)
                for item in indexed.failed[:_MAX_CITED]
            ),
            "artifacts": tuple(list_problems(indexed)),
        }


def _shown_names(citations: tuple[Citation, ...]) -> tuple[Shown, ...]:
    """Return the files that the answer tells of."""
    files = dict.fromkeys(one.source for one in citations)
    return (Shown(kind="file", names=tuple(files)),)


def _after_reading(state: AstParserState) -> str:
    return "overview" if state["question"].topic == "overview" else "answer"
