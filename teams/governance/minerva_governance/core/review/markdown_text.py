"""What a Markdown text shows: no front matter, no comments and no struck-out words."""

import re
from typing import Final

from minerva_governance.core.review.html_text import HiddenKind, HiddenPart, Line, Page

_FRONT_MATTER: Final = re.compile(r"\A\ufeff?---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STRUCK: Final = re.compile(
    r"(?<!~)~~(?![~\s])(?:[^~\n]|\n(?!\s*\n))+~~(?!~)|<(?P<tag>del|s|strike)>.*?</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_TAG: Final = re.compile(r"</?[a-z][a-z0-9-]*(?:\s[^<>\n]*)?/?>", re.IGNORECASE)
_MARKS: Final[tuple[tuple[HiddenKind, re.Pattern[str]], ...]] = (
    ("comment", _COMMENT),
    ("struck", _STRUCK),
)


def front_matter(text: str) -> str:
    """Return the YAML before a document, which a site's generator reads and no person."""
    match = _FRONT_MATTER.match(text)
    return match.group() if match else ""


def marked_page(text: str) -> Page:
    """Return the shown lines of a Markdown text with their numbers, and what is not said."""
    head = front_matter(text)
    content = "\n" * head.count("\n") + text[len(head) :]
    page = Page()
    for kind, mark in _MARKS:
        for match in mark.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            page.hidden_parts.append(HiddenPart(line, kind, match.group()))
        content = mark.sub(lambda match: "\n" * match.group().count("\n"), content)
    lines = _TAG.sub(" ", content).splitlines()
    page.lines += [Line(number, line) for number, line in enumerate(lines, 1)]
    return page
