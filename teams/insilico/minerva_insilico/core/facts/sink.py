"""Sinks: the log or the screen that a value flows straight to.

*Straight* means: as an argument, inside an f-string or a container, or through
a function that only formats. A call in between (`mask(patient.jumin_no)`) is
taken to change the value, so it ends the flow.
"""

import ast
import re
from collections.abc import Iterator
from typing import Literal

Sink = Literal["logging", "print"]

_LEVELS = frozenset(
    "critical debug error exception fatal info log msg notice success trace warn warning".split()
)
_LOGGER_NAME = re.compile(r"(?:.*_)?log(?:ger|ging)?|structlog|loguru", re.IGNORECASE)
_LOGGER_MAKERS = frozenset({"getLogger", "get_logger"})
_FORMATTERS = frozenset({"dict", "format", "list", "repr", "set", "sorted", "str", "tuple"})
_VALUE_METHODS = frozenset(
    "copy decode encode format get isoformat items join lower lstrip pop removeprefix removesuffix"
    " replace rstrip setdefault strftime strip title upper values zfill".split()
)


def name_chain(node: ast.expr) -> tuple[str, ...]:
    """Return `("a", "b", "c")` for `a.b.c`, or nothing where it does not start with a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ()
    names.append(node.id)
    return tuple(reversed(names))


def makes_logger(value: ast.expr | None) -> bool:
    """True if an expression is `logging.getLogger(…)` or alike."""
    return isinstance(value, ast.Call) and _last_name(value.func) in _LOGGER_MAKERS


def sink_of(call: ast.Call, loggers: set[str], imported: dict[str, str]) -> Sink | None:
    """Return the sink that the arguments of `call` go to.

    `loggers` are names assigned from `getLogger`; `imported` maps the names
    bound by imports to what they name (`from logging import info as note`).
    """
    function = call.func
    if isinstance(function, ast.Name):
        if function.id == "print":
            return "print"
        module, _, name = imported.get(function.id, "").rpartition(".")
        return "logging" if module == "logging" and name in _LEVELS else None
    if not isinstance(function, ast.Attribute):
        return None
    owner = function.value
    if function.attr in {"write", "writelines"}:
        return "print" if name_chain(owner) in {("sys", "stdout"), ("sys", "stderr")} else None
    if function.attr not in _LEVELS:
        return None
    name = _last_name(owner)
    is_logger = (
        makes_logger(owner)
        or name in loggers
        or imported.get(name) == "logging"
        or _LOGGER_NAME.fullmatch(name) is not None
    )
    return "logging" if is_logger else None


def flowing_parts(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the parts of an inner call through which a value still flows."""
    function = call.func
    if isinstance(function, ast.Name) and function.id in _FORMATTERS:
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)
    elif isinstance(function, ast.Attribute) and function.attr in _VALUE_METHODS:
        yield function.value
        if function.attr in {"format", "join"}:
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
