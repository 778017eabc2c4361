"""The languages of files, and how much of each can be read.

Python is read with the standard library. Other languages need a grammar, one wheel each (the
extra `polyglot`); without it their files are counted, named as not parsed and still searched
as text, as are Cython and notebooks, for which there is none. Documents are split into sections.
"""

import importlib.util
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from minerva_insilico.core.facts.vocabulary import table

PYTHON: Final = "python"
MARKDOWN: Final = "markdown"
RST: Final = "rst"

SUFFIXES: Final[dict[str, str]] = {
    suffix: language
    for language, suffixes in table("languages", "suffixes").items()
    for suffix in suffixes
}
"""The language of a file by the end of its name."""

GRAMMARS: Final[dict[str, tuple[str, str]]] = {
    language: (module, function)
    for language, (module, function) in table("languages", "grammars").items()
}
"""The module with the grammar of a language, and the function that gives it."""

DOCUMENTS: Final = frozenset({MARKDOWN, RST})
POLYGLOT: Final = "pip install 'minerva-team-insilico[polyglot]'"


def language_of_path(path: str) -> str | None:
    """Return the language of a file, or None if it is not one of these."""
    return SUFFIXES.get(PurePosixPath(path).suffix.lower())


@cache
def has_grammar(language: str) -> bool:
    """True if the grammar of a language other than Python is installed."""
    module, _ = GRAMMARS.get(language, ("", ""))
    has_parser = module and importlib.util.find_spec("tree_sitter")
    return bool(has_parser and importlib.util.find_spec(module))


def is_read(language: str) -> bool:
    """True if more than the text of such a file is read."""
    return language in {PYTHON, *DOCUMENTS} or has_grammar(language)
