"""Write docstring coverage, what is missing and the drafts, in the language of the request."""

import re
from dataclasses import dataclass

from minerva_insilico.answers.findings import failed_list
from minerva_insilico.answers.markdown import code, cut, table, to_csv
from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.docstrings.coverage import Coverage
from minerva_insilico.core.docstrings.drafting import Drafts
from minerva_insilico.core.index.index import Page, SymbolRef
from minerva_platform import Artifact
from minerva_platform.text import Language

_SHOWN = 20
_DRAFTS_SHOWN = 3


_SAYS_NOTHING: dict[Language, str] = {
    "ko": " (docstring이 이름을 되풀이할 뿐)",
    "en": " (its docstring says nothing but the name)",
}


@dataclass(frozen=True)
class Report:
    """What there is to tell."""

    index: CodeIndex
    under: str
    counted: Coverage
    by_file: dict[str, Coverage]
    selected: Page[SymbolRef]
    is_named: bool
    """Whether the request names symbols: then the lists of all others are left out."""
    drafted: Drafts | None
    public_only: bool = False
    lacks_model: bool = False
    """Whether drafts are asked for and there is no model to find their words."""


def answer(report: Report, language: Language) -> str:
    """Write the answer as Markdown."""
    is_narrow = report.is_named and report.drafted is not None
    parts = [
        _opening(report, language),
        "" if is_narrow else _worst(report.by_file, language),
        "" if is_narrow else _missing(report.selected, language),
        _drafts(report, language),
        failed_list(report.index, language),
    ]
    return "\n\n".join(part for part in parts if part)


def _opening(report: Report, language: Language) -> str:
    counted = report.counted
    place = f" ({code(report.under)})" if report.under else ""
    filler = _filler(counted.filler, language)
    if not counted.total:
        parsed, files = report.index.parsed, report.index.files
        if language == "ko":
            read = f"파일 {files:,}개 중 {parsed:,}개 분석"
            return f"docstring 커버리지{place}: 잴 것이 없습니다({read})."
        return (
            f"Docstring coverage{place}: nothing to measure: {parsed:,} of {files:,} files parsed."
        )
    if language == "ko":
        rule = (
            "공개된 것만 셉니다(`_`로 시작하는 이름과 함수 안의 정의는 뺍니다)."
            if report.public_only
            else "모듈, 클래스, 모든 함수와 메서드(중첩, 비공개, `__init__` 포함)를 셉니다."
        )
        return (
            f"docstring 커버리지{place}: **{counted.share} %** — 정의 {counted.total:,}개 중"
            f" {counted.covered:,}개에 있고 {counted.missing:,}개에 없습니다.{filler} {rule}"
        )
    rule = (
        "Only what is public counts (no `_names`, nothing inside functions)."
        if report.public_only
        else "Modules, classes and all functions and methods count (nested, private and"
        " `__init__` included)."
    )
    return (
        f"Docstring coverage{place}: **{counted.share} %** — {counted.covered:,} of"
        f" {counted.total:,} definitions have one, {counted.missing:,} lack it.{filler} {rule}"
    )


def _filler(count: int, language: Language) -> str:
    if not count:
        return ""
    if language == "ko":
        return f" 없는 것 가운데 {count:,}개는 docstring이 있지만 이름을 되풀이할 뿐입니다."
    return f" {count:,} of those have a docstring that says nothing but the name."


def _worst(by_file: dict[str, Coverage], language: Language) -> str:
    rows = [(path, item) for path, item in by_file.items() if item.missing]
    if len(by_file) < 2 or not rows:  # noqa: PLR2004 - one file needs no comparison
        return ""
    headers = ("파일", "없음", "전체", "%") if language == "ko" else ("file", "missing", "all", "%")
    body = (
        (code(path), f"{item.missing:,}", f"{item.total:,}", item.share)
        for path, item in rows[:_SHOWN]
    )
    note = cut(language, shown=min(len(rows), _SHOWN), total=len(rows))
    return "\n\n".join([table(headers, body), *([note] if note else [])])


def _missing(selected: Page[SymbolRef], language: Language) -> str:
    if not selected.total:
        return ""
    title = "docstring이 없는 정의" if language == "ko" else "Without a docstring"
    lines = [
        f"- {code(item.place)} {item.kind} {code(item.qualname)}"
        f"{_SAYS_NOTHING[language] if item.documented else ''}"
        for item in selected.items[:_SHOWN]
    ]
    note = cut(language, shown=len(lines), total=selected.total, artifact="missing_docstrings.csv")
    body = [f"{title} ({selected.total:,}):", "", *lines]
    return "\n".join([*body, *(["", note] if note else [])])


def _drafts(report: Report, language: Language) -> str:
    drafted, is_korean = report.drafted, language == "ko"
    if report.lacks_model:
        return _WITHOUT_MODEL[language]
    if drafted is None:
        return ""
    if not drafted.subjects and not drafted.refused:
        done = "초안이 필요한 정의가 없습니다: 모두 docstring이 있습니다."
        return done if is_korean else "Nothing to draft: every one of them has a docstring."
    parts = [_offer(drafted, language)]
    for item in drafted.drafts[:_DRAFTS_SHOWN]:
        fence = "`" * max(3, _longest_fence(item.docstring) + 1)
        where = f"{code(item.symbol.place)} {code(item.symbol.qualname)}"
        parts.append(f"{where}\n\n{fence}text\n{item.docstring}\n{fence}")
    if drafted.refused:
        title = "초안을 만들지 않음" if is_korean else "Not drafted"
        lines = [f"- {code(place)}: {reason}" for place, reason in drafted.refused[:_SHOWN]]
        note = cut(language, shown=len(lines), total=len(drafted.refused))
        head = [f"{title} ({len(drafted.refused):,}):", "", *lines]
        parts.append("\n".join([*head, *(["", note] if note else [])]))
    return "\n\n".join(parts)


_WITHOUT_MODEL: dict[Language, str] = {
    "ko": "초안은 만들지 않았습니다. 초안의 문장은 모델이 쓰는데, 설정된 모델이 없습니다"
    " (`platform.yaml`의 `model:`).",
    "en": "No drafts: a model finds their words, and none is set (`model:` in `platform.yaml`).",
}


def _offer(drafted: Drafts, language: Language) -> str:
    """Write how many drafts there are, and the command that would write them."""
    count, asked = len(drafted.drafts), len(drafted.subjects)
    if not count:
        return (
            "모델의 문장 가운데 코드와 맞는 것이 없어 초안이 없습니다."
            if language == "ko"
            else "No drafts: nothing that the model said agrees with the code."
        )
    patch, apply = code("docstrings.diff"), code("git apply docstrings.diff")
    if language == "ko":
        return (
            f"초안: 물어본 정의 {asked:,}개 중 {count:,}개({drafted.style})를 {patch}에 담았습니다."
            f" 이름과 타입은 소스의 것이고 문장은 모델의 것입니다. 파일은 고치지 않았습니다."
            f" 적용: {apply}"
        )
    return (
        f"Drafts: {count:,} of {asked:,} asked about ({drafted.style}), in {patch}. Names and types"
        f" are the source's, the sentences a model's; no file was changed. To apply: {apply}"
    )


def _longest_fence(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def artifacts(report: Report) -> list[Artifact]:
    """Return the lists and the patch that an answer names."""
    found: list[Artifact] = []
    selected, drafted = report.selected, report.drafted
    if selected.total > _SHOWN:
        rows = ((item.qualname, item.kind, item.path, item.line) for item in selected.items)
        content = to_csv(("qualname", "kind", "path", "line"), rows)
        found.append(
            Artifact(name="missing_docstrings.csv", media_type="text/csv", content=content)
        )
    if drafted and drafted.patch:
        found.append(
            Artifact(name="docstrings.diff", media_type="text/x-diff", content=drafted.patch)
        )
    return found
