"""Blank out of a SQL text what is no code: remarks, texts, bodies in dollar quotes, rows to copy.

What is left has the length and the lines of the text, so that a place in one is a place in the
other. Everything that looks for words of SQL looks there.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

HEAD = r"""
    (?:CREATE\s+(?:OR\s+\w+\s+)?
      (?:(?!TABLE|VIEW|AS|ON|FUNCTION|INDEX|TRIGGER|PROCEDURE|TYPE|DOMAIN|FOR)\w+\s+){0,4}?
      (?:TABLE(?!\s+FUNCTION)|VIEW|(?<=CREATE\s)CLASS)\b
    |ALTER\s+(?:(?:FOREIGN|EXTERNAL|ICEBERG)\s+)?(?:TABLE|CLASS)\b
    |COMMENT\s+ON\s+(?:COLUMN|TABLE)\b)
"""
"""What a statement begins with that defines a table or describes a column; CLASS is Cubrid's."""

BEGINS = re.compile(rf"\n[ \t]*{HEAD}", re.IGNORECASE | re.VERBOSE)
_COPY_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_CLIENT = re.compile(
    r"(?:SET|SPOOL|DEF\w*|UNDEF\w*|WHENEVER|ACC\w*|CONN\w*|COL\w*|VAR\w*|PAUSE|@\S*)\b",
    re.IGNORECASE,
)
"""Commands of SQL*Plus, which end with their line."""
_BLOCK_MARKS = re.compile(r"/\*|\*/")
_BACKSLASH = frozenset({"mysql", "bigquery", "databricks", "snowflake"})
"""Dialects whose texts end at no quotation mark after a backslash."""
_BRACKETS = frozenset({"", "tsql", "sqlite"})
"""Dialects that quote names in square brackets."""
_HASHES = frozenset({"mysql", "bigquery"})
"""Dialects in which `#` begins a remark anywhere, elsewhere only a line of its own."""


@lru_cache
def _pattern(dialect: str) -> re.Pattern[str]:
    """Return what is no code, in the order in which it is looked for; dialect "": not known yet."""
    is_postgres = dialect in {"", "postgres"}
    has_escapes = dialect in _BACKSLASH
    escape, stops, double = (r"|\\.", r"'\\", r'"\\') if has_escapes else ("", "'", '"')
    hashes = r"\#" if dialect in _HASHES else r"^[ \t]*\#"
    parts = {
        rf"(?P<remark>(?:--|{hashes}{'|//' if dialect == 'snowflake' else ''})[^\n]*)": True,
        r"(?P<block>/\*)": True,
        r"(?P<line>^[ \t]*(?:\\[a-z!?][^\n]*|(?:REM|REMARK|PROMPT)\b[^\n]*))": True,
        r"(?P<copy>^[ \t]*COPY\s[^;]*?\bFROM\s+STDIN\b[^;\n]*;)": is_postgres,
        r"(?P<long>'''.*?'''|\"\"\".*?\"\"\")": dialect == "bigquery",
        r"(?P<own>\bN?Q'(?:\[.*?\]|\(.*?\)|\{.*?\}|<.*?>|(?P<q>[^\s\w]).*?(?P=q))')": (
            dialect in {"", "oracle"}
        ),
        r"(?P<escaped>\bE'(?:[^'\\]++|''|\\.)*+')": is_postgres,
        rf"(?P<text>'(?:[^{stops}]++|''{escape})*+(?:'|\Z))": True,
        rf'(?P<name>"(?:[^{double}]++|""{escape})*+(?:"|\Z)|`(?:[^`]++|``)*+(?:`|\Z))': True,
        r"(?P<bracket>\[(?=[^\W\d])(?:[^\]\n]|\]\])*\])": dialect in _BRACKETS,
        r"(?P<dollar>\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)": (
            is_postgres or dialect in {"snowflake", "databricks"}
        ),
    }
    return re.compile(
        "|".join(part for part, is_known in parts.items() if is_known),
        re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE,
    )


def code_of(sql: str, dialect: str = "") -> tuple[str, list[int]]:
    """Return `sql` without what is no code, and where a text holds a line that begins a statement.

    The quotation marks stay. A text or a name that is not closed ends before such a line, and so
    does one behind whose end a word follows: its end is the beginning of the next text.
    """
    pattern, pieces, doubtful = _pattern(dialect), list[str](), list[int]()
    position, line = 0, ""
    while match := pattern.search(sql, position):
        kind = match.lastgroup or ""
        between = sql[position : match.start()]
        line = between.rstrip().rpartition("\n")[2].strip() or line
        last = line[-1:]
        pieces.append(between)
        start, end = match.span()
        is_client_s = last in {"", ";", "/"} or "\\" in match.group() or _CLIENT.match(line)
        if kind == "line" and not is_client_s:  # a column may be called `prompt`
            pieces.append(sql[start : start + 1])
            position = start + 1
            continue
        if kind == "block":
            end = _block_end(sql, start, is_nested=dialect in {"postgres", "tsql"})
        elif kind == "copy":
            rows = _COPY_END.search(sql, end)
            pieces.append(sql[start:end])
            line, start, end = ";", end, rows.end() if rows else end
        elif kind in {"text", "escaped", "name"}:
            end, is_doubtful = _text_end(sql, start, end)
            doubtful += [start] * is_doubtful
        line = line if kind in {"remark", "block", "line", "copy"} else "'"
        pieces.append(_blank(sql[start:end], kind))
        position = end
    pieces.append(sql[position:])
    return "".join(pieces), doubtful


def _block_end(sql: str, start: int, *, is_nested: bool) -> int:
    depth = 0
    for mark in _BLOCK_MARKS.finditer(sql, start) if is_nested else ():
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    end = sql.find("*/", start + 2)
    return len(sql) if end < 0 else end + 2


def _text_end(sql: str, start: int, end: int) -> tuple[int, bool]:
    """Return where a text ends, and whether that is doubtful."""
    begin = BEGINS.search(sql, start, end)
    if begin is None:
        return end, False
    is_open = end == len(sql) or re.match(r"\w", sql[end : end + 1]) is not None
    is_sure = sql[end:].lstrip()[:1] in {",", ")", ";", ""}
    return (begin.start(), False) if is_open else (end, not is_sure)


def _blank(text: str, kind: str) -> str:
    """Return white space as long as `text`; names keep their letters, quotation marks stay."""
    if kind in {"name", "bracket"}:
        return text[0] + re.sub(r"[^\w\n]", "x", text[1:-1]) + text[-1] if text[1:] else text
    inner = re.sub(r"[^\n]", " ", text)
    if kind in {"remark", "block", "line", "copy"}:
        return inner
    return f"'{inner[1:-1]}'" if len(text) > 1 and text[-1] != "\n" else inner


def lines_at(sql: str, places: Iterator[int]) -> Iterator[int]:
    """Yield the line, from 1, of each of the places, which come in their order."""
    line, position = 1, 0
    for place in places:
        line += sql.count("\n", position, place)
        position = place
        yield line
