"""The hits of a search as data that leaves the worker, and in words."""

from collections.abc import Iterable

from pydantic import BaseModel

from minerva_insilico.answers.findings import MAX_SHOWN, TEXTS, nothing_text
from minerva_insilico.answers.lists import with_note
from minerva_insilico.answers.uses import why_of_use
from minerva_insilico.core.fields.verdict import BY_NAME
from minerva_insilico.core.index.index import Hit, Index, Page
from minerva_insilico.core.queries.name_question import NameQuestion, QuestionKind
from minerva_insilico.core.queries.search import SearchMode, SearchQuery, hits_of
from minerva_platform.text import Language, code_span

_MODES: dict[QuestionKind, SearchMode] = {
    "any": "symbol",
    "callees": "callees",
    "callers": "callers",
    "definition": "symbol",
    "importers": "importers",
    "imports": "imports",
    "text": "text",
    "uses": "field_uses",
}
"""The kinds of search for a question."""


class SearchResult(BaseModel, frozen=True):
    """The hits, best first. `total` also counts hits that are not shown."""

    hits: tuple[Hit, ...] = ()
    total: int = 0
    shown: int = 0
    truncated: bool = False


def page_to_result(pages: Iterable[Page[Hit]], *, limit: int) -> SearchResult:
    """Return the hits of several questions as one result."""
    kept = list(pages)
    hits = [hit for page in kept for hit in page.items][:limit]
    total = sum(page.total for page in kept)
    return SearchResult(
        hits=tuple(hits),
        total=total,
        shown=len(hits),
        truncated=len(hits) < total,
    )


def result_of_question(index: Index, question: NameQuestion, *, limit: int) -> SearchResult:
    """Return what a question in words names, as data."""
    mode = _MODES.get(question.kind)
    named = [SearchQuery(mode, name, limit=limit) for name in question.names] if mode else []
    named += [SearchQuery("text", phrase, limit=limit) for phrase in question.phrases]
    return page_to_result((hits_of(index, query) for query in named), limit=limit)


def answer_result(result: SearchResult, query: SearchQuery, language: Language) -> str:
    """Write the hits as a list of places."""
    head = TEXTS(f"titles.{query.mode}", language)
    title = f"**{head}: {code_span(query.text)}** ({result.total:,})"
    if not result.hits:
        return f"{title}\n\n{nothing_text(query.mode, language)}"
    lines = [_line(hit, language) for hit in result.hits[:MAX_SHOWN]]
    return with_note([title, "", *lines], len(lines), result.total, language)


def _line(hit: Hit, language: Language) -> str:
    names = " → ".join(code_span(name) for name in (hit.symbol, hit.target) if name)
    place, snippet = code_span(f"{hit.path}:{hit.line}"), code_span(hit.snippet)
    why = (
        why_of_use(hit.score, hit.reason, language)
        if hit.reason not in {"", BY_NAME.reason}
        else ""
    )
    return f"- {place} {hit.why}{', ' * bool(why)}{why} {names} {snippet}".rstrip()
