"""Find code by its shape: `warnings.warn($$$)`, with any arguments.

ast-grep does it, in the process that may be killed, on the sources as they were indexed. Files
that lack a word of the pattern are not parsed.
"""

import importlib.util
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from minerva_insilico.core.facts.errors import MissingExtraError, WrongQueryError
from minerva_insilico.core.index.index import Index, Page
from minerva_insilico.core.index.store import source_text
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_insilico.core.queries.text import TextHit

LANGUAGES = ("python", "java", "javascript", "typescript", "tsx", "go")
EXTRA = "pip install 'minerva-team-insilico[pattern]'"

_DEFAULT_LIMIT = 50
_MAX_CHARACTERS = 2_000
_MAX_FAILURES = 3
"""Files on which a pattern fails before it, and not the files, is taken to be wrong."""
_META = re.compile(r"\$+[A-Z0-9_]*")
_WORD = re.compile(r"\w+")
_MAX_SNIPPET = 160
"""Characters of a line that is shown."""


def find_pattern(
    index: Index, pattern: str, *, language: str = "python", limit: int = _DEFAULT_LIMIT
) -> Page[TextHit]:
    """Find code that matches an ast-grep pattern: `$A` is one part, `$$$` any number of parts.

    Raises:
        MissingExtraError: ast-grep is not installed.
        WrongQueryError: the pattern cannot be used.
    """
    if importlib.util.find_spec("ast_grep_py") is None:
        raise MissingExtraError(EXTRA)
    if not pattern.strip() or len(pattern) > _MAX_CHARACTERS:
        reason = f"it is empty or longer than {_MAX_CHARACTERS:,} characters"
        raise WrongQueryError(pattern, reason)
    if language not in LANGUAGES:
        reason = f"`{language}` is none of {', '.join(LANGUAGES)}"
        raise WrongQueryError(pattern, reason)
    hits: list[TextHit] = []
    total = 0
    for path, text, numbers in _matches(index, pattern, language):
        lines = text.split("\n")
        for number in numbers:
            total += 1
            if len(hits) < limit:
                snippet = lines[number].strip() if number < len(lines) else ""
                hits.append(TextHit(path, number + 1, snippet[:_MAX_SNIPPET]))
    return Page(tuple(hits), total)


def _matches(index: Index, pattern: str, language: str) -> Iterator[tuple[str, str, list[int]]]:
    """Yield (path, text, numbers of lines from 0) of each file with a match."""
    words = set(_WORD.findall(_META.sub(" ", pattern)))
    rows = index.connection.execute(
        "SELECT path, source FROM files WHERE language = ? AND source NOTNULL ORDER BY path",
        (language,),
    )
    failures: list[Failure] = []
    with ExitStack() as stack:
        parser = stack.enter_context(Parser())
        for path, source in rows:
            text = source_text(source)
            if not all(word in text for word in words):
                continue
            message: dict[str, Any] = {"do": "match", "pattern": pattern, "language": language}
            answer = parser.ask(message, text.encode())
            if isinstance(answer, Failure):
                failures.append(answer)
                if len(failures) == _MAX_FAILURES:
                    raise WrongQueryError(pattern, answer.error)
                continue
            if answer[0]["lines"]:
                yield path, text, answer[0]["lines"]
