"""Identifiers as the words they are made of, so that `parse date` finds `parseDate`."""

import re

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_MAX_CHARACTERS = 400


def split_identifier(text: str) -> str:
    """Return `parse Date HTTP 2` for `parseDate_HTTP2`; dots and slashes split, too."""
    return " ".join(_PART.findall(text[:_MAX_CHARACTERS]))


def symbol_words(qualname: str, around: str, docstring: str | None) -> tuple[str, str, str]:
    """Return the words of a name, of what stands around it, and of its first sentence."""
    above, _, name = qualname.rpartition(".")
    split = split_identifier(name)
    whole = name.replace("_", "") if " " in split else ""
    summary = (docstring or "").lstrip()[:_MAX_CHARACTERS].partition("\n")[0]
    return f"{split} {whole}".rstrip(), split_identifier(f"{around}.{above}"), summary
