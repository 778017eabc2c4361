"""Sinks: the calls by which a value leaves the program, or is kept outside the database."""

import ast
from collections.abc import Sequence
from typing import Literal, NamedTuple

from minerva_insilico.core.facts.log_calls import callee_name, logs, name_chain
from minerva_insilico.core.facts.vocabulary import services, word_list, words
from minerva_insilico.core.flows.assignments import values_at, variable_of
from minerva_insilico.core.flows.query import query_of
from minerva_insilico.core.visitors.scope import Scope

SinkKind = Literal["exception", "file", "http", "logging", "print", "queue", "template"]
"""`logging` is a log. The name is that of the first version of the hand-off."""


class Sink(NamedTuple):
    """A sink, what flows into it, and what names where that goes."""

    kind: SinkKind
    flowing: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...] = ()
    address: ast.expr | None = None
    """The URL of a request, the name of a queue, the path of a file."""
    host: str = ""
    """Of a library that talks to one service."""
    fields: ast.expr | None = None
    """The names of what a `csv.DictWriter` writes of each row."""


class Names(NamedTuple):
    """What the module says of names: loggers, and the targets of imports."""

    loggers: set[str]
    import_targets: dict[str, str]


def sink_of(node: ast.Call, scope: Scope, names: Names) -> Sink | None:
    """Return the sink that a call is, or None."""
    chain = name_chain(node.func)
    call = _Call(node, callee_name(node.func), scope, scope.resolve(chain) if chain else "")
    if logs(node, names.loggers, names.import_targets):
        return Sink("logging", tuple(node.args), tuple(node.keywords))
    for find in (_print, _http, _file, _sql_file, _queue, _template, _service):
        found = find(call)
        if found is not None:
            return found
    return None


class _Call(NamedTuple):
    node: ast.Call
    name: str
    scope: Scope
    binding: str

    @property
    def on(self) -> ast.expr | None:
        """What a method is called on."""
        return self.node.func.value if isinstance(self.node.func, ast.Attribute) else None

    @property
    def holder(self) -> str:
        """The last name of what a method is called on, in small letters."""
        return "" if self.on is None else callee_name(self.on).lower()

    @property
    def module(self) -> str:
        """The module that the call's name is bound to, as far as an import proves it."""
        return self.binding.rpartition(".")[0]

    def keyword(self, names: Sequence[str] | frozenset[str]) -> ast.expr | None:
        """Return the value of the first of the keywords that is there."""
        return next((one.value for one in self.node.keywords if one.arg in names), None)

    def first(self, place: int = 0) -> ast.expr | None:
        """Return an argument by its place."""
        return self.node.args[place] if len(self.node.args) > place else None

    def sink(self, kind: SinkKind, *, address: ast.expr | None = None, host: str = "") -> Sink:
        """Return a sink that takes all arguments."""
        return Sink(kind, tuple(self.node.args), tuple(self.node.keywords), address, host)


def made_by(node: ast.expr | None, scope: Scope, line: int, *, steps: int = 3) -> ast.Call | None:
    """Return the call that made a value: `requests.Session()` of `session` or `self.session`."""
    if node is None or not steps:
        return None
    if isinstance(node, ast.Await):
        node = node.value
    if isinstance(node, ast.Call):
        return node
    name = variable_of(node)
    reached = 1 << 30 if "." in name else line
    for given in reversed(values_at(scope.assignments_of(name), reached) if name else ()):
        if not given.grows:
            return made_by(given.value, scope, given.line, steps=steps - 1)
    return None


def call_name(node: ast.Call | None) -> str:
    """Return the last name of what a call calls."""
    return "" if node is None else callee_name(node.func)


def _print(call: _Call) -> Sink | None:
    if call.name in words("sinks", "print", "functions"):
        if call.on is None or call.holder in {"click", "typer", "pprint", "rich", "console"}:
            return call.sink("print")
        return None
    is_stream = call.holder in words("sinks", "print", "streams")
    is_writing = call.name in {"write", "writelines"}
    return call.sink("print") if is_writing and is_stream else None


def _http(call: _Call) -> Sink | None:
    name = call.name
    if name not in words("sinks", "http", "verbs"):
        return None
    modules = words("sinks", "http", "modules")
    url = call.keyword(word_list("sinks", "http", "url_keywords"))
    if call.module in modules or call.module.partition(".")[0] in modules:
        is_second = name in {"request", "stream"} and len(call.node.args) > 1
        return call.sink("http", address=url or call.first(1 if is_second else 0))
    if call.on is None:
        return None
    made = made_by(call.on, call.scope, call.node.lineno)
    is_second = name in {"request", "stream", "build_request"}
    address = url or call.first(1 if is_second else 0)
    if made is not None and call_name(made) in words("sinks", "http", "clients"):
        base = next((one.value for one in made.keywords if one.arg == "base_url"), None)
        if base is None and call_name(made).startswith(("HTTP", "HTTPS")) and made.args:
            base = made.args[0]
        return call.sink("http", address=base or address)
    has_payload = call.keyword(words("sinks", "http", "keywords")) is not None
    if made is None and call.holder in words("sinks", "http", "holders") and has_payload:
        text = address.value if isinstance(address, ast.Constant) else ""
        is_own = isinstance(text, str) and text.startswith("/") and call.holder == "client"
        return None if is_own else call.sink("http", address=address)  # Django's test client
    return None


def _file(call: _Call) -> Sink | None:
    name, on = call.name, call.on
    if on is None or f"{call.module}.{name}" in words("sinks", "file", "functions"):
        known = call.binding in words("sinks", "file", "functions")
        target = made_by(call.first(1), call.scope, call.node.lineno)
        path = target.args[0] if target is not None and target.args else None
        flowing = tuple(call.node.args[:1])
        return Sink("file", flowing, (), path) if known else None
    if name in words("sinks", "file", "tables"):
        return Sink("file", (on,), (), call.first())
    if name not in words("sinks", "file", "methods"):
        return None
    made = made_by(on, call.scope, call.node.lineno)
    if call_name(made) in words("sinks", "file", "memory"):
        return None
    if call.holder in words("sinks", "file", "answers"):
        return call.sink("template")
    sink = call.sink("file", address=_path_of(call, made))
    return sink._replace(fields=_fields_of(made)) if name in {"writerow", "writerows"} else sink


def _fields_of(maker: ast.Call | None) -> ast.expr | None:
    """Return what names the fields that a `csv.DictWriter` writes: it takes no others."""
    if maker is None or call_name(maker) != "DictWriter":
        return None
    named = next((one.value for one in maker.keywords if one.arg == "fieldnames"), None)
    return named or (maker.args[1] if len(maker.args) > 1 else None)


def _sql_file(call: _Call) -> Sink | None:
    """Return a file that the database writes: `SELECT … INTO OUTFILE`, `COPY … TO`."""
    if call.name not in words("sinks", "queries", "statements"):
        return None
    query = query_of(call.node, call.scope, call.node.end_lineno or call.node.lineno)
    if query is None or query.file is None:
        return None
    target = made_by(call.first(1), call.scope, call.node.lineno)
    path = _path_of(call, target) if call_name(target) == "open" else ast.Constant(query.file)
    return Sink("file", (call.node,), (), path)


def _path_of(call: _Call, maker: ast.Call | None) -> ast.expr | None:
    """Return what names the file: the argument of `open`, also behind a `csv.writer`."""
    if maker is not None and call_name(maker) in {"writer", "DictWriter"} and maker.args:
        maker = made_by(maker.args[0], call.scope, call.node.lineno)
    if maker is not None and call_name(maker) == "open":
        if isinstance(maker.func, ast.Attribute) and name_chain(maker.func)[:1] != ("io",):
            return maker.func.value  # Path("x").open()
        return maker.args[0] if maker.args else None
    return call.on


def _queue(call: _Call) -> Sink | None:
    if call.on is None:
        return None
    address = call.keyword(word_list("sinks", "queue", "names"))
    if call.name in words("sinks", "queue", "alone"):
        if call.name in {"delay", "apply_async", "si", "signature"}:
            return call.sink("queue", address=call.on)
        return call.sink("queue", address=address or call.first())
    if call.name not in words("sinks", "queue", "methods"):
        return None
    made = call_name(made_by(call.on, call.scope, call.node.lineno))
    holders = words("sinks", "queue", "holders")
    is_named = call.holder in holders or call.holder.rpartition("_")[2] in holders
    if made in words("sinks", "queue", "makers") or is_named:
        return call.sink("queue", address=address or call.first())
    return None


def _template(call: _Call) -> Sink | None:
    if call.name not in words("sinks", "template", "functions"):
        return None
    if call.name == "Response" and call.module.partition(".")[0] in {"requests", "httpx"}:
        return None
    texts = [one for one in call.node.args if isinstance(one, ast.Constant)]
    rest = tuple(
        one
        for one in call.node.args
        if not isinstance(one, ast.Constant) and name_chain(one)[-1:] != ("request",)
    )
    return Sink("template", rest, tuple(call.node.keywords), texts[0] if texts else None)


def _service(call: _Call) -> Sink | None:
    """Return a request by the library of one service: `stripe.Customer.create(email=…)`."""
    root = call.binding.partition(".")[0]
    if root not in services():
        made = made_by(_root_of(call.node.func), call.scope, call.node.lineno)
        chain = name_chain(made.func) if made is not None else ()
        root = call.scope.resolve(chain).partition(".")[0] if chain else ""
    if root not in services() or not (call.node.args or call.node.keywords):
        return None
    if call.name[:1].isupper() or call.name in {"client", "resource", "init", "session"}:
        return None  # it makes the client
    return call.sink("http", host=services()[root])


def _root_of(node: ast.expr) -> ast.expr:
    """Return `client` of `client.messages.create`, `self.client` of what is called on it."""
    while isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return node
        node = node.value
    return node
