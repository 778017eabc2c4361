"""Which Python a source is written for, where the running one cannot parse it.

A newer Python is named only if libcst, whose grammar is ahead of the interpreter's, parses the
whole file and finds a construct that this interpreter lacks. Python 2 is named only if the line
where parsing stops holds a construct that no Python 3 ever had.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, NamedTuple, cast

from minerva_insilico.core.parsing.encoding import decode

Version = tuple[int, int]

TYPE_STATEMENT: Final = "type X = …"
TYPE_PARAMETERS: Final = "def f[T]"
NESTED_F_STRING: Final = 'f"{d["key"]}"'
TYPE_DEFAULT: Final = "[T = int]"
T_STRING: Final = 't"…"'
BARE_EXCEPT_LIST: Final = "except A, B:"
UNPACKED_ELEMENT: Final = "[*x for …]"
LAZY_IMPORT: Final = "lazy import"

ADDED: Final[dict[str, Version]] = {
    TYPE_STATEMENT: (3, 12),  # PEP 695
    TYPE_PARAMETERS: (3, 12),  # PEP 695
    NESTED_F_STRING: (3, 12),  # PEP 701
    TYPE_DEFAULT: (3, 13),  # PEP 696
    T_STRING: (3, 14),  # PEP 750
    BARE_EXCEPT_LIST: (3, 14),  # PEP 758
    UNPACKED_ELEMENT: (3, 15),  # PEP 798
    LAZY_IMPORT: (3, 15),  # PEP 810
}
"""A sample of each construct, and the first Python that has it."""

_PYTHON_2: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("print x", re.compile(r"(?:^|[:;])\s*print\b\s*(?:>>|[^\s\w(=.,:;)\[]|\w|\([^=]*\)\s*[%,])")),
    ("exec x", re.compile(r"(?:^|[:;])\s*exec\s+[\w'\"(]")),
    (
        "except A, e:",
        re.compile(r"(?:^|[:;])\s*except\s+(?:[\w.]+|\(.*\))\s*,\s*(?:[a-z_]\w*\s*:|\()"),
    ),
    ("raise A, x", re.compile(r"(?:^|[:;])\s*raise\s+[\w.]+(?:\(.*?\)|\[.*?\])*\s*,")),
    ("`x`", re.compile(r"`")),
    ("a <> b", re.compile(r"<>")),
    ("0777", re.compile(r"(?<![\w.])0[0-9]+(?![\w.])|(?<![\w.])0[0-7]+[lL]\b")),
    ("1L", re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|[0-9]+)[lL]\b")),
    ('ur"x"', re.compile(r"(?<!\w)[uU][rR]''")),
    ("def f(a, (b, c)):", re.compile(r"\bdef\s+\w+\s*\((?:[^=()]*,)?\s*\(")),
    ("lambda (a, b): a", re.compile(r"\blambda\s*(?:[^:]*,\s*)?\(")),
)
"""A sample of each construct, and what it looks like where strings are blanked."""

_SIGNS: Final = re.compile(
    r"\b(?:type|except|lazy)\b|\b(?:def|class)\b[\s\\]*\w+[\s\\]*\[|[fFtT][rR]?['\"]"
)
"""What a file holds at least that has one of `ADDED`, beside `[*x for …]`."""

_STRING = re.compile(r"""('''|\"\"\"|'|")(?:\\.|(?!\1).)*(?:\1|$)|#.*""")
_MESSAGES: Final = {
    "Missing parentheses in call to 'print'": "print x",
    "Missing parentheses in call to 'exec'": "exec x",
}


class PythonVersion(NamedTuple):
    """The version of Python that a source is written for."""

    version: str
    """`2`, or the first version that has the construct: `3.12`."""
    sample: str
    """A construct of that version."""


def written_for(source: bytes, error: str, line: int | None) -> PythonVersion | None:
    """Return which Python a source that does not parse is written for, if that can be shown.

    `error` is the interpreter's, `line` where it stopped, from 1.
    """
    text = decode(source).removeprefix("\ufeff")
    lines = re.split("\r\n|\r|\n", text)
    sample = _python_2_sign(lines[line - 1], error) if line and line <= len(lines) else None
    if sample:
        return PythonVersion("2", sample)
    if not _SIGNS.search(text) and not ("*" in text and "for" in text):
        return None  # so libcst, which takes 0.3 s to import, is not asked
    newest = max(_newer_constructs(text), key=lambda name: ADDED[name], default=None)
    if newest is None:
        return None
    major, minor = ADDED[newest]
    return PythonVersion(f"{major}.{minor}", newest)


def _python_2_sign(line: str, error: str) -> str | None:
    for message, sample in _MESSAGES.items():
        if message in error:
            return sample
    blanked = _STRING.sub(lambda match: "" if match.group().startswith("#") else "''", line)
    return next((sample for sample, pattern in _PYTHON_2 if pattern.search(blanked)), None)


def _newer_constructs(text: str) -> Iterator[str]:
    """Yield the constructs of a whole file that the running interpreter does not have."""
    import libcst  # noqa: PLC0415 - takes 0.3 s, and most files parse

    try:
        module = libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError):
        return
    pending: list[Any] = [module]
    while pending:
        node = pending.pop()
        for sample in _constructs_of(module, node):
            if ADDED[sample] > sys.version_info[:2]:
                yield sample
        pending.extend(_children(node))


def _children(node: Any) -> Iterator[Any]:
    """Yield the direct children of a node. libcst's own `children` visits all levels."""
    for field in fields(node):
        value = getattr(node, field.name)
        items = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else (value,)
        yield from (item for item in items if is_dataclass(item))


def _constructs_of(module: Any, node: Any) -> Iterator[str]:
    kind = type(node).__name__
    if kind in _BY_KIND:
        yield _BY_KIND[kind]
    test = _TESTS.get(kind)
    if test is not None:
        sample, is_newer = test
        if is_newer(module, node):
            yield sample


def _is_default(_module: Any, node: Any) -> bool:
    return getattr(node, "default", None) is not None


def _is_bare_list(_module: Any, node: Any) -> bool:
    return type(node.type).__name__ == "Tuple" and not node.type.lpar


def _is_unpacked(_module: Any, node: Any) -> bool:
    return type(node.elt).__name__.startswith("Starred")


def _is_refused(module: Any, node: Any) -> bool:
    """True if this interpreter refuses an f-string that libcst takes."""
    return not _parses(module.code_for_node(node))


@cache
def _parses(expression: str) -> bool:
    try:
        ast.parse(f"({expression})")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_BY_KIND: Final = {
    "LazyImport": LAZY_IMPORT,
    "LazyImportFrom": LAZY_IMPORT,
    "TypeAlias": TYPE_STATEMENT,
    "TypeParameters": TYPE_PARAMETERS,
    "TemplatedString": T_STRING,
}
_TESTS: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "ExceptHandler": (BARE_EXCEPT_LIST, _is_bare_list),
    "ExceptStarHandler": (BARE_EXCEPT_LIST, _is_bare_list),
    "FormattedString": (NESTED_F_STRING, _is_refused),
    "GeneratorExp": (UNPACKED_ELEMENT, _is_unpacked),
    "ListComp": (UNPACKED_ELEMENT, _is_unpacked),
    "SetComp": (UNPACKED_ELEMENT, _is_unpacked),
    "TypeParam": (TYPE_DEFAULT, _is_default),
}
