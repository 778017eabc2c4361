"""Logs: the calls whose arguments end in one."""

import ast
import re

from minerva_insilico.core.facts.vocabulary import words

LEVELS = words("frameworks", "logs", "levels")
_LOGGER_NAME = re.compile(r"(?:.*_)?log(?:ger|ging)?|structlog|loguru", re.IGNORECASE)
_LOGGER_MAKERS = frozenset({"getLogger", "get_logger"})
LOG_CONTEXTS = frozenset({"bind", "contextualize", "new", "opt", "try_unbind", "unbind"})
"""Methods of structlog and loguru that give a logger with values of its own."""


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
    return isinstance(value, ast.Call) and callee_name(value.func) in _LOGGER_MAKERS


def logs(call: ast.Call, loggers: set[str], import_targets: dict[str, str]) -> bool:
    """True if the arguments of `call` go to a log.

    `loggers` are names assigned from `getLogger`; `import_targets` maps the names
    bound by imports to what they name (`from logging import info as note`).
    """
    function = call.func
    if isinstance(function, ast.Name):
        module, _, name = import_targets.get(function.id, "").rpartition(".")
        return module == "logging" and name in LEVELS
    if not isinstance(function, ast.Attribute) or function.attr not in LEVELS | LOG_CONTEXTS:
        return False
    owner = _logger_of(function.value)
    name = callee_name(owner)
    return (
        makes_logger(owner)
        or name in loggers
        or import_targets.get(name) == "logging"
        or _LOGGER_NAME.fullmatch(name) is not None
    )


def _logger_of(node: ast.expr) -> ast.expr:
    """Return `log` of `log.bind(user=user)`: a logger with values is one as well."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in LOG_CONTEXTS
    ):
        node = node.func.value
    return node


def callee_name(function: ast.expr) -> str:
    """Return the last name of the called expression, or an empty text."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
