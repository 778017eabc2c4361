"""Say which files no answer covers, and why, in the language of the request."""

from collections.abc import Iterable
from typing import Final, Protocol

from minerva_insilico.answers.markdown import code
from minerva_insilico.contracts import CodeIndex, FailedFile
from minerva_insilico.core.facts import boundary
from minerva_insilico.core.index import listing
from minerva_insilico.core.index.indexer import Indexed
from minerva_insilico.core.parsing.unparsed import OWN_PYTHON, Reason, error_text, parts_of
from minerva_platform import AttachmentUse
from minerva_platform.text import Language

_SHOWN: Final = 3

_KO: Final[dict[Reason, str]] = {
    "crash": "분석 프로세스가 코드 {0}(으)로 끝났습니다",
    "files": "소스가 {0}개를 넘습니다",
    "memory": "분석에 메모리 {0}바이트가 넘게 듭니다",
    "newer_python": "Python {0} 이상이 필요합니다({1}). Python {own}(으)로 읽었습니다",
    "python_2": "Python 2로 쓴 파일입니다({0})",
    "size": "{0}바이트보다 큽니다",
    "storage": "색인에 담을 수 없습니다({0})",
    "syntax": "구문 오류({0})",
    "time": "CPU 시간 {0}초 안에 분석하지 못했습니다",
    "tree_time": "폴더에 주어진 CPU 시간 {0}초를 다 썼습니다",
}

_NO_SOURCE: Final[dict[Language, str]] = {
    "ko": "소스도 문서도 아닙니다",
    "en": "it is neither source nor document",
}
_SKIPPED_KO: Final[dict[str, str]] = {
    boundary.LINK: "링크는 따라가지 않습니다",
    boundary.NOT_REGULAR: "일반 파일이 아닙니다",
    boundary.NOT_TEXT_NAME: "이름이 UTF-8이 아닙니다",
    boundary.OUTSIDE: "색인한 폴더 밖에 있습니다",
    boundary.TOO_LARGE: f"{boundary.MAX_BYTES:,}바이트보다 큽니다",
    listing.TOO_MANY: f"소스가 {listing.MAX_FILES:,}개를 넘습니다",
    listing.WRONG_RULE: "패턴이 아닌 줄이 있습니다",
    "File name too long": "이름이 너무 깁니다",
    "No such file or directory": "읽기 전에 없어졌습니다",
    "Permission denied": "읽을 권한이 없습니다",
}


class Missing(Protocol):
    """A file that gave no facts."""

    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> Reason: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


def reason_text(item: Missing, language: Language) -> str:
    """Return why a file gave no facts, as one clause."""
    if language == "en":
        return code(error_text(item.reason, item.detail))
    *first, last = parts_of(item.reason, item.detail)
    return _KO[item.reason].format(*first, code(last), own=OWN_PYTHON)


def skipped_text(reason: str, language: Language) -> str:
    """Return why a file was not read; the system's rarer reasons are quoted."""
    if language == "en":
        return reason
    return _SKIPPED_KO.get(reason) or f"읽을 수 없습니다({code(reason)})"


def limits_line(index: CodeIndex, language: Language) -> str:
    """Return the first line of an answer about an index that a limit has left incomplete.

    It is empty if no limit has kept a file out.
    """
    items, total = index.limited, index.limited_total
    if not total:
        return ""
    named = ", ".join(
        f"{code(item.path)} ({reason_text(item, language)})" for item in items[:_SHOWN]
    )
    left = total - min(_SHOWN, len(items))
    if language == "ko":
        more = f" 외 {left:,}개" if left else ""
        return f"**불완전한 답입니다.** 한도 때문에 색인에 없는 파일 {total:,}개: {named}{more}"
    more = f" and {left:,} more" if left else ""
    noun, verb = ("file", "is") if total == 1 else ("files", "are")
    return (
        f"**Incomplete:** {total:,} {noun} {verb} not in the index because of a limit:"
        f" {named}{more}"
    )


def with_limits(text: str, index: CodeIndex, language: Language) -> str:
    """Return an answer that begins with what a limit has kept out of the index."""
    line = limits_line(index, language)
    return f"{line}\n\n{text}" if line else text


def failed_file(item: Missing, line: int | None) -> FailedFile:
    """Return a file without facts as it is handed on."""
    return FailedFile(
        path=item.path,
        error=error_text(item.reason, item.detail),
        line=line,
        reason=item.reason,
        detail=item.detail,
    )


def file_uses(
    indexed: Indexed, parsed: Iterable[str], language: Language
) -> tuple[AttachmentUse, ...]:
    """Return what became of each file in a tree; hidden ones are left out."""
    uses = [AttachmentUse(name=path, status="used") for path in parsed]
    uses += [
        AttachmentUse(
            name=item.path,
            status="unreadable" if item.reason in _NOT_READ else "not_understood",
            reason=reason_text(item, language),
        )
        for item in indexed.failed
    ]
    uses += [
        AttachmentUse(
            name=item.path, status="unreadable", reason=skipped_text(item.reason, language)
        )
        for item in indexed.skipped
    ]
    uses += [
        AttachmentUse(name=path, status="not_understood", reason=_NO_SOURCE[language])
        for path in indexed.others
    ]
    return tuple(uses)


_NOT_READ: Final[frozenset[Reason]] = frozenset({"crash", "memory", "time", "tree_time"})
