"""Licence texts as SPDX expressions, and whether one leaves a way around what is forbidden.

Needs the extra `sbom` (license-expression, which brings the SPDX list 3.x with it).
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal

from minerva_platform.text import read_words

if TYPE_CHECKING:
    from license_expression import Licensing

Verdict = Literal["allowed", "forbidden", "excepted"]
"""`excepted`: a forbidden licence with an exception (`WITH …`), which a person has to judge."""

_WORDS = read_words("minerva_governance.core.dependencies", "licenses")
_MAX_CHARACTERS: Final = 200
_OPERATORS: Final = re.compile(r"\s+(and|or|with)\s+", re.IGNORECASE)
_VERSIONED: Final = re.compile(
    r"""
    (?P<family>.+?)-
    (?P<version>[0-9]+\.[0-9]+)
    (?P<range>-only|-or-later)
    """,
    re.VERBOSE,
)
_DEPRECATED: Final = re.compile(r"(?:a?gpl|lgpl|gfdl)-[0-9]+\.[0-9]+\+?")
"""Ids of the SPDX list before 3.0, which are read as `-only` and `-or-later`."""
_WORD: Final = re.compile(r"[^\s()]+")


def is_available() -> bool:
    """True if the extra is installed."""
    return find_spec("license_expression") is not None


def spdx(text: str) -> str | None:
    """Return `text` as an SPDX expression, or None if it is none and means no single id.

    `Apache Software License` is one; `BSD License` may be one of several.
    """
    short = " ".join(text.split())
    if not short or len(short) > _MAX_CHARACTERS:
        return None
    known = _texts().get(short.casefold())
    if known is not None:
        return known
    tree = _parse(short)
    return None if tree is None else str(tree.render())


def unknown_ids(names: Iterable[str]) -> list[str]:
    """Return those of a policy's `names` that are neither SPDX ids nor patterns of some."""
    return [name for name in names if not _expand_name(name)]


def judge(expression: str, forbidden: Sequence[str]) -> Verdict:
    """Return whether whoever uses a library under `expression` can avoid the `forbidden` ones.

    `OR` is forbidden if all its sides are, `AND` if any is. `-or-later` is an OR of the versions
    that there are; forbidding one forbids those versions.
    """
    ids = frozenset(each for name in forbidden for each in _expand_name(name))
    tree = _parse(expression)
    return "allowed" if tree is None else _judge(tree, ids)


def _judge(tree: Any, ids: frozenset[str]) -> Verdict:
    kind = type(tree).__name__
    if kind in {"AND", "OR"}:
        sides = {_judge(side, ids) for side in tree.args}
        # AND takes its worst side, OR its best.
        order: tuple[Verdict, ...] = ("forbidden", "excepted", "allowed")
        ordered = order if kind == "AND" else tuple(reversed(order))
        return next(verdict for verdict in ordered if verdict in sides)
    name = str(tree.render())
    if name in ids:
        return "forbidden"
    if kind == "LicenseWithExceptionSymbol":
        base = str(tree.license_symbol.render())
        return "excepted" if _is_covered(base, ids) else "allowed"
    return "forbidden" if _is_covered(name, ids) else "allowed"


def _is_covered(name: str, ids: frozenset[str]) -> bool:
    """True if `name`, or every version that it leaves to choose, is among `ids`."""
    return name in ids or all(version in ids for version in _versions(name))


def _expand_name(name: str) -> frozenset[str]:
    """Return the ids that a policy's word forbids: itself, all versions of it, or a pattern's."""
    if "*" in name:
        ids = (each for each in _ids() if fnmatchcase(each.casefold(), name.casefold()))
        return frozenset(ids)
    spdx_id = spdx(name)
    if spdx_id is None:
        return frozenset()
    return frozenset({spdx_id, *_versions(spdx_id)})


def _versions(name: str) -> tuple[str, ...]:
    """Return the `-only` ids that `name` stands for, all later versions of an `-or-later`."""
    hit = _VERSIONED.fullmatch(name)
    if hit is None or hit["range"] == "-only":
        return (name,)
    least = _number(hit["version"])
    family = [_VERSIONED.fullmatch(each) for each in _ids()]
    return tuple(
        sorted(
            each.string
            for each in family
            if each is not None
            and each["family"] == hit["family"]
            and each["range"] == "-only"
            and _number(each["version"]) >= least
        )
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _parse(text: str) -> Any:
    """Return the tree of an expression of SPDX ids, or None."""
    from license_expression import ExpressionError, ExpressionParseError  # noqa: PLC0415  # of the extra

    upper = _OPERATORS.sub(lambda hit: f" {hit[1].upper()} ", text)
    try:
        tree: Any = _licensing().parse(upper, validate=True, strict=True)
    except (ExpressionError, ExpressionParseError, RecursionError, ValueError):
        return None  # the error quotes the text
    # The parser also takes ScanCode's names and short words (`gpl`), which are no SPDX ids.
    words = {word.casefold() for word in _WORD.findall(upper)} - {"and", "or", "with"}
    strange = (word for word in words - _folded_ids() if not _DEPRECATED.fullmatch(word))
    return None if tree is None or any(strange) else tree


@cache
def _licensing() -> "Licensing":
    from license_expression import get_spdx_licensing  # noqa: PLC0415  # of the extra

    return get_spdx_licensing()


@cache
def _ids() -> frozenset[str]:
    """Return the ids of the SPDX list, exceptions included; ScanCode's own are none."""
    licensing: Any = _licensing()  # its attributes are untyped
    keys = (str(symbol.key) for symbol in licensing.known_symbols.values())
    return frozenset(key for key in keys if not key.startswith("LicenseRef-"))


@cache
def _folded_ids() -> frozenset[str]:
    return frozenset(each.casefold() for each in _ids())


@cache
def _texts() -> dict[str, str]:
    return {text: name for name, texts in _WORDS.table("texts").items() for text in texts}
