"""Read a privacy notice in prose: its clauses, what it says is collected and for how long.

Nothing is understood beyond words and numbers that stand there; a notice that does not name its
collected items is "not evaluated", never "compliant".
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.policy.period import Periods, periods_in
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.collected_items import CollectedItems, Items
from minerva_governance.core.review.html_text import HiddenPart, Line, page_of
from minerva_governance.core.review.markdown_text import front_matter, marked_page
from minerva_governance.core.review.retention_words import (
    elsewhere,
    exception,
    kept_periods,
    plain_periods,
)
from minerva_platform.text import read_words
from minerva_reading import read_text

MAX_BYTES = 1_048_576
HTML_ENDINGS: Final = frozenset({".html", ".htm"})

_NUMBERED = r"(제\s*\d+\s*조(?:의\s*\d+)?|\d+(?:\.\d+)*|[IVX]+(?=\.))"
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_ARTICLE = re.compile(r"^(?:\*\*)?(제\s*\d+\s*조(?:의\s*\d+)?)(?:\*\*)?\s*(.*)$")
_HEAD_NUMBER = re.compile(rf"^{_NUMBERED}[.)]?\s*(.*)$")
_ITEM = re.compile(
    r"""
    ^\s*
    (?: (\d+(?:\.\d+)*)[.)]                             # 1.  2.1)
      | \((\d+)\)                                        # (1)
      | ([①-⑳])
      | ([가나다라마바사아자차카타파하])[.)]              # 가.
    )
    \s+(.+)$
    """,
    re.VERBOSE,
)
_BULLET = re.compile(r"^(?:[-*+•·◦▪※]|[a-zA-Z][.)])\s+")
_ARTICLE_LEVEL: Final = 7
"""Of a heading that is an article by its number alone: below those of Markdown."""
_MAX_ARTICLE_CHARACTERS = 59
"""Of a line that begins like an article (제3조) and is its heading; a longer one is a sentence."""
_MAX_TITLE_CHARACTERS = 2_000
"""Of a document's beginning, where its title is looked for."""
_MAX_GUESS_BYTES = 8_192
_PARTS_OF_ADDRESS: Final = frozenset({"POSTCODE", "PLACE"})
_WORDS = read_words("minerva_governance.core.review", "notice")

Oddity = Literal["no_clauses", "no_items"]
"""What is wrong with a notice that could be read."""


class Clause(BaseModel, frozen=True):
    """One clause: its number, the heading it stands under, its words (masked) and its line."""

    id: str
    heading: str = ""
    text: str
    source: str
    line: int
    items: str = ""
    """Its words that say what is collected of those whom the notice is for."""
    guardian_items: str = ""
    """… and what of their guardians."""
    periods: tuple[int, ...] = ()
    """How long it says that data is kept, in days (a year is 365 days, a month 30)."""
    excepted_periods: tuple[int, ...] = ()
    """Those of `periods` that only its exception states."""
    unclear_period: str = ""
    """Its words on how long data is kept where they are no number of days."""
    exception: str = ""
    """Its words that let data be kept longer than it says: "unless another law requires it"."""
    is_hidden: bool = False
    """A browser does not show it: it tells nobody anything, and keeps rules from passing."""

    @property
    def retention_days(self) -> int | None:
        """The longest period it promises, in days."""
        return max(self.periods, default=None)

    @property
    def lists_items(self) -> bool:
        """True if it says what of personal data is collected."""
        texts = f"{self.items}, {self.guardian_items}"
        return any(
            _names(each, texts) or current_catalogue().may_be_in_notice(each, texts)
            for each in current_catalogue().personal_ids
        )

    def names(self, entity: Entity) -> bool:
        """True if its words name `entity`."""
        return _names(entity, self.text)

    def collects(self, entity: Entity, *, of_guardians: bool = False) -> bool:
        """True if it says that `entity` is collected."""
        return _names(entity, self.guardian_items if of_guardians else self.items)


def _names(entity: Entity, text: str) -> bool:
    if entity in _PARTS_OF_ADDRESS and _names("ADDRESS", text):
        return True
    key = f"items.{entity}"
    if key in _WORDS.lists:
        return _WORDS.says(key, text)
    return current_catalogue().in_notice(entity, text)


class Notice(NamedTuple):
    """The clauses of a notice, what is wrong with it, and what of it a browser does not show."""

    clauses: tuple[Clause, ...]
    oddity: Oddity | None
    hidden_parts: tuple[HiddenPart, ...] = ()
    title: str = ""
    """Its first heading, masked; empty where it has none at its beginning."""


def read_notice(source: Source) -> Notice:
    """Return what a notice says: Markdown, text or HTML; in UTF-8, UTF-16 or CP949.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no text.
        NoNoticeError: it is no privacy notice by its name or its titles.
    """
    text = read_text(source.path, max_bytes=MAX_BYTES, takes_utf_16=True).text
    is_page = source.path.suffix.casefold() in HTML_ENDINGS
    page = page_of(text) if is_page else marked_page(text)
    if not _WORDS.says("file_name", source.path.name) and not (
        _is_titled(page.lines) or _WORDS.says("title", front_matter(text))
    ):
        raise NoNoticeError
    clauses = _Reader(source.name, is_page=is_page).read_clauses(page.lines)
    unseen = tuple(
        _hidden_clause(part, source.name) for part in page.hidden_parts if _may_matter(part)
    )
    return Notice(
        (*clauses, *unseen), _oddity(clauses), tuple(page.hidden_parts), _title(page.lines)
    )


def _title(lines: Sequence[Line]) -> str:
    """Return the first line that says something if it is a heading without a number."""
    first = next((line.text.strip() for line in lines if line.text.strip()), "")
    heading = _HEADING.match(first)
    words = heading.group(1) if heading else first
    is_title = heading is not None or _WORDS.says("title", words)
    is_short = len(words) <= _MAX_ARTICLE_CHARACTERS
    return mask_text(words) if is_title and is_short and not _ARTICLE.match(words) else ""


def _may_matter(part: HiddenPart) -> bool:
    """True if a hidden element, which a script may show, says how long data is kept."""
    if part.kind != "element":
        return False
    kept = kept_periods(part.text)
    return bool(kept.days or kept.unclear)


def _hidden_clause(part: HiddenPart, source: str) -> Clause:
    words = mask_text(part.text)
    return Clause(
        id=f"L{part.line}",
        text=words,
        source=source,
        line=part.line,
        unclear_period=words,
        is_hidden=True,
    )


def looks_like_notice(source: Source) -> bool:
    """True if a file that is not read as a notice may be one, by its name or its first words."""
    if _WORDS.says("file_name", source.path.name):
        return True
    try:
        with source.path.open("rb") as stream:
            return _WORDS.says("title", stream.read(_MAX_GUESS_BYTES).decode("utf-8", "replace"))
    except OSError:
        return True


def _is_titled(page_lines: Sequence[Line]) -> bool:
    """True if the first line, or a heading, calls the text a privacy notice."""
    beginning = "\n".join(line.text for line in page_lines)[:_MAX_TITLE_CHARACTERS].splitlines()
    lines = [line.strip() for line in beginning if line.strip()]
    titles = [*lines[:1], *(line for line in lines if line.startswith("#"))]
    return any(_WORDS.says("title", title) for title in titles)


class NoNoticeError(Exception):
    """A document that is not a privacy notice by its name or titles."""


def _oddity(clauses: tuple[Clause, ...]) -> Oddity | None:
    if not clauses:
        return "no_clauses"
    return None if any(clause.lists_items for clause in clauses) else "no_items"


class _Reader:
    """Collects clauses line by line: a heading opens one, an item opens one below it."""

    def __init__(self, source: str, *, is_page: bool) -> None:
        self.source, self.is_page = source, is_page
        self.head, self.heading = "", ""
        self.in_title = False
        self.open: tuple[str, int, list[str]] | None = None
        self.clauses: list[Clause] = []
        self.columns: tuple[str, ...] = ()
        """The headings of the table that is being read."""
        self.item_reader = CollectedItems()
        self.is_after_gap = self.is_item = False
        """Whether a line stands below an empty one, and whether the open clause is an item."""

    def read_clauses(self, lines: Sequence[Line]) -> tuple[Clause, ...]:
        for at, (number, raw) in enumerate(lines):
            line = raw.strip()
            cells = cells_of(line)
            if cells is None:
                self.columns = ()
            if is_ruler(line):
                continue
            if not line:
                self.is_after_gap = True
            if cells is not None:
                follows = lines[at + 1].text if at + 1 < len(lines) else ""
                self._row(cells, number, is_head=is_ruler(follows))
            elif line and not line.startswith("```"):  # what stands in a fence is said, too
                self._line(line, number)
                self.is_after_gap = False
        self._close()
        return tuple(self.clauses)

    def _row(self, cells: tuple[str, ...], number: int, *, is_head: bool) -> None:
        """Take a row of a table: its headings, or a clause of its own."""
        self._close()
        if is_head:
            self.columns = cells
            return
        text = row_as_words(self.columns, cells)
        if not text:
            return
        columns = dict(zip(self.columns, cells, strict=False))
        stated = [
            with_unit(name, cell) for name, cell in columns.items() if _WORDS.says("kept", name)
        ]
        periods = [periods_in(cell) for cell in stated]
        kept = Periods(
            tuple(days for each in periods for days in each.days),
            "; ".join(
                each.unclear or cell
                for each, cell in zip(periods, stated, strict=True)
                if each.unclear or (cell and not each.days)
            ),
        )
        label = f"{self.head or self.heading} L{number}".strip()
        heading = " ".join(filter(None, (self.heading, *self.columns)))
        items = self.item_reader.row(self.columns, cells)
        self._add(label, number, text, heading, items, periods=kept if stated else None)

    def _line(self, line: str, number: int) -> None:
        heading = _HEADING.match(line)
        title = heading.group(1) if heading else line
        article = _ARTICLE.match(title)
        if heading or (article and len(title) <= _MAX_ARTICLE_CHARACTERS):
            self._close()
            numbered = article or _HEAD_NUMBER.match(title)
            self.head = re.sub(r"\s", "", numbered.group(1)) if numbered else ""
            self.heading = (numbered.group(2) if numbered else title).strip("()（） *")
            self.in_title = line.startswith("# ") and not numbered
            # A heading that states a period says it to the reader like any sentence.
            says_period = bool(kept_periods(self.heading).days)
            self.item_reader.enter(len(line) - len(line.lstrip("#")) or _ARTICLE_LEVEL, title)
            self.is_item = False
            self.open = (self.head, number, [self.heading] if says_period else [])
            return
        item = _ITEM.match(line)
        if item:
            self._close()
            self.is_item = True
            label = next(group for group in item.groups()[:4] if group)
            self.open = (self._full_label(label), number, [item.group(5)])
        elif self.open is None or (self.in_title and not self.open[2]):
            self.is_item = False
            self.open = (self.head, number, [line])
        elif self.is_page or self.is_after_gap or _BULLET.match(line) or not self.open[2]:
            self.open[2].append(line)
        else:  # the line before goes on
            self.open[2][-1] += f" {line}"

    def _full_label(self, label: str) -> str:
        if not self.head or label.startswith(f"{self.head}."):
            return label
        return f"{self.head}.{label}" if self.head[0].isdigit() else f"{self.head} {label}"

    def _close(self) -> None:
        if self.open is None:
            return
        clause_id, line, words = self.open
        self.open = None
        text = " ".join(words)
        if not text:
            return
        item_texts = [
            self.item_reader.statement(
                _BULLET.sub("", each),
                is_listed=bool(_BULLET.match(each)) or (self.is_item and not at),
            )
            for at, each in enumerate(words)
        ]
        items = Items(*(", ".join(filter(None, each)) for each in zip(*item_texts, strict=True)))
        # What stands under the title, or under none, is called after its line.
        clause_id = clause_id or ("" if self.in_title else self.heading) or f"L{line}"
        self._add(clause_id, line, text, self.heading, items)

    def _add(  # what a clause is made of
        self,
        clause_id: str,
        line: int,
        text: str,
        heading: str,
        items: Items,
        *,
        periods: Periods | None = None,
    ) -> None:
        plain = plain_periods(text, heading) if periods is None else periods.days
        periods = kept_periods(text, heading) if periods is None else periods
        self.clauses.append(
            Clause(
                id=mask_text(clause_id),
                heading=mask_text(self.heading),
                text=mask_text(text),
                source=self.source,
                line=line,
                items=mask_text(items.own),
                guardian_items=mask_text(items.of_guardians),
                periods=periods.days,
                excepted_periods=tuple(each for each in periods.days if each not in plain),
                unclear_period=mask_text(periods.unclear or elsewhere(text, heading)),
                exception=mask_text(exception(text, heading)),
            )
        )


_ROW: Final = re.compile(r"^\|(?P<cells>.*)\|\s*$")
_RULE: Final = re.compile(r"^\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_UNIT: Final = re.compile(r"[(（\[]\s*(?:단위\s*:?\s*|in\s+)?(?P<unit>[^\W\d]{1,8})\s*[)）\]]\s*$")
_NUMBER: Final = re.compile(r"\d{1,5}(?:[.,]\d{1,3})?")


def cells_of(line: str) -> tuple[str, ...] | None:
    """Return the cells of a Markdown row, or None if `line` is none."""
    row = _ROW.match(line.strip())
    if row is None:
        return None
    return tuple(cell.strip() for cell in row["cells"].split("|"))


def is_ruler(line: str) -> bool:
    """True if `line` stands below a table's headings: `|---|---|`."""
    return "|" in line and _RULE.match(line.strip()) is not None


def row_as_words(headings: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row as words: `purpose: orders; kept for (years): 6`."""
    named = [*headings, *[""] * len(cells)]
    parts = (
        f"{heading}: {cell}" if heading else cell
        for heading, cell in zip(named, cells, strict=False)
        if cell
    )
    return "; ".join(parts)


def with_unit(heading: str, cell: str) -> str:
    """Return a bare number with the unit that stands in its heading: `(years)`, `(년)`."""
    unit = _UNIT.search(heading)
    if unit is None or not _NUMBER.fullmatch(cell.strip()):
        return cell
    return f"{cell.strip()} {unit['unit']}"
