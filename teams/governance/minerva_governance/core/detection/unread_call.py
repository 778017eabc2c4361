"""Calls that give a personal value to code that nobody read: what becomes of it there is not known.

The code search follows a value through one function. Here a callable is known if the attached code
defines it, or if its library's manual says where values go (`words/calls.toml`). Of a function of
the attached code, what its parameters are given is followed on, however deep.
"""

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from minerva_governance.core.reading.source_files import Source
from minerva_platform.text import read_words
from minerva_reading import UnreadableError, read_text

_WORDS = read_words("minerva_governance.core.detection", "calls")
_MAX_BYTES: Final = 8 * 1024 * 1024
_LOGS: Final = frozenset("debug info warning warn error critical exception log".split())
ALL: Final = "*"
"""The name of a value that stands for whatever is personal."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class UnreadCall(NamedTuple):
    """A personal value, by the name of its field, and who is given it. `sink` is "" if unknown."""

    name: str
    path: str
    line: int
    callee: str
    sink: str = ""


def unread_calls(
    sources: Sequence[Source],
    is_personal: Callable[[str], bool],
    models: Mapping[str, str],
) -> tuple[UnreadCall, ...]:
    """Return the calls in the Python files of `sources`, by path and line.

    `models` gives a personal field of each table or class, by its name in small letters without
    signs: an object called so is one of it. What does not parse is left: the code search names it.
    """
    modules = [module for source in sources if (module := _parse_source(source)) is not None]
    tree = _Tree(modules, is_personal, models)
    return tuple(sorted(set(tree.calls()), key=lambda one: (one.path, one.line, one.name)))


def _parse_source(source: Source) -> "_Module | None":
    if source.kind != "code" or source.path.suffix.casefold() not in {".py", ".pyw"}:
        return None
    try:
        text = read_text(source.path, max_bytes=_MAX_BYTES).text
        return _Module(source.name, ast.parse(text))
    except (UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the code search names it as unparsed


class _Module:
    """A file: what its names are bound to."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.imports: dict[str, str] = {}
        self.values: dict[str, ast.expr] = {}
        self.calls: list[ast.Call] = []
        self.functions: list[_Function] = []
        self.classes: set[str] = set()
        self.objects: dict[str, str] = {}
        """The class of a variable or parameter, as far as an annotation or a call says it."""
        for node in ast.walk(tree):
            match node:
                case ast.Import() | ast.ImportFrom():
                    self._import(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values[name] = value
                case ast.Call():
                    self.calls.append(node)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.functions.append(node)
                case ast.ClassDef(name=name):
                    self.classes.add(name)
                case ast.arg(arg=name, annotation=ast.Name(id=class_name)):
                    self.objects[name] = class_name
                case _:
                    pass

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for one in node.names:
            if isinstance(node, ast.Import):
                root = one.name.partition(".")[0]
                self.imports[one.asname or root] = one.name if one.asname else root
            else:
                inner = ".".join(filter(None, (node.module, one.name)))
                self.imports[one.asname or one.name] = f"{'.' * node.level}{inner}"


class _Tree:
    """All files together."""

    def __init__(
        self,
        modules: Sequence[_Module],
        is_personal: Callable[[str], bool],
        models: Mapping[str, str],
    ) -> None:
        self.modules, self.is_personal, self.models = modules, is_personal, models
        self.functions: dict[str, list[tuple[_Module, _Function]]] = {}
        self.names = set[str]()
        """Dotted names of the files, from any folder above: `shop.store`, `store`."""
        for module in modules:
            for one in module.functions:
                self.functions.setdefault(one.name, []).append((module, one))
            parts = module.path.removesuffix(".py").removesuffix("/__init__").split("/")
            self.names |= {".".join(parts[at:]) for at in range(len(parts))}
            self.names |= {".".join(parts[at:-1]) for at in range(len(parts) - 1)}
        self.classes = set[str]().union(*(module.classes for module in modules))
        self._waiting: list[tuple[_Module, _Function, str, str]] = []
        """Functions of which a parameter is given a personal value, and the value's name."""

    def calls(self) -> Iterator[UnreadCall]:
        for module in self.modules:
            for call in module.calls:
                yield from self._of_call(module, call, {})
                if _logs_statements(call):
                    yield UnreadCall(ALL, module.path, call.lineno, _label(call.func), "log")
            for function in module.functions:
                yield from self._of_decorators(module, function)
        keys = set[tuple[str, int, str]]()
        while self._waiting:
            module, function, parameter, name = self._waiting.pop()
            key = (module.path, function.lineno, parameter)
            if key in keys:
                continue
            keys.add(key)
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    yield from self._of_call(module, node, {parameter: name}, is_inner=True)

    def _of_call(
        self, module: _Module, call: ast.Call, fields: Mapping[str, str], *, is_inner: bool = False
    ) -> Iterator[UnreadCall]:
        plain = [(at, None, one) for at, one in enumerate(call.args)]
        keywords = [(-1, one.arg, one.value) for one in call.keywords]
        values = [
            (at, key, dict.fromkeys(self._fields_in(module, value, key, fields, is_inner=is_inner)))
            for at, key, value in (*plain, *keywords)
        ]
        if not any(names for *_, names in values):
            return
        sink = _sink_of(call.func)
        if sink and not is_inner:  # the code search has the fields; here are whole objects
            values = [(at, key, dict.fromkeys(self._of_object(module, _label(one))))
                      for at, key, one in (*plain, *keywords)]  # fmt: skip
        callee = "" if sink else self._unread(module, call.func)
        for at, key, names in values:
            for name in names:
                if sink or callee:
                    yield UnreadCall(name, module.path, call.lineno, callee or sink, sink)
                elif _label(call.func) in self.functions:
                    self._follow(call, at, key, name)

    def _follow(self, call: ast.Call, at: int, key: str | None, name: str) -> None:
        """Note what a function of the attached code is given, unless its parameter is called so."""
        for module, function in self.functions[_label(call.func)]:
            spec = function.args
            plain = [one.arg for one in (*spec.posonlyargs, *spec.args)]
            if plain[:1] in (["self"], ["cls"]):
                plain = plain[1:]
            if at >= 0:
                rest = spec.vararg.arg if spec.vararg else ""
                parameter = plain[at] if at < len(plain) else rest
            elif key in (*plain, *(one.arg for one in spec.kwonlyargs)):
                parameter = str(key)
            else:
                parameter = spec.kwarg.arg if spec.kwarg else ""
            if parameter and not self.is_personal(parameter):
                self._waiting.append((module, function, parameter, name))

    def _of_decorators(self, module: _Module, function: _Function) -> Iterator[UnreadCall]:
        """Yield what a decorator sees that nobody read, or that hands on all it is given."""
        spec = function.args
        names = [one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        names = [name for name in names if self.is_personal(name)]
        for decorator in function.decorator_list if names else ():
            maker = decorator.func if isinstance(decorator, ast.Call) else decorator
            label = self._unread(module, maker)
            definitions = [] if label else self.functions.get(_label(maker), [])
            if label or any(_hands_on(one) for _, one in definitions):
                for name in names:
                    place = (module.path, function.lineno)
                    yield UnreadCall(name, *place, f"@{label or _label(maker)}")

    def _unread(self, module: _Module, function: ast.expr) -> str:
        """Return what a callable is called if nobody read it, or ""."""
        root = function
        while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
            root = root.func if isinstance(root, ast.Call) else root.value
        name, label = (root.id if isinstance(root, ast.Name) else ""), _label(function)
        if name in module.imports:
            rest = f".{label}" if root is not function else ""
            return self._of_target(f"{module.imports[name]}{rest}")
        if isinstance(function, ast.Name):
            is_class = name[:1].isupper() or name in self.classes
            is_known = name in self.functions or is_class or hasattr(builtins, name)
            return name if name in _WORDS["runs"] or not is_known else ""
        if not isinstance(function, ast.Attribute):
            return "(computed)"
        value = module.values.get(name)
        maker = _root_name(value.func) if isinstance(value, ast.Call) else ""
        if maker in module.imports:
            target = self._of_target(module.imports[maker])
            return f"{target}.{label}" if target else ""
        is_known = label in _WORDS["methods"] or label in self.functions or label in _LOGS
        return "" if is_known or hasattr(str, label) or masks(label) else label

    def _of_target(self, target: str) -> str:
        """Return what an import names if nobody read it, or ""."""
        root, short = target.partition(".")[0], target.rpartition(".")[2]
        if not root or target in self.names or target.rpartition(".")[0] in self.names:
            is_known = short in self.functions or target in self.names or short in _WORDS["methods"]
            return "" if is_known or short[:1].isupper() else target.lstrip(".")
        is_outward = root in _WORDS["outward"] and not target.startswith(tuple(_WORDS["harmless"]))
        if (root in sys.stdlib_module_names and not is_outward) or root in _WORDS["libraries"]:
            return ""
        return "" if root in self.names or masks(short) else target

    def _fields_in(
        self,
        module: _Module,
        value: ast.expr,
        key: str | None,
        fields: Mapping[str, str],
        *,
        is_inner: bool,
    ) -> Iterator[str]:
        """Yield the fields whose values an argument holds."""
        if key and not is_inner and self.is_personal(key) and not isinstance(value, ast.Constant):
            yield key
        waiting = [value]
        while waiting:
            node = waiting.pop()
            name, parts = _name_and_parts(node)
            waiting += parts
            root = _root_name(node)
            if root in fields:
                yield fields[root]
            elif not is_inner:
                yield from self._of_object(module, name) if isinstance(node, ast.Name) else ()
                keys = node.keys if isinstance(node, ast.Dict) else []
                texts = [one.value for one in keys if isinstance(one, ast.Constant)]
                yield from (each for each in (name, *map(str, texts)) if self.is_personal(each))

    def _of_object(self, module: _Module, name: str) -> Iterator[str]:
        """Yield a personal field of what a variable holds: an object of a model, a dictionary."""
        value = module.values.get(name)
        if isinstance(value, ast.Dict):
            yield from self._fields_in(module, value, None, {}, is_inner=False)
        maker = _label(value.func) if isinstance(value, ast.Call) else ""
        for candidate in (name, module.objects.get(name, ""), maker):
            field = self.models.get(folded(candidate))
            if field:
                yield field
                return


def folded(name: str) -> str:
    """Return a name as `models` has it."""
    return name.rpartition(".")[2].replace("_", "").casefold()


def masks(name: str) -> bool:
    """True if a callable's name says that it hides what it is given."""
    return _WORDS.pattern("masking").search(name) is not None


def _label(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _root_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _sink_of(function: ast.expr) -> str:
    """Return the sink that a call inside a followed function is by its name alone, or ""."""
    if isinstance(function, ast.Name) and function.id == "print":
        return "print"
    is_log = isinstance(function, ast.Attribute) and function.attr in _LOGS
    return "log" if is_log and "log" in _root_name(function).casefold() else ""


def _name_and_parts(node: ast.expr) -> tuple[str, Sequence[ast.expr]]:
    """Return the field that an expression names, or what it is put together from.

    A comparison gives no value, and a call only if it is known to give its arguments.
    """
    match node:
        case ast.Attribute(value=ast.Call() | ast.Subscript() as inner, attr=name):
            return name, [inner]
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name, []
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name, []
        case ast.Call(func=function, args=arguments, keywords=words):
            on = [function.value] if isinstance(function, ast.Attribute) else []
            inputs = [*arguments, *(one.value for one in words), *on]
            return "", inputs if _label(function) in _WORDS["passes"] else []
        case ast.Subscript(value=inner) | ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
            return "", [inner]
        case _:
            parts = ast.iter_child_nodes(node)
            is_value = not isinstance(node, ast.Compare | ast.Lambda)
            return "", [one for one in parts if is_value and isinstance(one, ast.expr)]


def _hands_on(decorator: _Function) -> bool:
    """True if a function around another gives `*args` or `**kwargs` to more than that one."""
    own = {one.arg for one in (*decorator.args.posonlyargs, *decorator.args.args)}
    for inner in ast.walk(decorator):
        if not isinstance(inner, _Function) or inner is decorator:
            continue
        rest = {one.arg for one in (inner.args.vararg, inner.args.kwarg) if one}
        for call in ast.walk(inner):
            if isinstance(call, ast.Call) and _label(call.func) not in own:
                inputs = [*call.args, *(one.value for one in call.keywords)]
                nodes = (node for one in inputs for node in ast.walk(one))
                names = {node.id for node in nodes if isinstance(node, ast.Name)}
                if rest & names:
                    return True
    return False


def _logs_statements(call: ast.Call) -> bool:
    """True if a call makes a database write its statements to a log."""
    if _label(call.func) in _WORDS["engines"]:
        echo = next((one.value for one in call.keywords if one.arg == "echo"), None)
        return echo is not None and not (isinstance(echo, ast.Constant) and not echo.value)
    if _label(call.func) != "setLevel" or not isinstance(call.func, ast.Attribute):
        return False
    names = [n.value for n in ast.walk(call.func.value) if isinstance(n, ast.Constant)]
    return any(_WORDS.pattern("statement_logs").search(str(one)) for one in names)
