"""Write names that strangers chose into Markdown without letting them form it."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from minerva_platform.text import Language

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_BACKTICKS = re.compile("`+")


def code(text: str) -> str:
    """Return `text` as inline code, whatever characters it holds."""
    flat = _CONTROL.sub(" ", text)
    longest = max((len(run) for run in _BACKTICKS.findall(flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def cell(text: str) -> str:
    """Return `text` for a cell of a table."""
    return _CONTROL.sub(" ", text).replace("|", "\\|")


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown already."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(cell(item) for item in line)} |" for line in lines)


def cut(language: Language, *, shown: int, total: int, artifact: str = "") -> str:
    """Return the sentence that says a list was cut, or nothing if it was not."""
    if shown >= total:
        return ""
    if language == "ko":
        where = f" 전체는 {code(artifact)}에 있습니다." if artifact else ""
        return f"전체 {total:,}건 가운데 {shown:,}건만 보였습니다.{where}"
    where = f" The whole list is in {code(artifact)}." if artifact else ""
    return f"Shown: {shown:,} of {total:,}.{where}"


def to_csv(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV. A cell that a spreadsheet would run as a formula is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    for row in rows:
        writer.writerow([_harmless(item) for item in row])
    return text.getvalue()


def _harmless(item: object) -> object:
    return f"'{item}" if isinstance(item, str) and item[:1] in {"=", "+", "-", "@"} else item
