"""Lists of an answer: a title with its count, a line an item, and a note if it was cut."""

from collections.abc import Iterable

from minerva_platform.text import Language, code_span, read_texts

TEXTS = read_texts("minerva_insilico.answers", "lists")


def cut_note(language: Language, *, shown: int, total: int, artifact: str = "") -> str:
    """Return the sentence that says a list was cut, and that `artifact` has all; else nothing."""
    if shown >= total:
        return ""
    note = TEXTS("cut", language, shown=shown, total=total)
    return f"{note} {TEXTS('whole', language, artifact=code_span(artifact))}" if artifact else note


def titled_list(
    title: str, lines: Iterable[str], total: int, language: Language, *, artifact: str = ""
) -> str:
    """Return `title (12):` above the lines, and below them a note if they are fewer than total."""
    body = list(lines)
    return with_note([f"{title} ({total:,}):", "", *body], len(body), total, language, artifact)


def with_note(
    lines: Iterable[str], shown: int, total: int, language: Language, artifact: str = ""
) -> str:
    """Return lines, and below them a note if `shown` is less than `total`."""
    note = cut_note(language, shown=shown, total=total, artifact=artifact)
    return "\n".join([*lines, *(["", note] if note else [])])


def left_out(names: str, count: int, language: Language) -> str:
    """Return names, and how many more there are."""
    return f"{names} {TEXTS('more', language, count=count)}" if count > 0 else names
