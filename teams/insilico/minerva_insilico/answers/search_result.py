"""The hits of a search as data that leaves the worker, and in words."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from minerva_insilico.answers.markdown import code, cut
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.queries.name_question import NameQuestion
from minerva_insilico.core.queries.search import Hit, SearchMode, SearchQuery, search
from minerva_platform.text import Language

_SHOWN = 25

_MODES: dict[str, SearchMode] = {
    "any": "symbol",
    "callees": "callees",
    "callers": "callers",
    "definition": "symbol",
    "importers": "importers",
    "imports": "imports",
    "text": "text",
    "uses": "field_uses",
}
"""What is searched for each mode in which people ask."""

_TITLES: dict[Language, dict[SearchMode, str]] = {
    "ko": {
        "callees": "호출하는 것",
        "callers": "호출하는 곳",
        "documents": "문서와 docstring",
        "field_uses": "쓰는 곳",
        "importers": "import하는 곳",
        "imports": "import하는 것",
        "pattern": "모양이 같은 코드",
        "symbol": "정의",
        "text": "이 문자열이 있는 줄",
    },
    "en": {
        "callees": "Calls",
        "callers": "Called by",
        "documents": "Documents and docstrings",
        "field_uses": "Used in",
        "importers": "Imported by",
        "imports": "Imports",
        "pattern": "Code of this shape",
        "symbol": "Defined",
        "text": "Lines with this text",
    },
}


class SearchHit(BaseModel):
    """A place that answers."""

    model_config = ConfigDict(frozen=True)

    path: str
    line: int
    symbol: str
    snippet: str
    score: float
    why: str = Field(description="`exact`, `same_name`, a kind of definition or use, `text` …")
    target: str = ""
    depth: int = 0


class SearchResult(BaseModel):
    """What was found, best first; `total` counts what is not shown, too."""

    model_config = ConfigDict(frozen=True)

    hits: tuple[SearchHit, ...] = ()
    total: int = 0
    shown: int = 0
    truncated: bool = False


def page_to_result(pages: Iterable[Page[Hit]], *, limit: int) -> SearchResult:
    """Return the hits of several questions as one result."""
    kept = list(pages)
    hits = [hit for page in kept for hit in page.items][:limit]
    total = sum(page.total for page in kept)
    return SearchResult(
        hits=tuple(SearchHit.model_validate(vars(hit)) for hit in hits),
        total=total,
        shown=len(hits),
        truncated=len(hits) < total,
    )


def result_of_question(index: Index, question: NameQuestion, *, limit: int) -> SearchResult:
    """Return what a question in words names, as data."""
    mode = _MODES.get(question.kind)
    named = [SearchQuery(mode, name, limit=limit) for name in question.names] if mode else []
    named += [SearchQuery("text", phrase, limit=limit) for phrase in question.phrases]
    return page_to_result((search(index, query) for query in named), limit=limit)


def answer_result(result: SearchResult, query: SearchQuery, language: Language) -> str:
    """Write the hits as a list of places."""
    title = f"**{_TITLES[language][query.mode]}: {code(query.text)}** ({result.total:,})"
    if not result.hits:
        nothing = "찾은 것이 없습니다." if language == "ko" else "Nothing was found."
        return f"{title}\n\n{nothing}"
    lines = [_line(hit) for hit in result.hits[:_SHOWN]]
    note = cut(language, shown=len(lines), total=result.total)
    return "\n".join([title, "", *lines, *(["", note] if note else [])])


def _line(hit: SearchHit) -> str:
    names = " → ".join(code(name) for name in (hit.symbol, hit.target) if name)
    return f"- {code(f'{hit.path}:{hit.line}')} {hit.why} {names} {code(hit.snippet)}".rstrip()
