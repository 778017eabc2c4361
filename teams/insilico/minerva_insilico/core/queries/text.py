"""Find text in every file that could be read, parsed or not, and sections of documents.

A pattern is matched by RE2, which takes time in proportion to the text, whatever a stranger typed.
"""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minerva_insilico.core.facts.errors import WrongQueryError
from minerva_insilico.core.facts.identifier_words import split_identifier
from minerva_insilico.core.index.index import Hit, Index, Page, cut_snippet
from minerva_insilico.core.index.store import source_text
from minerva_insilico.core.visitors.visit_state import split_lines

_DEFAULT_LIMIT = 50
_MAX_WORDS = 12
_ALL = 1_000_000
_TEXT_ALONE = (
    "SELECT path FROM files WHERE NOT is_parsed AND language IN ('python', 'cython', 'notebook')"
)
_PATTERN_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class SectionHit:
    """A section of a document, or a docstring."""

    path: str
    line: int
    end_line: int
    kind: str
    """`markdown`, `rst` or `docstring`."""
    title: str
    """The heading. For a docstring, the name of the documented symbol."""
    snippet: str
    score: float
    """Higher is better. Only the scores of one question can be compared."""


def find_text(
    index: Index, text: str, *, limit: int = _DEFAULT_LIMIT, is_pattern: bool = False
) -> Page[Hit]:
    """Find a text, in any case, in the files as they were indexed.

    Raises:
        WrongQueryError: with `is_pattern`, it is no regular expression that RE2 takes.
    """
    hits: list[Hit] = []
    total = 0
    matches = _pattern(text) if is_pattern else _literal(text)
    rows = index.connection.execute(
        "SELECT path, source FROM files WHERE source NOTNULL ORDER BY path"
    )
    for path, source in rows if text else ():
        content = source_text(source)
        if not matches(content):
            continue
        for number, line in enumerate(split_lines(content), start=1):
            if matches(line):
                total += 1
                if len(hits) < limit:
                    hits.append(Hit(path, number, "", cut_snippet(line), 1.0, "text"))
    return Page(tuple(hits), total)


def lines_with(index: Index, name: str) -> tuple[Hit, ...]:
    """Return all lines that have the last part of a name as a word, in its own case."""
    word = re.escape(name.rpartition(".")[2])
    return find_text(index, rf"(?-i:\b{word}\b)", limit=_ALL, is_pattern=True).items


def unparsed_lines(index: Index, name: str) -> tuple[Hit, ...]:
    """Return the lines with a name in code that was not parsed."""
    paths = {row[0] for row in index.connection.execute(_TEXT_ALONE)}
    return tuple(hit for hit in lines_with(index, name) if hit.path in paths) if paths else ()


def find_sections(index: Index, query: str, *, limit: int = _DEFAULT_LIMIT) -> Page[SectionHit]:
    """Find sections of Markdown and reStructuredText, and docstrings, by their words.

    Those with all of the words come first; if there are none, those with some of them.
    """
    words = split_identifier(query).split()[:_MAX_WORDS]
    for joint in (" AND ", " OR ") if words else ():
        expression = joint.join(f'"{word}"*' for word in words)
        count = "SELECT count(*) FROM section_words WHERE section_words MATCH ?"
        total = int(index.connection.execute(count, (expression,)).fetchone()[0])
        if total:
            rows = index.connection.execute(_SECTIONS, (expression, limit))
            return Page(tuple(SectionHit(*row) for row in rows), total)
    return Page((), 0)


_SECTIONS = (
    "SELECT f.path, s.line, s.end_line, s.kind,"
    " CASE WHEN s.kind <> 'docstring' THEN w.title WHEN w.title = '' THEN f.module"
    " WHEN f.module = '' THEN w.title ELSE f.module || '.' || w.title END,"
    " snippet(section_words, 1, '', '', '…', 24), -bm25(section_words, 6.0, 1.0) AS score"
    " FROM section_words AS w JOIN sections AS s ON s.id = w.rowid JOIN files AS f ON f.id = s.file"
    " WHERE section_words MATCH ? ORDER BY score DESC, f.path, s.line LIMIT ?"
)


def _literal(text: str) -> Callable[[str], bool]:
    wanted = text.casefold()
    return lambda content: wanted in content.casefold()


def _pattern(text: str) -> Callable[[str], bool]:
    re2: Any = importlib.import_module("re2")  # untyped

    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = _PATTERN_BYTES
    options.log_errors = False
    try:
        compiled = re2.compile(f"(?m){text}", options=options)
    except re2.error as error:
        reason: Any = error.args[0] if error.args else "it is wrong"
        shown = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise WrongQueryError(text, shown.partition(":")[0]) from error
    return lambda content: compiled.search(content) is not None
