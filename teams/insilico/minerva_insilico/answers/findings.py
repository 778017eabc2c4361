"""Write what was found in code, in the language of the request."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from minerva_insilico.answers.markdown import code, cut
from minerva_insilico.answers.missing_files import reason_text
from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.fields.usage import FieldUse
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_insilico.core.queries.caller import CallHit, ImportHit
from minerva_insilico.core.queries.name_question import NameQuestion
from minerva_insilico.core.queries.text import TextHit
from minerva_platform.text import Language

SHOWN = 25
ARTIFACT = "code_uses.csv"

KINDS: dict[Language, dict[str, str]] = {
    "ko": {
        "attribute": "속성",
        "dict_key": "딕셔너리 키",
        "keyword": "키워드 인자",
        "name": "변수",
        "sql_string": "SQL",
        "string": "문자열",
    },
    "en": {
        "attribute": "attribute",
        "dict_key": "dict key",
        "keyword": "keyword",
        "name": "variable",
        "sql_string": "SQL",
        "string": "string",
    },
}
_RESOLUTIONS: dict[Language, dict[str, str]] = {
    "ko": {"exact": "확실(import로 증명)", "same_name": "이름만 같음"},
    "en": {"exact": "exact (proved by the import)", "same_name": "same name only"},
}


@dataclass(frozen=True)
class Finding:
    """What was found for one name; None where it was not asked for."""

    name: str
    symbols: Page[SymbolRef] | None = None
    callers: Page[CallHit] | None = None
    importers: Page[ImportHit] | None = None
    uses: Page[FieldUse] | None = None
    texts: Page[TextHit] | None = None
    callees: Page[CallHit] | None = None
    imports: Page[ImportHit] | None = None

    @property
    def definitions(self) -> tuple[SymbolRef, ...]:
        """The symbols which the name names, without those that only contain it."""
        last = self.name.rpartition(".")[2].lower()
        items = self.symbols.items if self.symbols else ()
        return tuple(item for item in items if item.qualname.rpartition(".")[2].lower() == last)

    def places(self) -> Iterator[tuple[str, int, str]]:
        """Yield (path, line, text) of everything that answers the question."""
        for symbol in self.definitions:
            yield symbol.path, symbol.line, symbol.signature
        for page in (
            self.callers,
            self.callees,
            self.importers,
            self.imports,
            self.uses,
            self.texts,
        ):
            for hit in page.items if page else ():
                yield hit.path, hit.line, hit.snippet


def answer_names(findings: Iterable[Finding], question: NameQuestion, language: Language) -> str:
    """Write one section for each name."""
    parts: list[str] = []
    for finding in findings:
        parts.append(f"**{code(finding.name)}**")
        sections = [*_name_sections(finding, question, language)]
        nothing = "찾은 것이 없습니다." if language == "ko" else "Nothing was found."
        parts += sections or [nothing]
        if not sections and finding.symbols and finding.symbols.items:
            similar = ", ".join(code(item.qualname) for item in finding.symbols.items[:5])
            parts.append(f"비슷한 이름: {similar}" if language == "ko" else f"Similar: {similar}")
    return "\n\n".join(parts)


def _name_sections(finding: Finding, question: NameQuestion, language: Language) -> Iterator[str]:
    is_korean = language == "ko"
    if finding.definitions and question.kind in {"any", "callees", "callers", "definition", "uses"}:
        yield _symbols(finding.definitions, language)
    if finding.callers and (finding.callers.total or question.kind == "callers"):
        yield _callers(finding.callers, language)
    if finding.callees:
        yield _callees(finding.callees, language)
    if finding.imports:
        title = "import하는 것" if is_korean else "Imports"
        lines = (
            f"- {code(hit.module)} {code(f'{hit.path}:{hit.line}')}"
            for hit in finding.imports.items[:SHOWN]
        )
        yield _listed(f"{title} ({finding.imports.total:,})", lines, finding.imports, language)
    if finding.importers and (finding.importers.total or question.kind == "importers"):
        title = "import하는 곳" if is_korean else "Imported by"
        lines = (
            f"- {code(hit.module)} {code(f'{hit.path}:{hit.line}')}"
            for hit in finding.importers.items[:SHOWN]
        )
        yield _listed(f"{title} ({finding.importers.total:,})", lines, finding.importers, language)
    if finding.uses and finding.uses.total:
        yield _uses(finding.uses, language)
    if finding.texts:
        title = "이 문자열이 있는 줄" if is_korean else "Lines with this text"
        lines = (
            f"- {code(f'{hit.path}:{hit.line}')} {code(hit.snippet)}"
            for hit in finding.texts.items[:SHOWN]
        )
        yield _listed(f"{title} ({finding.texts.total:,})", lines, finding.texts, language)


def _symbols(symbols: tuple[SymbolRef, ...], language: Language) -> str:
    title = "정의" if language == "ko" else "Defined"
    lines = (
        f"- {code(item.place)} {item.kind} {code(item.qualname + item.signature)}"
        for item in symbols[:SHOWN]
    )
    return _listed(f"{title} ({len(symbols):,})", lines, Page(symbols, len(symbols)), language)


def _callers(page: Page[CallHit], language: Language) -> str:
    title = "호출하는 곳" if language == "ko" else "Called by"
    lines = (
        f"- {code(f'{hit.path}:{hit.line}')} {code(hit.symbol)}:"
        f" {_RESOLUTIONS[language][hit.resolution]}"
        for hit in page.items[:SHOWN]
    )
    return _listed(f"{title} ({page.total:,})", lines, page, language)


def _callees(page: Page[CallHit], language: Language) -> str:
    title = "호출하는 것" if language == "ko" else "Calls"
    lines = (
        f"- {code(f'{hit.path}:{hit.line}')} {code(hit.target)}:"
        f" {_RESOLUTIONS[language][hit.resolution]}"
        for hit in page.items[:SHOWN]
    )
    return _listed(f"{title} ({page.total:,})", lines, page, language)


def _uses(page: Page[FieldUse], language: Language) -> str:
    title = "쓰는 곳" if language == "ko" else "Used in"
    lines = (use_line(use, language) for use in page.items[:SHOWN])
    return _listed(f"{title} ({page.total:,})", lines, page, language, artifact=ARTIFACT)


def use_line(use: FieldUse, language: Language) -> str:
    """Return one use as an item of a list."""
    flows = f" → **{use.sink}**" if use.sink else ""
    kind = KINDS[language][use.kind]
    return f"- {code(f'{use.path}:{use.line}')} ({kind}{flows}) {code(use.snippet)}"


def _listed(
    title: str,
    lines: Iterable[str],
    page: Page[SymbolRef] | Page[CallHit] | Page[ImportHit] | Page[FieldUse] | Page[TextHit],
    language: Language,
    *,
    artifact: str = "",
) -> str:
    body = list(lines)
    note = cut(language, shown=len(body), total=page.total, artifact=artifact)
    return "\n".join([f"{title}:", "", *body, *(["", note] if note else [])])


def answer_sinks(sinks: Page[FieldUse], question: NameQuestion, language: Language) -> str:
    """Write what flows into logs; the answer, too, when a request names nothing."""
    is_korean = language == "ko"
    parts: list[str] = []
    if question.kind != "sinks":
        parts.append(
            "요청에서 찾을 이름을 알아보지 못했습니다. 예: `PAT_NM 쓰는 곳`,"
            " `load를 호출하는 곳`. 대신 로그나 화면으로 나가는 값을 보여 드립니다."
            if is_korean
            else "The request names nothing to look for; ask like `where is PAT_NM used` or"
            " `who calls load`. Shown instead: values that flow into logs or prints."
        )
    if not sinks.total:
        nothing = "로그나 print로 바로 나가는 값이 없습니다."
        parts.append(nothing if is_korean else "No value flows straight into a log or a print.")
        return "\n\n".join(parts)
    title = "로그나 print로 나가는 값" if is_korean else "Values in logs or prints"
    lines = (use_line(use, language) for use in sinks.items[:SHOWN])
    parts.append(_listed(f"{title} ({sinks.total:,})", lines, sinks, language, artifact=ARTIFACT))
    return "\n\n".join(parts)


def failed_list(index: CodeIndex, language: Language) -> str:
    """Write what was searched, and which files no answer covers."""
    if language == "ko":
        opening = f"분석한 파일 {index.parsed:,}/{index.files:,}개를 찾아보았습니다."
        missing = "분석하지 못해 찾아보지 못한 파일"
    else:
        opening = f"Searched: {index.parsed:,} of {index.files:,} files."
        missing = "Not parsed, so not searched"
    if not index.failed:
        return opening
    lines = [
        f"- {code(item.path if item.line is None else f'{item.path}:{item.line}')}"
        f": {reason_text(item, language)}"
        for item in index.failed[:SHOWN]
    ]
    note = cut(language, shown=len(lines), total=len(index.failed))
    body = [f"{opening} {missing} ({len(index.failed):,}):", "", *lines]
    return "\n".join([*body, *(["", note] if note else [])])
