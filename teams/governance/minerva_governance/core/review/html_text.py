"""The shown text of an HTML page, line by line, as Markdown that the reader of notices knows.

Headings, lists and tables keep their form. What a browser does not show (hidden elements, comments,
scripts, styles) is kept apart: nobody is told by it, but it is named as not looked at. Styles of
the page itself count; those of other files are not fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final, Literal, NamedTuple

from minerva_reading import UnreadableError

HiddenKind = Literal["element", "comment", "script", "style", "struck"]

_HIDING: Final = re.compile(
    r"""
    display\s*:\s*none | visibility\s*:\s*(?:hidden|collapse) | opacity\s*:\s*0*\.?0+(?![.\d])
    | font-size\s*:\s*0+(?:\.0+)?(?![.\d]) | (?:text-indent|left|top)\s*:\s*-\s*\d{3,}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SIMPLE: Final = re.compile(r"(?:[a-z][\w-]*)?(?:[.#][\w-]+)?", re.IGNORECASE)
"""A selector of one element: `p`, `.seo`, `div.seo`, `#old`."""
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figure"
    " footer form header hr html main nav ol option p pre section summary table tbody td tfoot th"
    " thead title tr ul".split()
)
_VOID: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
_NOT_TEXT: Final[dict[str, HiddenKind]] = {
    "script": "script", "style": "style", "del": "struck", "s": "struck", "strike": "struck",
}  # fmt: skip
"""What is no text of the page, or no longer one."""
_ALTERNATIVES: Final = frozenset({"template", "noscript"})
"""Shown by a script, or where there is none: not what a reader sees for certain."""
_CLOSED_BY: Final = {
    "li": frozenset({"li"}),
    "p": frozenset({"p"}),
    "tr": frozenset({"tr", "td", "th"}),
    "td": frozenset({"td", "th"}),
    "th": frozenset({"td", "th"}),
}
"""Elements whose end tag may be left out, by the tag that ends them."""
_BLOCKS_THAT_END_P: Final = _BLOCKS - {"td", "th", "tr", "option", "title"}
_HEADING: Final = re.compile(r"h([1-6])")


_TAG_BEGINS: Final = re.compile(r"<[a-z/!?]", re.IGNORECASE)
MAX_TAGS: Final = 20_000
"""Of a page; a notice has some hundreds. The parser takes time by their square where they are not
closed."""


class Line(NamedTuple):
    """A line of text and the line of the page that it begins on."""

    number: int
    text: str


class HiddenPart(NamedTuple):
    """Text that a browser does not show."""

    line: int
    kind: HiddenKind
    text: str


@dataclass
class Page:
    """What a page shows, and what it does not."""

    lines: list[Line] = field(default_factory=list[Line])
    hidden_parts: list[HiddenPart] = field(default_factory=list[HiddenPart])


def page_of(html: str) -> Page:
    """Return the text of `html`.

    Raises:
        UnreadableError: it has more than `MAX_TAGS` tags.
    """
    if html.count("<") > MAX_TAGS:
        raise UnreadableError(reason="many_tags", limit=MAX_TAGS)
    # A comment without an end goes to the page's end, as in browsers; the parser of Python 3.11
    # would look for its end again and again.
    start = html.find("<!--", html.rfind("-->") + 1)
    if start < 0:  # the same holds of a tag that does not end
        tag = _TAG_BEGINS.search(html, html.rfind(">") + 1)
        start = tag.start() if tag else len(html)
    shown, unseen = html[:start], html[start:]
    reader = _PageReader(_hiding_selectors(html))
    reader.feed(shown)
    reader.close()
    reader.finish()
    if unseen:
        line = html.count("\n", 0, start) + 1
        reader.page.hidden_parts.append(HiddenPart(line, "comment", _squeeze([unseen])))
    return reader.page


def _hiding_selectors(html: str) -> frozenset[str]:
    """Return the selectors of one element that the page's own styles hide."""
    found: set[str] = set()
    for sheet in _between(html, "<style", "</style"):
        for rule in _without_comments(sheet.partition(">")[2]).split("}"):
            selectors, _, body = rule.rpartition("{")
            if _HIDING.search(body):
                # What stands inside something else is hidden there; without the rest of the
                # page's logic it counts as hidden everywhere, so it can prove nothing.
                names = selectors.rpartition("{")[2].split(",")
                last = (each.split()[-1] for each in names if each.split())
                found |= {each.casefold() for each in last if _SIMPLE.fullmatch(each)}
    return frozenset(found)


def _between(text: str, start: str, end: str) -> Iterator[str]:
    """Give what stands between the marks, without case, in one pass."""
    folded = text.casefold() if text.isascii() else text.lower()
    if len(folded) != len(text):  # a letter that is two in lower case would shift the places
        folded = text
    at = folded.find(start)
    while at >= 0:
        stop = folded.find(end, at)
        if stop < 0:
            yield text[at + len(start) :]
            return
        yield text[at + len(start) : stop]
        at = folded.find(start, stop)


def _without_comments(sheet: str) -> str:
    parts = sheet.split("/*")
    return "".join([parts[0], *(part.partition("*/")[2] for part in parts[1:])])


@dataclass
class _Open:
    """An element that is not closed yet."""

    tag: str
    is_hidden: bool
    items: int = 0


class _PageReader(HTMLParser):
    def __init__(self, hiding: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.hiding = hiding
        self.page = Page()
        self.open: list[_Open] = []
        self.words: list[str] = []
        self.prefix, self.first_line = "", 0
        self.row: list[str] | None = None
        self.row_line, self.row_is_head = 0, False
        self.unseen: list[str] = []
        self.unseen_line = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_implied(tag)
        if tag == "br":
            self._break(keeps_prefix=True)
            return
        if tag in _BLOCKS or tag == "li" or _HEADING.fullmatch(tag):
            self._break()
        if tag in _VOID:
            return
        was_hidden = self._is_hidden()
        is_hidden = was_hidden or self._hides(tag, dict(attrs))
        self.open.append(_Open(tag, is_hidden))
        if is_hidden:
            if not was_hidden:
                self.unseen_line = self.getpos()[0]
            return
        self._begin(tag)

    def _begin(self, tag: str) -> None:
        heading = _HEADING.fullmatch(tag)
        if heading:
            self.prefix = "#" * int(heading[1]) + " "
        elif tag == "title":
            self.prefix = "# "
        elif tag == "li":
            self.prefix = self._item()
        elif tag == "tr":
            self.row, self.row_line, self.row_is_head = [], self.getpos()[0], False
        elif tag == "th" and self.row is not None:
            self.row_is_head = True

    def handle_endtag(self, tag: str) -> None:
        depth = next((at for at, one in enumerate(reversed(self.open), 1) if one.tag == tag), 0)
        for _ in range(depth):
            self._end(self.open.pop())

    def _end(self, one: _Open) -> None:
        if one.is_hidden and not self._is_hidden():
            self._end_hidden(one)
        elif not one.is_hidden and (one.tag in _BLOCKS or one.tag == "li" or one.tag[0] == "h"):
            self._break()
            if one.tag in {"td", "th"} and self.row is not None:
                self.row.append("")
            elif one.tag == "tr":
                self._end_row()

    def _end_hidden(self, one: _Open) -> None:
        text = _squeeze(self.unseen)
        self.unseen = []
        if text:
            kind = _NOT_TEXT.get(one.tag, "element")
            self.page.hidden_parts.append(HiddenPart(self.unseen_line, kind, text))

    def handle_data(self, data: str) -> None:
        if self._is_hidden():
            self.unseen.append(data)
        elif data.strip() or self.words:
            if not self.first_line and data.strip():
                blank = data[: len(data) - len(data.lstrip())]
                self.first_line = self.getpos()[0] + blank.count("\n")
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        if data.strip():
            self.page.hidden_parts.append(HiddenPart(self.getpos()[0], "comment", _squeeze([data])))

    def finish(self) -> None:
        """Close what the page left open."""
        while self.open:
            self._end(self.open.pop())
        self._break()
        self._end_row()

    def _end_implied(self, tag: str) -> None:
        ends = set(_CLOSED_BY.get(tag, ()))
        if tag in _BLOCKS_THAT_END_P or _HEADING.fullmatch(tag):
            ends.add("p")
        while self.open and self.open[-1].tag in ends:
            self._end(self.open.pop())

    def _hides(self, tag: str, attributes: dict[str, str | None]) -> bool:
        if tag in _NOT_TEXT or tag in _ALTERNATIVES or "hidden" in attributes:
            return True
        if _HIDING.search(attributes.get("style") or ""):
            return True
        classes = (attributes.get("class") or "").casefold().split()
        names = {tag, *(f".{each}" for each in classes)}
        names |= {f"#{(attributes.get('id') or '').casefold()}"}
        names |= {f"{tag}{each}" for each in names if each[0] in ".#"}
        return bool(names & self.hiding)

    def _is_hidden(self) -> bool:
        return bool(self.open) and self.open[-1].is_hidden

    def _item(self) -> str:
        """Return the mark of an item: its number in an ordered list."""
        lists = [one for one in self.open[:-1] if one.tag in {"ol", "ul"}]
        if not lists or lists[-1].tag == "ul":
            return "- "
        lists[-1].items += 1
        return f"{lists[-1].items}. "

    def _break(self, *, keeps_prefix: bool = False) -> None:
        """End the line of text; a cell of a table keeps its words in one line."""
        text = _squeeze(self.words)
        if text and self.row is not None:
            cell = self.row[-1:] if self.row and self.row[-1] else []
            self.row[len(self.row) - len(cell) :] = [" ".join([*cell, text])]
        elif text:
            self.page.lines.append(Line(self.first_line, f"{self.prefix}{text}"))
        self.words, self.first_line = [], 0
        if text or not keeps_prefix:
            self.prefix = ""

    def _end_row(self) -> None:
        if self.row is None:
            return
        cells = [cell.replace("|", "/") for cell in _cells(self.row)]
        if any(cells):
            self.page.lines.append(Line(self.row_line, f"| {' | '.join(cells)} |"))
            if self.row_is_head:
                rule = "|".join("---" for _ in cells)
                self.page.lines.append(Line(self.row_line, f"|{rule}|"))
        self.row = None


def _cells(row: list[str]) -> list[str]:
    """Return the cells of a row: each ends with an empty mark."""
    cells: list[str] = []
    pending = ""
    for part in row:
        if part:
            pending = f"{pending} {part}".strip()
        else:
            cells.append(pending)
            pending = ""
    return [*cells, pending] if pending else cells


def _squeeze(words: list[str]) -> str:
    return " ".join("".join(words).split())
