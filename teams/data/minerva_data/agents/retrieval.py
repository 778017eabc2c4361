"""The first worker: from a request or a schema to standard names with their sources.

It decides nothing that the glossary does not say: what it cannot resolve it returns as
unresolved, with the parts in the way and what a person might choose.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Protocol, cast

from langgraph.graph import START, StateGraph
from pydantic import field_validator

from minerva_data.answers.assistance import assistance_text
from minerva_data.answers.explanation import is_why, prose_explained, rows_explained
from minerva_data.answers.files import CSV
from minerva_data.answers.table import TEXTS as TABLE, table_text, unserved_text
from minerva_data.contracts import Recommendation, StandardTable, citations_of, shown_columns
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.language.carrier_phrases import ASPECTS
from minerva_data.core.language.question_form import unserved_forms
from minerva_data.core.language.sentence import RequestedItems, SentenceReader
from minerva_data.core.lookup.lookup import Composition, Lookup
from minerva_data.core.lookup.overlap import as_candidate, is_foreign
from minerva_data.core.lookup.query import item_to_query
from minerva_data.core.lookup.standard_check import Verdict, asks_whether_standard, verdicts
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.proposals.proposal_sheet import FILE, proposals_csv
from minerva_data.core.schema.record import Item, Recommended
from minerva_data.steps.attached_files import read_schemas
from minerva_data.steps.glossaries import ALL_IMPORTED, Glossaries, evidence_of_list
from minerva_data.steps.model_nodes import ModelNodes
from minerva_data.steps.restrictions import of_columns, read_apart
from minerva_data.steps.retrieval_state import RetrievalState
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Shown,
)
from minerva_platform.routing import Evidence
from minerva_platform.text import read_examples

_NOTHING = RequestedItems((), 0)
_WORD = re.compile(r"\w+", re.ASCII)


class _Step(Protocol):
    def __call__(self, state: RetrievalState) -> Any: ...


class NothingAskedError(AgentError):
    """The request names nothing that could have a standard name; the text says how to ask."""


class RetrievalInput(AgentInput):
    """A request in words, schemas or lists of columns, or the items themselves."""

    schemas: Annotated[
        tuple[Attachment, ...],
        Attachment.of("*.sql", "*.ddl", "*.xlsx", "*.xlsm", "*.xls", "*.csv", "*.tsv"),
    ] = ()
    items: tuple[Item, ...] = ()

    @field_validator("items", mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        """Take a plain string as an item's name."""
        if not isinstance(value, list | tuple):
            return value
        given = cast("Sequence[Any]", value)
        return tuple({"name": item} if isinstance(item, str) else item for item in given)


class RetrievalOutput(AgentOutput):
    """The recommendation, and a table of it to read."""

    recommendation: Recommendation


class RetrievalAgent(BaseAgent[RetrievalInput, RetrievalOutput]):
    """Looks names up in the imported glossaries and the bundled one, unless a lookup is given."""

    name = "retrieval_agent"
    description = (
        "Finds the standard abbreviation (physical name), value domain and data type of terms and "
        "columns in the glossary; choose it to look a name up or to standardise a schema."
    )
    examples = read_examples("minerva_data", "retrieval_agent")
    declines = read_examples("minerva_data", "declined")
    aspects = tuple(sorted(ASPECTS))
    input_mode = "context"

    def __init__(self, glossaries: Glossaries = ALL_IMPORTED, *, asks_model: bool = True) -> None:
        self.glossaries = glossaries
        self.asks_model = asks_model
        """False keeps it from asking the model that it has."""
        self._take(Lookup(seed_glossary()))  # until the first request

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:  # noqa: ARG002  # files speak for no list
        """Return what a list of names says for the team."""
        return evidence_of_list(self.glossaries, request)

    def build_graph(self) -> StateGraph[RetrievalState, None, RetrievalState, RetrievalState]:
        """Return the cascade; with a model, the steps that it adds stand between."""
        steps: list[_Step] = [self.parse, self.normalise, self.retrieve, self.compose, self.rerank]
        if self.model is not None and self.asks_model:
            model = ModelNodes(self, lambda: self.lookup, self.glossaries.proposals)
            steps.insert(1, model.rewrite)
            steps += [model.gather, model.suggest, model.keep, self.explain]
        steps.append(self.describe)
        return StateGraph(RetrievalState).add_sequence(steps).add_edge(START, "parse")

    def parse(self, state: RetrievalState) -> dict[str, Any]:
        """Find what wants a name: given items, the columns of a schema, or the request's words."""
        lookup = self.glossaries.lookup()
        if lookup is not self.lookup:
            self._take(lookup)
        schemas = () if state["items"] else state["schemas"]
        read = read_schemas(schemas, state["language"])
        named = read_apart(state["request"], self._sentences) if read.columns else _NOTHING
        items = state["items"] or _narrowed(read.columns, state["request"], state["meant"], named)
        if items is read.columns and self._asks_of_terms(named):
            requested, read = named, replace(read, columns=())
        elif items:
            unused = of_columns(state["request"]) if read.columns else ()
            requested = RequestedItems(items, len(items), is_named=True, unused=unused)
        else:
            words = self._sentences.rest_of_list(state["request"], state["context"])
            requested = read_apart(words, self._sentences)
            if not requested.items and state["context"] != state["request"]:
                requested = read_apart(state["context"], self._sentences)
            if read.problems and not any(
                self.lookup.recommend(item).best for item in requested.items
            ):
                requested = _NOTHING  # "standardise this file" names a file that cannot be read
        return {
            "items": requested.items,
            "total": requested.total,
            "truncated": requested.truncated,
            "from_schema": bool(read.columns),
            "is_foreign": is_foreign(self.lookup, read.columns or items),
            "is_sentence": not (items or read.problems),
            "is_named": requested.is_named,
            "unparsed": read.problems,
            "read_as": read.read_as,
            "files": read.files,
            "unused": requested.unused,
        }

    def _asks_of_terms(self, names: RequestedItems) -> bool:
        """True if a request names nothing but terms, so it is about no schema."""
        return names.is_named and all(self.lookup.recommend(item).best for item in names.items)

    def _take(self, lookup: Lookup) -> None:
        self.lookup, self._sentences = lookup, SentenceReader(lookup)

    def normalise(self, state: RetrievalState) -> dict[str, Any]:
        """Choose for each item what is read: a comment before a legacy column name.

        Raises:
            NothingAskedError: there is no item, and no file whose reading failed.
        """
        if not (state["items"] or state["unparsed"]):
            language = state["language"]
            files = (
                TABLE("unread_file", language, name=f"`{one.name}`", reason=one.reason)
                for one in state["files"]
                if one.status != "used"
            )
            forms = unserved_text(unserved_forms(state["request"]), language)
            raise NothingAskedError(" ".join(files) or forms or TABLE("nothing", language))
        return {"queries": tuple(item_to_query(item) for item in state["items"])}

    def retrieve(self, state: RetrievalState) -> dict[str, Any]:
        """Find the terms that are named themselves, by a synonym or by their physical name."""
        return {"terms": tuple(self.lookup.find_term(query) for query in state["queries"])}

    def compose(self, state: RetrievalState) -> dict[str, Any]:
        """Compose the others of the fewest words, or name the unknown parts."""
        pairs = zip(state["queries"], state["terms"], strict=True)
        return {
            "compositions": tuple(
                Composition() if term else self.lookup.compose(query) for query, term in pairs
            )
        }

    def rerank(self, state: RetrievalState) -> dict[str, Any]:
        """Decide on one name, or on none with alternatives in order of likeness."""
        steps = zip(state["queries"], state["terms"], state["compositions"], strict=True)
        items = tuple(self.lookup.decide(*step) for step in steps)
        if state["is_foreign"]:
            items = tuple(map(as_candidate, items))
        recommendation = Recommendation(
            items=items,
            total=state["total"],
            truncated=state["truncated"],
            from_schema=state["from_schema"],
            unparsed=state["unparsed"],
            read_as=state["read_as"],
            verdicts=self._verdicts(state, items),
            question_forms=unserved_forms(state["request"]) if state["is_sentence"] else (),
        )
        return {"recommendation": recommendation}

    def _verdicts(
        self, state: RetrievalState, items: tuple[Recommended, ...]
    ) -> tuple[Verdict, ...]:
        """Answer yes or no, name by name, where that is what the person asks."""
        said = state["context"] or state["request"]
        is_asked = state["is_sentence"] and asks_whether_standard(said)
        return verdicts(items, self.lookup.glossary) if is_asked else ()

    async def explain(self, state: RetrievalState) -> dict[str, Any]:
        """Let the model say why, if that was asked; names that it makes up refuse all of it."""
        given, items = state.get("assistance", Assistance()), state["recommendation"].items
        is_asked = is_why(state["context"] or state["request"])
        if not is_asked or state.get("has_failed") or not any(item.best for item in items):
            return {}
        prose = await prose_explained(self, items, state["language"])
        return {"assistance": given.model_copy(update={"explanation": prose})}

    def describe(self, state: RetrievalState) -> dict[str, Any]:
        """Write the answer and collect what it rests on."""
        given, items = self._assistance(state), state["recommendation"].items
        recommendation = state["recommendation"].model_copy(update={"assistance": given})
        rows = standard_rows(items, style="UPPER_SNAKE")
        facts = {name: value for name, value in recommendation if name != "items"}
        table = StandardTable(**facts, rows=rows, priority=())
        text = table_text(table, state["language"])
        beside = assistance_text(given, state["language"])
        sources = tuple(source for item in items if item.best for source in item.best.citations)
        return {
            "recommendation": recommendation,
            "summary": "\n\n".join(part for part in (text, beside) if part),
            "citations": citations_of(sources),
            "artifacts": _files(given),
            "shown": shown_columns(table),
        }

    def _assistance(self, state: RetrievalState) -> Assistance | None:
        """Return what goes beside the answer; rows explain what no model's words did."""
        given = state.get("assistance")
        if is_why(state["context"] or state["request"]) and not (given and given.explanation):
            rows = rows_explained(state["recommendation"].items, state["language"])
            given = (given or Assistance()).model_copy(update={"explanation": rows})
        return None if given == Assistance() else given


def _narrowed(
    columns: tuple[Item, ...], request: str, shown: tuple[Shown, ...], names: RequestedItems
) -> tuple[Item, ...]:
    """Return the columns that the request is about: all if it names none of them.

    The names in its last line go before those that earlier lines and answers hold.
    """
    latest = set(_WORD.findall((request.splitlines() or [""])[-1]))
    earlier = {name for one in shown for name in one.names}
    earlier |= {item.name for item in names.items} if names.is_named else set()
    return _of(columns, latest) or _of(columns, earlier) or columns


def _of(columns: tuple[Item, ...], names: set[str]) -> tuple[Item, ...]:
    """Return the columns of the tables among `names`, else the columns among them."""
    tables = tuple(item for item in columns if {item.table, item.full_table} & names)
    return tables or tuple(
        item
        for item in columns
        if {f"{item.full_table}.{item.name}", item.name, item.comment} & names
    )


def _files(assistance: Assistance | None) -> tuple[Artifact, ...]:
    """Return the proposals that belong to an answer, as the file that a person reviews."""
    if assistance is None or not assistance.proposals:
        return ()
    return (Artifact(name=FILE, media_type=CSV, content=proposals_csv(assistance.proposals)),)
