"""Where a sink leads: the host of a request, the name of a queue, a template or a file.

Only the host of an address is kept, without a name or password before it. A constant of another
module is kept by its name, and looked up when the whole tree is known.
"""

import ast
from urllib.parse import urlsplit

from minerva_insilico.core.facts.log_calls import name_chain
from minerva_insilico.core.facts.signature import text_of
from minerva_insilico.core.flows.assignments import values_at
from minerva_insilico.core.flows.sink import Sink, call_name
from minerva_insilico.core.visitors.scope import Scope

CONSTANT = "@"
"""Stands before the binding of a constant that another module may hold."""

_MAX_STEPS = 8
_MAX_CHARACTERS = 80
_ANY_LINE = 1 << 30


def destination_of(sink: Sink, scope: Scope, line: int) -> str:
    """Return where a sink leads, or an empty text."""
    if sink.host or sink.address is None:
        return sink.host
    if sink.kind == "http":
        return host_of(sink.address, scope, line)
    name = _file_name(sink.address, scope, line, _MAX_STEPS) if sink.kind == "file" else ""
    name = name or _text_of(sink.address, scope, line)
    return name.rpartition("/")[2][:_MAX_CHARACTERS] if sink.kind == "file" else name


def _file_name(node: ast.expr, scope: Scope, line: int, steps: int) -> str:
    """Return `export.csv` of `folder() / "export.csv"`, or nothing."""
    match node:
        case ast.BinOp(op=ast.Div(), right=ast.Constant(value=str(name))):
            return name
        case ast.Name(id=name) if steps:
            held = values_at(scope.assignments_of(name), line)
            return _file_name(held[-1].value, scope, held[-1].line, steps - 1) if held else ""
        case _:
            return ""


def host_of(node: ast.expr, scope: Scope, line: int) -> str:
    """Return the host that an address names, else `@binding` of a constant, else its source."""
    return address_of(node, scope, line) or text_of(node)[:_MAX_CHARACTERS].rstrip("…")


def address_of(node: ast.expr, scope: Scope, line: int) -> str:
    """Return the host that an address names, else `@binding` of a constant, else nothing."""
    found = _address(node, scope, line, _MAX_STEPS)
    return found if found.startswith(CONSTANT) else host_in(found)


def host_in(text: str) -> str:
    """Return the host of an address, without user and password; nothing if it has none."""
    if "://" not in text and not text.startswith("//"):
        return ""
    try:
        return (urlsplit(text).hostname or "").lower()
    except ValueError:
        return ""


def _address(node: ast.expr | None, scope: Scope, line: int, steps: int) -> str:
    """Return the beginning of an address as far as the text of the module tells it."""
    if node is None or not steps:
        return ""
    match node:
        case ast.Constant(value=str(found)):
            text = found
        case ast.JoinedStr(values=values):
            text = _read_f_string(values, scope, line, steps)
        case ast.BinOp(op=ast.Add() | ast.Mod() | ast.Div(), left=left):
            text = _address(left, scope, line, steps - 1)
        case ast.IfExp(body=body) | ast.NamedExpr(value=body) | ast.Await(value=body):
            text = _address(body, scope, line, steps - 1)
        case ast.BoolOp(values=values):
            known = (_address(value, scope, line, steps - 1) for value in values)
            text = next(filter(None, known), "")
        case ast.Call():
            text = _read_call(node, scope, line, steps)
        case ast.Name() | ast.Attribute():
            text = _read_name(node, scope, line, steps)
        case _:
            text = ""
    return text


def _read_f_string(values: list[ast.expr], scope: Scope, line: int, steps: int) -> str:
    """Return an f-string up to the first part that is not known."""
    text = ""
    for part in values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        if host_in(text) and "/" in text.partition("://")[2]:
            break
        inner = part.value if isinstance(part, ast.FormattedValue) else None
        found = _address(inner, scope, line, steps - 1)
        if found.startswith(CONSTANT):
            return found if not text else ""
        if not found:
            return text if host_in(text) and text.endswith("/") else ""
        text += found
    return text


def _read_call(node: ast.Call, scope: Scope, line: int, steps: int) -> str:
    name = call_name(node)
    if name in {"get", "getenv", "config", "env", "str", "getattr", "setdefault", "cast"}:
        defaults = [one.value for one in node.keywords if one.arg == "default"]
        given = node.args[:1] if name == "str" else [*node.args[1:], *defaults]
        return next((text for one in given if (text := _address(one, scope, line, steps - 1))), "")
    if name in {"urljoin", "Request", "URL", "Url", "furl", "rstrip", "strip", "format", "join"}:
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        is_method = on is not None and name in {"rstrip", "strip", "format", "join"}
        return _address(on if is_method else next(iter(node.args), None), scope, line, steps - 1)
    return ""


def _read_name(node: ast.expr, scope: Scope, line: int, steps: int) -> str:
    """Return what a variable, a constant or an attribute of the object was given."""
    chain = name_chain(node)
    own = chain[1] if len(chain) == 2 and chain[0] in {"self", "cls"} else ""  # noqa: PLR2004 - self.name
    name = f"self.{own}" if own else ".".join(chain)
    reached = line if len(chain) == 1 and not scope.is_class else _ANY_LINE
    for given in reversed(values_at(scope.assignments_of(name), reached)):
        found = _address(given.value, scope, given.line, steps - 1)
        if found:
            return found
    if own:
        return next(
            (
                text
                for given in reversed(scope.assignments_in_class(own))
                if (text := _address(given.value, scope, given.line, steps - 1))
            ),
            "",
        )
    if len(chain) == 1:
        default = scope.default_of(chain[0])
        if default is not None:
            return _address(default, scope, line, steps - 1)
        if scope.module is not scope:
            for given in reversed(scope.module.assignments_of(chain[0])):
                found = _address(given.value, scope.module, _ANY_LINE, steps - 1)
                if found:
                    return found
    binding = scope.resolve(chain) if chain else ""
    return f"{CONSTANT}{binding}" if binding else ""


def _text_of(node: ast.expr, scope: Scope, line: int) -> str:
    """Return a name that is written as text, or the name of a variable that holds it."""
    text = _address(node, scope, line, _MAX_STEPS)
    if text and not text.startswith(CONSTANT):
        return (host_in(text) or text)[:_MAX_CHARACTERS]
    return (".".join(name_chain(node)) or text_of(node))[:_MAX_CHARACTERS]
