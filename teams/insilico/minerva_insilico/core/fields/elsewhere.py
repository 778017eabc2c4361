"""Lines with a field's name in what is not read as Python: templates, SQL, data, client code.

They are text, not uses: nothing tells whose the name is. An answer names them apart.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.language import DOCUMENTS, PYTHON
from minerva_insilico.core.facts.readable_files import read_source
from minerva_insilico.core.index.index import Hit, Index, Page, cut_snippet
from minerva_insilico.core.index.listing import list_sources
from minerva_insilico.core.index.store import source_text
from minerva_platform.text import masked

_MAX_BYTES = 1024 * 1024
_MAX_TOTAL_BYTES = 256 * 1024 * 1024
_UNDERSCORE = re.compile(r"_+([a-z0-9])")


@dataclass(frozen=True)
class Elsewhere:
    """The lines with a name, and how many files of each ending were searched for it."""

    lines: Page[Hit]
    files: dict[str, int]
    unread: int = 0
    """Files that are binary, larger than 1 MiB, or beyond 256 MiB in all."""


def find_elsewhere(index: Index, name: str, *, limit: int) -> Elsewhere:
    """Return the lines with `allow_join` or `allowJoin`, documents and Python left out."""
    spellings = {name, _UNDERSCORE.sub(lambda match: match[1].upper(), name)}
    word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(spellings)))})(?!\w)")
    files: Counter[str] = Counter()
    hits: list[Hit] = []
    unread = total = 0
    for path, text in _texts(index):
        if text is None:
            unread += 1
            continue
        files[PurePosixPath(path).suffix.lower() or PurePosixPath(path).name] += 1
        masked_text = masked(text) if word.search(text) else ""
        for number, line in enumerate(masked_text.split("\n"), start=1):
            if word.search(line):
                total += 1
                hits += [Hit(path, number, "", cut_snippet(line), 0.0, "text")][: limit - len(hits)]
    return Elsewhere(Page(tuple(hits), total), dict(files.most_common()), unread)


def _texts(index: Index) -> Iterator[tuple[str, str | None]]:
    """Yield the files with their text; None for one that is not read."""
    rows = index.connection.execute(
        "SELECT path, language, source FROM files WHERE source NOTNULL ORDER BY path"
    )
    for path, language, source in rows:
        if language != PYTHON and language not in DOCUMENTS:
            yield path, source_text(source)
    budget = _MAX_TOTAL_BYTES
    for path in list_sources(index.root).others:
        try:
            content = read_source(index.root, path, limit=_MAX_BYTES) if budget > 0 else b"\0"
        except UnreadableSourceError:
            content = b"\0"
        budget -= len(content)
        yield path, None if b"\0" in content else content.decode(errors="replace")
