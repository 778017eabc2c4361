"""Say which files no answer covers, and why, in the language of the request."""

from collections.abc import Iterable
from typing import Final

from minerva_insilico.answers.lists import left_out
from minerva_insilico.contracts import CodeIndex, FailedFile
from minerva_insilico.core.facts.unread import unread_text
from minerva_insilico.core.index.indexer import Indexed
from minerva_insilico.core.index.tally import Failed
from minerva_insilico.core.parsing.parse_failure import Reason, error_text
from minerva_platform import AttachmentUse
from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.answers", "missing_files")

_MAX_SHOWN: Final = 3


def reason_text(item: FailedFile | Failed, language: Language) -> str:
    """Return why a file gave no facts, as one clause of Markdown."""
    clause = error_text(item.reason, item.detail, language)
    return code_span(clause) if language == "en" else clause


def failed_line(item: FailedFile | Failed, language: Language) -> str:
    """Return a file that gave no facts as an item of a list."""
    place = item.path if item.line is None else f"{item.path}:{item.line}"
    return f"- {code_span(place)}: {reason_text(item, language)}"


def limits_line(index: CodeIndex, language: Language) -> str:
    """Return the first line of an answer about an index that a limit has left incomplete.

    It is empty if no limit has kept a file out.
    """
    total = index.limited_total
    if not total:
        return ""
    shown = index.limited[:_MAX_SHOWN]
    named = ", ".join(f"{code_span(item.path)} ({reason_text(item, language)})" for item in shown)
    files = left_out(named, total - len(shown), language)
    return TEXTS("limited_one" if total == 1 else "limited", language, total=total, files=files)


def with_limits(text: str, index: CodeIndex, language: Language) -> str:
    """Return an answer that begins with the files that a limit has kept out of the index."""
    line = limits_line(index, language)
    return f"{line}\n\n{text}" if line else text


def file_uses(
    report: Indexed, paths: Iterable[str], language: Language
) -> tuple[AttachmentUse, ...]:
    """Return the use of each file in a tree, without hidden files."""
    uses = [AttachmentUse(name=path, status="used") for path in paths]
    uses += [
        AttachmentUse(
            name=item.path,
            status="unreadable" if item.reason in _NOT_READ else "not_understood",
            reason=reason_text(item, language),
        )
        for item in report.failed
    ]
    uses += [
        AttachmentUse(
            name=item.path, status="unreadable", reason=unread_text(item.reason, language)
        )
        for item in report.skipped
    ]
    uses += [
        AttachmentUse(name=path, status="not_understood", reason=TEXTS("no_source", language))
        for path in report.others
    ]
    return tuple(uses)


_NOT_READ: Final[frozenset[Reason]] = frozenset({"crash", "memory", "time", "tree_time"})
