"""Arrange the parts of a docstring as google, numpy or sphinx do."""

import re
from collections.abc import Callable, Iterable
from typing import Literal, get_args

from minerva_insilico.core.docstrings.required_parts import RequiredParts

Style = Literal["google", "numpy", "sphinx"]

STYLES: tuple[Style, ...] = get_args(Style)

_MARKS: dict[Style, re.Pattern[str]] = {
    "google": re.compile(r"^[ \t]*(?:Args|Returns|Yields|Raises|Attributes):[ \t]*$", re.MULTILINE),
    "numpy": re.compile(r"^[ \t]*(?:Parameters|Returns|Yields|Raises)\n[ \t]*-{3,}$", re.MULTILINE),
    "sphinx": re.compile(r"^[ \t]*:(?:param|returns?|raises?|rtype)\b[^:\n]*:", re.MULTILINE),
}


def style_of(docstrings: Iterable[str]) -> Style:
    """Return the style that most of the docstrings have; Google's if none has one."""
    counts = dict.fromkeys(STYLES, 0)
    for text in docstrings:
        for style in STYLES:
            counts[style] += bool(_MARKS[style].search(text))
    return max(STYLES, key=lambda style: counts[style])


def arrange(parts: RequiredParts, style: Style) -> str:
    """Return a docstring, without quotes and indentation."""
    return "\n\n".join([parts.title, *_SECTIONS[style](parts)])


def _google(parts: RequiredParts) -> list[str]:
    found: list[str] = []
    if parts.parameters:
        lines = (
            f"    {item.name}{f' ({item.kind})' if item.kind else ''}: {item.text}"
            for item in parts.parameters
        )
        found.append("\n".join(["Args:", *lines]))
    if parts.result:
        entry = parts.result
        said = f"{entry.kind}: {entry.text}" if entry.kind else entry.text
        found.append(f"{entry.name}:\n    {said}")
    if parts.raises:
        lines = (f"    {item.name}: {item.text}" for item in parts.raises)
        found.append("\n".join(["Raises:", *lines]))
    return found


def _numpy(parts: RequiredParts) -> list[str]:
    found: list[str] = []
    if parts.parameters:
        lines = (
            f"{item.name}{f' : {item.kind}' if item.kind else ''}\n    {item.text}"
            for item in parts.parameters
        )
        found.append(_underlined("Parameters", lines))
    if parts.result:
        entry = parts.result
        body = f"{entry.kind}\n    {entry.text}" if entry.kind else f"object\n    {entry.text}"
        found.append(_underlined(entry.name, [body]))
    if parts.raises:
        lines = (f"{item.name}\n    {item.text}" for item in parts.raises)
        found.append(_underlined("Raises", lines))
    return found


def _sphinx(parts: RequiredParts) -> list[str]:
    lines: list[str] = []
    for item in parts.parameters:
        name = item.name.lstrip("*")  # stars would be emphasis in reStructuredText
        lines.append(f":param {name}: {item.text}")
        lines += [f":type {name}: {item.kind}"] if item.kind else []
    if parts.result:
        entry = parts.result
        lines.append(f":{entry.name.lower()}: {entry.text}")
        lines += [f":rtype: {entry.kind}"] if entry.kind else []
    lines += [f":raises {item.name}: {item.text}" for item in parts.raises]
    return ["\n".join(lines)] if lines else []


_SECTIONS: dict[Style, Callable[[RequiredParts], list[str]]] = {
    "google": _google,
    "numpy": _numpy,
    "sphinx": _sphinx,
}


def _underlined(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, "-" * len(title), *lines])
