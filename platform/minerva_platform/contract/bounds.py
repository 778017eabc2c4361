"""The most that may cross a border, leave a worker or enter a run's state.

Text is cut, and the cut is counted. An artifact, a hand-off or a question is refused instead,
because a person or a program would miss it. The error names it, its size and the bound.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from minerva_platform.contract.values import Shown
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.texts import read_texts

KIB, MIB = 1024, 1024 * 1024

MAX_SUMMARY = 64 * KIB
"""Characters of a summary that may enter the parent's state."""

MAX_INLINE = 64 * KIB
"""Bytes of JSON that a worker's own fields, and its hand-offs together, may take in graph state.
Further hand-offs lie in the store and travel by their sha-256."""

MAX_TEXT_BYTES = 2 * KIB
"""Bytes of a short text: each field of a citation, a media type, the cause of a bypass."""

MAX_NAME_BYTES = 255
"""Bytes of an artifact's name. Most file systems allow as many."""

MAX_ENDING = 16
"""Characters that count as the ending of a file's name."""

MAX_CITATIONS = 100
"""Citations of one Result, a worker's or a team's."""

MAX_FILES = 200
"""Attached files that one Result or run names. The others are counted."""

MAX_UNUSED = 32
"""Unused words that one Result names."""

MAX_HISTORY = 8_000
"""Characters of JSON of a worker's messages that enter the parent's state (`output_mode`)."""

MAX_MESSAGE = 2_000
"""Characters of one of these messages, and of the arguments of one call in it."""

MAX_TOOL_ANSWER = 8_000
"""Characters of a tool's answer that a model reads. They stay in the worker's state."""

MAX_TOOL_DESCRIPTION = 1_000
"""Characters of the description of a server's tool that a model reads."""

MAX_TOOL_SCHEMA_BYTES = 16 * KIB
"""Bytes of JSON that describe the arguments of a server's tool."""

MAX_SERVER_TOOLS = 100
"""Tools of one server that a model may choose from."""

MAX_SERVER_MESSAGE_BYTES = 32 * MIB
"""Bytes of one message of a server of tools."""

MAX_SHOWN = 50
"""Names that one answer shows to later turns of its thread."""

MAX_SHOWN_BYTES = 200
"""Bytes of one of these names."""

MAX_EFFECTS = 100
"""Effects that one Result tells of, the latest ones; the run object has all of them."""

MAX_ARTIFACTS = 50
"""Artifacts that one worker may return."""

MAX_ARTIFACT_BYTES = 64 * MIB
"""Bytes of one artifact, or of one hand-off."""

MAX_RUN_BYTES = 256 * MIB
"""Bytes of all artifacts and hand-offs that the workers of one run give."""

MAX_HANDOFFS = 100
"""Hand-offs that one worker may give."""

MAX_INTERRUPT_BYTES = 2 * MIB
"""Bytes of JSON of the questions that one worker asks at once: a tool may be called with a
megabyte, and a person must see all of it."""

MAX_DECISION_BYTES = MAX_INTERRUPT_BYTES
"""Bytes of JSON of one decision of a person, who may edit what a worker asks about."""

MAX_INTERRUPTS = 100
"""Questions that one worker may ask at once."""

MAX_BYPASSES = 100
"""Causes that one call of a worker may record."""

MAX_CHECKPOINT_BYTES = 8 * MIB
"""Bytes of a worker's own state that are kept between its steps."""

_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that a name never needs: controls, directions, line ends."""

_INSIDE = 0b10
"""The first two bits of a UTF-8 byte that continues a character."""

TEXTS = read_texts("minerva_platform.contract", "bounds")
_READ = 2_000
"""Characters of a text that language detection reads."""

ItemT = TypeVar("ItemT")


def fitted(text: str, limit: int) -> str:
    """Return `text`, cut between characters to `limit` bytes of UTF-8. A cut text ends in `…`."""
    if len(text) * 4 <= limit:
        return text
    data = text[: limit + 1].encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text
    end = limit - len("…".encode())
    while data[end] >> 6 == _INSIDE:
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass") + "…"


def capped(text: str, limit: int) -> str:
    """Return `text`, cut to `limit` characters. A cut text says that it is cut."""
    if len(text) <= limit:
        return text
    shown = TEXTS("cut", language_of(text[:_READ]), shown=limit, all=len(text))
    return f"{text[:limit]}\n… ({shown})"


def fitted_name(name: str, limit: int) -> str:
    """Return a file's `name`, cut to `limit` bytes before its ending."""
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending) > MAX_ENDING:
        return fitted(name, limit)
    kept = f"{dot}{ending}"
    return fitted(stem, limit - len(kept.encode("utf-8", "surrogatepass"))) + kept


def fair_share(groups: Sequence[Sequence[ItemT]], limit: int) -> list[ItemT]:
    """Return at most `limit` items, in their order. Only the largest groups lose items."""
    left = limit
    kept = [0] * len(groups)
    for place, index in enumerate(sorted(range(len(groups)), key=lambda i: len(groups[i]))):
        kept[index] = min(len(groups[index]), left // (len(groups) - place))
        left -= kept[index]
    return [item for group, count in zip(groups, kept, strict=True) for item in group[:count]]


def bounded_shown(shown: Iterable[Shown], *, newest: bool = False) -> tuple[Shown, ...]:
    """Return `shown` with each name once and harmless to display, at most `MAX_SHOWN` in all.

    The first names are kept, or with `newest` the last ones.
    """
    names = [(one.kind, _line(name)) for one in shown for name in one.names]
    once = dict.fromkeys(reversed(names) if newest else names)
    kept = [pair for pair in once if pair[1]][:MAX_SHOWN]
    if newest:
        kept.reverse()
    kinds = dict.fromkeys(kind for kind, _ in kept)
    return tuple(
        Shown(kind=kind, names=tuple(name for other, name in kept if other == kind))
        for kind in kinds
    )


def _line(name: str) -> str:
    """Return `name` on one line, without what is not seen, cut to the bound."""
    seen = ("" if unicodedata.category(c) in _UNSEEN else c for c in " ".join(name.split()))
    return fitted("".join(seen), MAX_SHOWN_BYTES)
