"""The document as a page that prints on A4: Jinja escapes every value, and nothing is loaded."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from minerva_governance.answers.report.blocks import Block, Items, Script, Table
from minerva_governance.answers.report.contents import contents_of
from minerva_governance.answers.report.document import Document
from minerva_governance.answers.report.wording import TEXTS, Wording

_JOINT: Final = re.compile(r"(?<=\w)(?:/|\.(?=[A-Z]))(?=\w)")
_ID: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b|(?<![\w-])\d[\d-]*\*[\d*-]*")
"""A rule's id or a masked number, which no line break parts."""
MAX_NAMES: Final = 8
"""Of a list in a cell of the page; report.md has all of them."""


def to_page(document: Document) -> str:
    """Return the report as one HTML file without external resources."""

    def text(key: str, **values: object) -> str:
        return TEXTS(key, document.language, **values)

    contents = contents_of(document, limit=MAX_NAMES)
    running = " · ".join((contents.title, *document.attached[:1], document.reviewed_on.isoformat()))
    return _template().render(
        c=contents,
        d=document,
        kind=_kind,
        mood=_mood(document),
        running=running,
        signature=list(Wording(document, None).signature()),
        t=text,
    ) + "\n"  # fmt: skip


@cache
def _template() -> Template:
    source = (files("minerva_governance.answers.report") / "report.html.jinja").read_text(
        encoding="utf-8"
    )
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = _breakable
    environment.filters["css"] = _css
    return environment.from_string(source)


def _breakable(cell: object) -> Markup:
    """Return a cell whose long names break before a column and behind `/`."""
    text = _JOINT.sub(r"\g<0><wbr>", str(escape(cell)))
    return Markup(_ID.sub(r'<span class="id">\g<0></span>', text))  # noqa: S704  # escaped here


def _css(text: str) -> Markup:
    """Return `text` as a string of CSS, in which nothing ends the string or the style."""
    characters = (c if c.isalnum() or c in " .-·" else f"\\{ord(c):x} " for c in text)
    return Markup(f'"{"".join(characters)}"')  # noqa: S704  # escaped here


def _kind(block: Block) -> str:
    """Return how the template shows a block."""
    match block:
        case Table():
            return "table"
        case Items():
            return "items"
        case Script():
            return "script"
        case str():
            return "text"


def _mood(document: Document) -> str:
    if document.counts["fail"]:
        return "bad"
    return "open" if document.counts["not_evaluated"] else "clean"
