"""Write what is in an index, in the language of the request."""

from collections.abc import Iterable
from pathlib import Path

from minerva_insilico.answers.markdown import code, cut, table, to_csv
from minerva_insilico.answers.missing_files import reason_text, skipped_text
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.index.index import SymbolRef
from minerva_insilico.core.index.indexer import Indexed
from minerva_platform import Artifact
from minerva_platform.text import Language

_LISTED = 20
_PROBLEMS = "problems.csv"

Symbols = tuple[SymbolRef, ...]


def describe(
    indexed: Indexed,
    counts: dict[str, int],
    longest: Symbols,
    most_complex: Symbols,
    language: Language,
) -> str:
    """Write the counts, what could not be read, and the functions that stand out."""
    parts = [
        _opening(indexed, counts, language),
        "\n".join(_other_lines(indexed, language)),
        "\n".join([*_failed_lines(indexed, language), *_skipped_lines(indexed, language)]),
        _functions(longest, most_complex, language),
    ]
    return "\n\n".join(part for part in parts if part)


def list_problems(indexed: Indexed) -> Iterable[Artifact]:
    """Yield the whole list of what was not read, where the answer shows only its start."""
    if len(indexed.failed) <= _LISTED and len(indexed.skipped) <= _LISTED:
        return
    rows = [("not parsed", item.path, item.line or "", item.error) for item in indexed.failed]
    rows += [("not read", item.path, "", item.reason) for item in indexed.skipped]
    content = to_csv(("what", "path", "line", "reason"), rows)
    yield Artifact(name=_PROBLEMS, media_type="text/csv", content=content)


def _opening(indexed: Indexed, counts: dict[str, int], language: Language) -> str:
    root = code(Path(indexed.root).name)
    classes = counts.get("class", 0)
    functions = counts.get("function", 0) + counts.get("method", 0)
    if language == "ko":
        return (
            f"{root}에서 Python 파일 **{indexed.files:,}개** 중 **{indexed.parsed:,}개**를"
            f" 분석했습니다. 클래스 {classes:,}개, 함수·메서드 {functions:,}개입니다."
            f" 이번에 새로 읽은 파일은 {indexed.read:,}개, 그대로인 파일은"
            f" {indexed.unchanged:,}개, 없어진 파일은 {indexed.removed:,}개입니다."
        )
    return (
        f"**{indexed.parsed:,} of {indexed.files:,}** Python files in {root} are parsed:"
        f" {classes:,} classes, {functions:,} functions and methods. Read in this run:"
        f" {indexed.read:,}; unchanged: {indexed.unchanged:,}; gone: {indexed.removed:,}."
    )


def _other_lines(indexed: Indexed, language: Language) -> Iterable[str]:
    """Yield a line for each other language, and for what `.gitignore` leaves out."""
    is_korean = language == "ko"
    for tally in indexed.languages:
        if tally.language == PYTHON:
            continue
        if tally.hint:
            said = "분석하지 않음, 텍스트 검색만" if is_korean else "not parsed, text alone"
            yield f"- {tally.language}: {tally.files:,} ({said}; {code(tally.hint)})"
        else:
            yield f"- {tally.language}: {tally.parsed:,}/{tally.files:,}"
    if indexed.ignored:
        said = ".gitignore가 뺀 것" if is_korean else "left out by .gitignore"
        yield f"- {said}: {indexed.ignored:,}"


def _failed_lines(indexed: Indexed, language: Language) -> Iterable[str]:
    items = indexed.failed
    if not items:
        return
    yield (
        f"분석하지 못한 파일 {len(items):,}개(이 파일들은 답에 들어 있지 않습니다):"
        if language == "ko"
        else f"Not parsed, so no answer covers them: {len(items):,}"
    )
    yield ""
    for item in items[:_LISTED]:
        place = item.path if item.line is None else f"{item.path}:{item.line}"
        yield f"- {code(place)}: {reason_text(item, language)}"
    yield from _cut_line(language, min(len(items), _LISTED), len(items), _PROBLEMS)


def _skipped_lines(indexed: Indexed, language: Language) -> Iterable[str]:
    items = indexed.skipped
    if not items:
        return
    yield ""
    yield (f"읽지 않은 것 {len(items):,}개:" if language == "ko" else f"Not read: {len(items):,}")
    yield ""
    for item in items[:_LISTED]:
        yield f"- {code(item.path)}: {skipped_text(item.reason, language)}"
    yield from _cut_line(language, min(len(items), _LISTED), len(items), _PROBLEMS)


def _cut_line(language: Language, shown: int, total: int, artifact: str) -> Iterable[str]:
    sentence = cut(language, shown=shown, total=total, artifact=artifact)
    if sentence:
        yield ""
        yield sentence


def _functions(longest: Symbols, complex_: Symbols, language: Language) -> str:
    if not longest:
        return ""
    is_korean = language == "ko"
    headers = (
        ("함수", "위치", "줄 수", "복잡도")
        if is_korean
        else ("function", "place", "lines", "complexity")
    )

    def rows(symbols: Symbols) -> list[tuple[str, ...]]:
        return [
            (
                code(item.qualname),
                code(item.place),
                f"{item.end_line - item.line + 1:,}",
                f"{item.complexity:,}",
            )
            for item in symbols
        ]

    titles = ("복잡한 함수", "긴 함수") if is_korean else ("Most complex", "Longest")
    return "\n\n".join(
        f"**{title}**\n\n{table(headers, rows(symbols))}"
        for title, symbols in zip(titles, (complex_, longest), strict=True)
    )
