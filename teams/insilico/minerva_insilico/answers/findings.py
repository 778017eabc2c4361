"""Write the findings in code, in the language of the request."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from minerva_insilico.answers.lists import titled_list
from minerva_insilico.answers.missing_files import failed_line
from minerva_insilico.answers.uses import as_text, summary_of_uses, why_of_use
from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.fields.elsewhere import Elsewhere
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.fields.verdict import BY_NAME
from minerva_insilico.core.index.index import Hit, Page, SymbolRef
from minerva_insilico.core.queries.name_question import NameQuestion, QuestionKind
from minerva_insilico.core.queries.search import SearchMode
from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.answers", "findings")
MAX_SHOWN = 25
_MAX_WORDS = 5
ARTIFACT = "code_uses.csv"

_SHOWS_DEFINITIONS = frozenset({"any", "callees", "callers", "definition", "uses"})
"""Questions whose answer begins with where the name is defined."""


@dataclass(frozen=True)
class Finding:
    """The findings for one name. A part that was not asked for is None."""

    name: str
    symbols: Page[SymbolRef] | None = None
    callers: Page[Hit] | None = None
    importers: Page[Hit] | None = None
    uses: Page[FieldUse] | None = None
    texts: Page[Hit] | None = None
    callees: Page[Hit] | None = None
    imports: Page[Hit] | None = None
    left_out: tuple[FieldUse, ...] = ()
    elsewhere: Elsewhere | None = None
    """The lines with the name in what is no Python."""

    def within(self, paths: Collection[str]) -> "Finding":
        """Return the findings that lie in `paths`; all if there are none."""
        if not paths:
            return self
        kept: dict[str, Any] = {
            name: _within(part, paths)
            for name, part in vars(self).items()
            if name not in {"name", "left_out", "elsewhere"}
        }
        return replace(self, **kept)

    @property
    def definitions(self) -> tuple[SymbolRef, ...]:
        """The symbols which the name names, without those that only contain it."""
        last = self.name.rpartition(".")[2].lower()
        items = self.symbols.items if self.symbols else ()
        return tuple(item for item in items if item.qualname.rpartition(".")[2].lower() == last)

    @property
    def _pages(self) -> tuple[Page[Any] | None, ...]:
        calls = self.callers, self.callees, self.importers, self.imports
        return (*calls, self.uses, self.texts)

    @property
    def has_hits(self) -> bool:
        """True if anything but a definition was found."""
        return any(page.total for page in self._pages if page)

    def places(self) -> Iterator[tuple[str, int, str]]:
        """Yield (path, line, text) of everything that answers the question."""
        for symbol in self.definitions:
            yield symbol.path, symbol.line, symbol.signature
        for page in self._pages:
            for hit in page.items if page else ():
                yield hit.path, hit.line, hit.snippet


def _within(page: Page[Any] | None, paths: Collection[str]) -> Page[Any] | None:
    if page is None:
        return None
    items = tuple(item for item in page.items if item.path in paths)
    return Page(items, len(items))


def answer_names(findings: Iterable[Finding], question: NameQuestion, language: Language) -> str:
    """Write one section for each name, behind what was not understood of the question."""
    parts: list[str] = []
    if question.unread:
        words = ", ".join(f"`{word}`" for word in question.unread[:_MAX_WORDS])
        parts.append(TEXTS("unread", language, words=words))
    for finding in findings:
        parts.append(f"**{code_span(finding.name)}**")
        sections = [*_name_sections(finding, question, language)]
        parts += sections
        if not (finding.has_hits or (sections and question.kind in {"any", "definition"})):
            parts.append(nothing_text(question.kind, language))
        if not sections and finding.symbols and finding.symbols.items:
            similar = ", ".join(code_span(item.qualname) for item in finding.symbols.items[:5])
            parts.append(TEXTS("similar", language, names=similar))
    return "\n\n".join(parts)


def nothing_text(kind: QuestionKind | SearchMode, language: Language) -> str:
    """Return the sentence that nothing was found, and what was looked for."""
    key = {"field_uses": "uses", "symbol": "definition"}.get(kind, kind)
    return TEXTS("nothing", language, looked_for=TEXTS(f"looked_for.{key}", language))


def _name_sections(finding: Finding, question: NameQuestion, language: Language) -> Iterator[str]:
    kind, lines = question.kind, partial(_section, language=language)
    if finding.definitions and kind in _SHOWS_DEFINITIONS:
        yield lines("symbol", map(_definition, finding.definitions), len(finding.definitions))
    if finding.callers and (finding.callers.total or kind == "callers"):
        calls = (_call(hit, hit.symbol, language) for hit in finding.callers.items)
        yield lines("callers", calls, finding.callers.total)
    if finding.callees:
        calls = (_call(hit, hit.target, language) for hit in finding.callees.items)
        yield lines("callees", calls, finding.callees.total)
    if finding.imports:
        yield lines("imports", map(_import, finding.imports.items), finding.imports.total)
    if finding.importers and (finding.importers.total or kind == "importers"):
        yield lines("importers", map(_import, finding.importers.items), finding.importers.total)
    if finding.uses and finding.uses.total:
        in_order = sorted(finding.uses.items, key=lambda use: use.score < 1)
        uses = (use_line(use, language) for use in in_order)
        yield lines("field_uses", uses, finding.uses.total, artifact=ARTIFACT)
    if finding.uses and (finding.uses.total or finding.left_out or finding.elsewhere):
        yield summary_of_uses(finding.uses.items, finding.left_out, language)
    if finding.elsewhere:
        lines_ = (
            f"- {_place(hit)} {code_span(hit.snippet)}" for hit in finding.elsewhere.lines.items
        )
        yield "\n".join([as_text(finding.elsewhere, language), *lines_])
    if finding.texts and (finding.texts.total or kind == "text"):
        lines_ = (f"- {_place(hit)} {code_span(hit.snippet)}" for hit in finding.texts.items)
        yield lines("text", lines_, finding.texts.total)


def _section(
    kind: SearchMode,
    lines: Iterable[str],
    total: int,
    *,
    language: Language,
    artifact: str = "",
) -> str:
    title = TEXTS(f"titles.{kind}", language)
    return titled_list(title, islice(lines, MAX_SHOWN), total, language, artifact=artifact)


def _definition(item: SymbolRef) -> str:
    return f"- {code_span(item.place)} {item.kind} {code_span(item.qualname + item.signature)}"


def _call(hit: Hit, name: str, language: Language) -> str:
    resolution = TEXTS(f"resolutions.{hit.why}", language)
    return f"- {_place(hit)} {code_span(name)}: {resolution}"


def _import(hit: Hit) -> str:
    return f"- {code_span(hit.symbol)} {_place(hit)}"


def _place(hit: Hit | FieldUse) -> str:
    return code_span(f"{hit.path}:{hit.line}")


def use_line(use: FieldUse, language: Language) -> str:
    """Return one use as an item of a list."""
    flows = f" → **{use.sink}**" if use.sink else ""
    kind = TEXTS(f"kinds.{use.kind}", language)
    is_asked = use.reason == BY_NAME.reason
    why = "" if is_asked else f", {why_of_use(use.score, use.reason, language)}"
    return f"- {_place(use)} ({kind}{flows}{why}) {code_span(use.snippet)}"


def answer_sinks(sinks: Page[FieldUse], question: NameQuestion, language: Language) -> str:
    """Write the values that flow into logs, or that the request names nothing."""
    if question.kind != "sinks":
        return TEXTS("sinks.unnamed", language)
    if not sinks.total:
        return TEXTS("sinks.none", language)
    lines = (use_line(use, language) for use in sinks.items[:MAX_SHOWN])
    title = TEXTS("sinks.title", language)
    return titled_list(title, lines, sinks.total, language, artifact=ARTIFACT)


def failed_list(index: CodeIndex, language: Language) -> str:
    """Write the searched names, and the files that no answer covers."""
    opening = TEXTS("searched.files", language, parsed=index.parsed, files=index.files)
    if not index.failed:
        return opening
    title = f"{opening} {TEXTS('searched.failed', language)}"
    lines = (failed_line(item, language) for item in index.failed[:MAX_SHOWN])
    return titled_list(title, lines, len(index.failed), language)
