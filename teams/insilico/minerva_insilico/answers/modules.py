"""Write the contents of modules: outlines, summaries, complexity, in the request's language."""

from collections.abc import Iterable, Sequence

from minerva_insilico.answers.lists import left_out, titled_list, with_note
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_insilico.core.queries.complexity import rank
from minerva_insilico.core.queries.summary import ModuleSummary
from minerva_platform.text import Language, code_span, markdown_table, read_texts

TEXTS = read_texts("minerva_insilico.answers", "modules")
_MAX_SHOWN = 20
_MAX_SYMBOLS_SHOWN = 100


def answer_outline(outlines: Iterable[tuple[str, Sequence[SymbolRef]]], language: Language) -> str:
    """Write the classes and functions of files, as they stand in each other."""
    parts: list[str] = []
    for path, symbols in outlines:
        depth = min((item.qualname.count(".") for item in symbols), default=0)
        lines = [_symbol_line(item, depth) for item in symbols[:_MAX_SYMBOLS_SHOWN]]
        title = code_span(path)
        parts.append(titled_list(title, lines, len(symbols), language) if lines else title)
    return "\n\n".join(parts)


def _symbol_line(item: SymbolRef, depth: int) -> str:
    return (
        f"{'  ' * (item.qualname.count('.') - depth)}- {item.kind}"
        f" {code_span(item.qualname.rpartition('.')[2] + item.signature)}"
        f" {item.line}-{item.end_line}, {rank(item.complexity)} {item.complexity}"
    )


def answer_complexity(page: Page[SymbolRef], language: Language) -> str:
    """Write the most complex functions of the modules in question."""
    if not page.items:
        return TEXTS("no_functions", language)
    rows = [
        (
            code_span(item.qualname),
            code_span(item.place),
            f"{item.complexity:,} ({rank(item.complexity)})",
        )
        for item in page.items[:_MAX_SHOWN]
    ]
    table = markdown_table(TEXTS.row("complexity", language), rows)
    return with_note([table], len(rows), page.total, language)


def answer_summary(item: ModuleSummary, language: Language) -> str:
    """Write one module: exports, dependencies, size, complexity, documented share."""
    heads = ", ".join(
        f"{code_span(f.qualname.rpartition('.')[2])} {code_span(f.place)} {f.complexity}"
        for f in item.complex
    )
    values = (
        f"{item.lines:,}",
        f"{item.documented.share} % ({item.documented.covered:,}/{item.documented.total:,})",
        names_text(item.exports, language),
        names_text(item.imports, language),
        names_text(item.foreign, language),
        names_text(item.imported_by, language),
        heads or "-",
    )
    title = f"**{code_span(item.module)}** {code_span(item.path)}"
    words = TEXTS.row("summary", language)
    lines = [f"- {word}: {value}" for word, value in zip(words, values, strict=True)]
    first = [f"> {code_span(item.first_line)}", ""] if item.first_line else []
    return "\n".join([title, "", *first, *lines])


def names_text(names: Sequence[str], language: Language) -> str:
    """Return names as code, cut with the number of the others. Without names it is `-`."""
    shown = ", ".join(map(code_span, names[:_MAX_SHOWN])) or "-"
    return left_out(shown, len(names) - _MAX_SHOWN, language)
