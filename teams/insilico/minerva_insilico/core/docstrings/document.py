"""Split Markdown and reStructuredText into sections, each with its title and lines.

A title is enough to find a place; what a document means is not looked at. Each line is looked at
once, so that no document can take long.
"""

import re
from collections.abc import Iterator
from itertools import islice

Section = tuple[int, int, str, str, str]
"""First line, last line, kind, title, body."""

_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+(\S.*))?$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_ADORNMENTS = frozenset("=-`:'\"~^_*+#<>.")
_MIN_ADORNMENT = 3
"""Characters: a shorter underline is more often prose, such as `..`."""
_MAX_BODY_CHARACTERS = 20_000
_MAX_SECTIONS = 5_000


def split_document(lines: list[str], kind: str) -> list[Section]:
    """Return the sections of a document. Text before the first title has an empty title."""
    found_titles = (_markdown if kind == "markdown" else _rst)(lines)
    titles = [(0, 0, ""), *islice(found_titles, _MAX_SECTIONS)]
    found: list[Section] = []
    ends = [start for start, _, _ in titles[1:]] + [len(lines)]
    for (start, skipped, title), end in zip(titles, ends, strict=True):
        body = "\n".join(lines[start + skipped : end]).strip()[:_MAX_BODY_CHARACTERS]
        if title or body:
            found.append((start + 1, max(start + 1, end), kind, title, body))
    return found


def _markdown(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (number of the title's line, lines it takes, title)."""
    fence = ""
    for number, line in enumerate(lines):
        marks = _FENCE.match(line)
        if marks:
            mark = marks.group(1)
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence:
            heading = _ATX.match(line)
            if heading:
                yield number, 1, (heading.group(1) or "").rstrip().rstrip("#").rstrip()
            elif (
                line.strip()
                and not line.startswith((" ", "\t", ">", "-", "*", "|"))
                and (number == 0 or not lines[number - 1].strip())
                and number + 1 < len(lines)
                and _SETEXT.match(lines[number + 1])
            ):
                yield number, 2, line.strip()


def _rst(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    number = 0
    while number < len(lines) - 1:
        title, under = lines[number], lines[number + 1].rstrip()
        has_over = _is_adornment(title.rstrip()) and number + 2 < len(lines)
        if has_over and lines[number + 2].rstrip() == title.rstrip() and under.strip():
            yield number, 3, under.strip()
            number += 3
        elif (
            title.strip()
            and not title[0].isspace()
            and not _is_adornment(title.rstrip())
            and _is_adornment(under)
            and len(under) >= len(title.rstrip())
        ):
            yield number, 2, title.strip()
            number += 2
        else:
            number += 1


def _is_adornment(line: str) -> bool:
    return len(line) >= _MIN_ADORNMENT and line[0] in _ADORNMENTS and not line.strip(line[0])
