"""Read the parts of an answer: each team's first paragraph and first table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

_LEADS = {"heading_open", "paragraph_open"}


@dataclass(slots=True)
class Part:
    """The beginning of one team's answer, as plain text."""

    title: str = ""
    """The heading of the second level that it stands under; empty for an answer without one."""
    lead: str = ""
    """Its first paragraph, or the heading of a lower level that stands before it."""
    head: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The cells of its first table."""
    tables: int = 0


def parts_of(answer: str) -> list[Part]:
    """Return the parts of `answer`: one for each heading of the second level."""
    parts = [Part()]
    tokens = MarkdownIt().enable("table").parse(answer)
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            parts.append(Part(title=_plain(tokens[place + 1])))
            continue
        part = parts[-1]
        if token.type in _LEADS and not token.level and not part.lead:
            part.lead = _plain(tokens[place + 1])
        elif token.type == "table_open":
            part.tables += 1
        elif token.type == "tr_open" and part.tables == 1:
            cells = tuple(_cells(tokens[place:]))
            if part.head:
                part.rows.append(cells)
            else:
                part.head = cells
    return [part for part in parts if part.title or part.lead or part.head]


def _cells(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the texts of the row that `tokens` begin with."""
    for token in tokens:
        if token.type == "tr_close":
            return
        if token.type == "inline":
            yield _plain(token)


def _plain(inline: Token) -> str:
    """Return the text of a paragraph, a heading or a cell without its marks."""
    shown = (" " if child.type == "softbreak" else child.content for child in inline.children or ())
    return "".join(shown).strip()
