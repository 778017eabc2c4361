"""Write docstring coverage, missing docstrings and drafts, in the language of the request."""

import re
from dataclasses import dataclass
from typing import Final

from minerva_insilico.answers.findings import failed_list
from minerva_insilico.answers.lists import titled_list, with_note
from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.docstrings.coverage import Coverage
from minerva_insilico.core.docstrings.drafting import Drafts
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_platform import Artifact
from minerva_platform.text import Language, code_span, csv_text, markdown_table, read_texts

TEXTS = read_texts("minerva_insilico.answers", "coverage")

_MAX_SHOWN = 20
_MAX_DRAFTS_SHOWN = 3
_MISSING_FILE = "missing_docstrings.csv"

_CALLED: Final = frozenset({"function", "method"})
"""Kinds of symbols that hold no others to count."""


@dataclass(frozen=True)
class Report:
    """The values that the answer shows."""

    index: CodeIndex
    under: str
    coverage: Coverage
    by_file: dict[str, Coverage]
    missing: Page[SymbolRef]
    symbols: tuple[SymbolRef, ...]
    """The symbols that the request names: then the lists of all others are left out."""
    drafts: Drafts | None
    public_only: bool = False
    lacks_model: bool = False
    """True if drafts are asked for and there is no model to find their words."""


def answer(report: Report, language: Language) -> str:
    """Write the answer as Markdown."""
    is_narrow = report.drafts is not None and bool(report.symbols)
    is_narrow |= bool(report.symbols) and all(one.kind in _CALLED for one in report.symbols)
    parts = [
        _describe_symbols(report.symbols, language),
        "" if is_narrow and report.drafts is None else _opening(report, language),
        "" if is_narrow else _worst(report.by_file, language),
        "" if is_narrow else _missing(report.missing, language),
        _drafts(report, language),
        failed_list(report.index, language),
    ]
    return "\n\n".join(part for part in parts if part)


def _describe_symbols(symbols: tuple[SymbolRef, ...], language: Language) -> str:
    """Say of each symbol that the request names whether it has a docstring."""
    lines = (
        TEXTS(
            "named.has" if one.documented else "named.lacks",
            language,
            place=code_span(one.place),
            name=code_span(one.qualname),
        )
        for one in symbols[:_MAX_SHOWN]
    )
    return "\n".join(lines)


def _opening(report: Report, language: Language) -> str:
    coverage = report.coverage
    place = f" ({code_span(report.under)})" if report.under else ""
    if not coverage.total:
        index = report.index
        return TEXTS("nothing", language, place=place, parsed=index.parsed, files=index.files)
    opening = TEXTS(
        "counted",
        language,
        place=place,
        share=coverage.share,
        total=coverage.total,
        covered=coverage.covered,
        missing=coverage.missing,
    )
    filler = TEXTS("filler", language, count=coverage.filler) if coverage.filler else ""
    rule = TEXTS("only_public" if report.public_only else "everything", language)
    return " ".join(filter(None, [opening, filler, rule]))


def _worst(by_file: dict[str, Coverage], language: Language) -> str:
    rows = [(path, item) for path, item in by_file.items() if item.missing]
    if len(by_file) < 2 or not rows:  # noqa: PLR2004 - one file needs no comparison
        return ""
    body = (
        (code_span(path), f"{item.missing:,}", f"{item.total:,}", item.share)
        for path, item in rows[:_MAX_SHOWN]
    )
    table = markdown_table(TEXTS.row("by_file", language), body)
    return with_note([table], min(len(rows), _MAX_SHOWN), len(rows), language)


def _missing(missing: Page[SymbolRef], language: Language) -> str:
    if not missing.total:
        return ""
    lines = (
        f"- {code_span(item.place)} {item.kind} {code_span(item.qualname)}"
        f"{TEXTS('says_nothing', language) if item.documented else ''}"
        for item in missing.items[:_MAX_SHOWN]
    )
    title = TEXTS("missing", language)
    return titled_list(title, lines, missing.total, language, artifact=_MISSING_FILE)


def _drafts(report: Report, language: Language) -> str:
    drafts = report.drafts
    if report.lacks_model:
        return TEXTS("drafts.no_model", language)
    if drafts is None:
        return ""
    if not drafts.subjects and not drafts.refused:
        return TEXTS("drafts.not_needed", language)
    parts = [_offer(drafts, language)]
    for item in drafts.drafts[:_MAX_DRAFTS_SHOWN]:
        longest = max(map(len, re.findall("`+", item.docstring)), default=0)
        fence = "`" * max(3, longest + 1)
        where = f"{code_span(item.symbol.place)} {code_span(item.symbol.qualname)}"
        rests = TEXTS("drafts.rests", language, first=item.symbol.line, last=item.symbol.end_line)
        parts.append(f"{where} ({rests})\n\n{fence}text\n{item.docstring}\n{fence}")
    if drafts.refused:
        refused = drafts.refused
        lines = (f"- {code_span(place)}: {reason}" for place, reason in refused[:_MAX_SHOWN])
        title = TEXTS("drafts.refused", language)
        parts.append(titled_list(title, lines, len(refused), language))
    return "\n\n".join(parts)


def _offer(drafts: Drafts, language: Language) -> str:
    """Write how many drafts there are, and the command that would write them."""
    if not drafts.drafts:
        return TEXTS("drafts.none", language)
    return TEXTS(
        "drafts.offer",
        language,
        asked=len(drafts.subjects),
        count=len(drafts.drafts),
        style=drafts.style,
    )


def artifacts(report: Report) -> list[Artifact]:
    """Return the lists and the patch that an answer names."""
    found: list[Artifact] = []
    missing, drafts = report.missing, report.drafts
    if missing.total > _MAX_SHOWN:
        rows = ((item.qualname, item.kind, item.path, item.line) for item in missing.items)
        content = csv_text(("qualname", "kind", "path", "line"), rows)
        found.append(Artifact(name=_MISSING_FILE, media_type="text/csv", content=content))
    if drafts and drafts.patch:
        found.append(
            Artifact(name="docstrings.diff", media_type="text/x-diff", content=drafts.patch)
        )
    return found
