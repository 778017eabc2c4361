"""What an answer names, typed, so that a later turn of its thread can refer to it.

A person says "the second one", "둘 중", or writes a name that stood in the answer. The names are
values of workers: they are looked up, never read as words of a request by a router.
"""

import unicodedata
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from minerva_platform.contract.bounds import MAX_SHOWN, MAX_SHOWN_BYTES, fitted
from minerva_platform.contract.values import Frozen

_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
"""Categories of characters that a name never needs: controls, directions, line ends."""


class Shown(Frozen):
    """Names of one kind that an answer shows, in the order of the answer.

    `kind` says what they are (`column`, `file`, `finding`). Beyond the bounds (`MAX_SHOWN` names
    of an answer, `MAX_SHOWN_BYTES` each) names are left out or cut.
    """

    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
    names: tuple[str, ...] = Field(repr=False)


def bounded_shown(given: Iterable[Shown], *, newest: bool = False) -> tuple[Shown, ...]:
    """Return `given` with each name once and harmless to display, at most `MAX_SHOWN` in all.

    The first names are kept, or with `newest` the last ones.
    """
    names = [(one.kind, _line(name)) for one in given for name in one.names]
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
