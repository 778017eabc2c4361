"""`--from-function`: a team whose worker calls an existing function."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel

from minerva_platform.cli.new_team.shape import (
    Shape,
    description_of,
    examples_of,
    import_lines,
    literal,
    literals,
    worker_name,
)
from minerva_platform.cli.new_team.source import (
    Source,
    names_in,
    required_parameters,
    undocumented_error,
)
from minerva_platform.errors import RunError

SHAPES = (
    "MINERVA calls `def NAME(request: str) -> str`, sync or async; a pydantic model with a text "
    "`request` may stand for the first `str`, one with a text `summary` for the second"
)


@dataclass(frozen=True, slots=True)
class _Call:
    """The call as the worker writes it, and the model that it makes of the request, if any."""

    text: str
    model: type[BaseModel] | None


def function_shape(source: Source, *, package: str) -> Shape:
    """Return the shape of a team whose worker calls the function.

    Raises:
        RunError: it is no function, has no docstring, or takes or returns something else.
    """
    function = _function(source)
    name = source.target.name
    doc = inspect.getdoc(function)
    if not doc:
        raise undocumented_error(source.target, f"below `def {name}`")
    hints = _hints(source, function)
    call = _call(source, function, hints)
    answer = _answer(call.text, function, _summary_field(source, function, hints.get("return")))
    examples = examples_of(doc, name)
    worker = worker_name(name) if name.isascii() else f"{source.target.team}_agent"
    imports = {"minerva_platform": ["AgentInput", "AgentOutput", "BaseAgent"]}
    imports.setdefault(source.module, []).append(name)
    if call.model is not None:
        imports.setdefault(source.module_of(call.model), []).append(call.model.__name__)
    member = "".join(part.capitalize() for part in worker.split("_"))
    return Shape(
        layers=("common", "single", "wrapped", "function"),
        question=examples[-1],
        words={
            "worker": worker,
            "member": member,
            "instance": f"{member}()",
            "source": f"`{name}` of `{source.module}`",
            "called": name,
            "description": literal(description_of(doc), indent=4),
            "examples": literals(examples),
            "about": f"It calls `{name}` of `{source.module}`.",
            "imports": import_lines(imports, package=package),
            "define": "async def" if _is_async(function) else "def",
            "answer": answer,
        },
        requirements=source.requirements(*imports),
        copy=source.copy,
    )


def _answer(call: str, function: Callable[..., Any], field: str) -> str:
    """Return the expression of the answer's text; `field` holds it, "" if it is no model."""
    if not _is_async(function):
        return f"{call}.{field}" if field else call
    return f"(await {call}).{field}" if field else f"await {call}"


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function)  # of a decorated one, what it became


def _function(source: Source) -> Callable[..., Any]:
    target, value = source.target, source.value
    inner: Any = inspect.unwrap(value) if callable(value) else value
    if hasattr(value, "channels"):  # of a StateGraph, and of what it is compiled to
        message = f"`{target}` is a graph. Type: {target.line(option='--from-graph')}"
        raise RunError(message)
    if not inspect.isfunction(inner):
        what = "a class" if isinstance(value, type) else f"of the type `{type(value).__name__}`"
        names = names_in(source.home, inspect.isfunction)
        there = f"; the functions there: {', '.join(names)}" if names else ""
        line = target.line(name=next(iter(names), "NAME"))
        message = f"`{target}` is {what}, no function{there}. Type: {line}"
        raise RunError(message)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise _misfit(source, f"`{target}` yields its answer in parts")
    return value  # type: ignore[no-any-return]  # what it wraps is a function


def _hints(source: Source, function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception as error:
        message = f"The annotations of `{source.target}` cannot be read: {error}. Mend them, then "
        message += f"type: {source.target.line()}"
        raise RunError(message) from error


def _call(source: Source, function: Callable[..., Any], hints: dict[str, Any]) -> _Call:
    """Return the call of the function; it may take more, if that has defaults."""
    taken = [
        given
        for given in inspect.signature(function).parameters.values()
        if given.kind is not given.VAR_KEYWORD
    ]
    required = required_parameters(function)
    if not taken or len(required) > 1:
        raise _misfit(source, _signature(source, function))
    first = (required or taken)[0]
    kind, model = hints.get(first.name, str), None
    argument = "given.request"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        model = kind
        argument = f"{kind.__name__}({_request_field(source, kind)}=given.request)"
    elif kind not in {str, Any, object}:
        raise _misfit(source, _signature(source, function))
    keyword = f"{first.name}=" if first.kind is first.KEYWORD_ONLY else ""
    return _Call(f"{source.target.name}({keyword}{argument})", model)


def _request_field(source: Source, model: type[BaseModel]) -> str:
    """Return the field of an Input that gets the request: `request`, or the one required text."""
    fields = model.model_fields
    required = [name for name, field in fields.items() if field.is_required()]
    chosen = "request" if "request" in fields else (required or [""])[0]
    is_named = getattr(source.home, model.__name__, None) is model or "." not in model.__qualname__
    if set(required) <= {chosen} and chosen and fields[chosen].annotation is str and is_named:
        return fields[chosen].alias or chosen
    raise _misfit(
        source, f"`{model.__name__}` needs {_list_text(required)}, which no request fills"
    )


def _summary_field(source: Source, function: Callable[..., Any], result_type: Any) -> str:
    """Return the field that holds the answer, "" if the function returns just that."""
    if result_type is str:
        return ""
    if isinstance(result_type, type) and issubclass(result_type, BaseModel):
        fields = result_type.model_fields
        chosen = "summary" if "summary" in fields or len(fields) != 1 else next(iter(fields))
        if chosen in fields and fields[chosen].annotation is str:
            return chosen
        raise _misfit(source, f"`{result_type.__name__}` has no text `summary`")
    raise _misfit(source, _signature(source, function))


def _signature(source: Source, function: Callable[..., Any]) -> str:
    return f"`{source.target.location}` has `def {source.target.name}{inspect.signature(function)}`"


def _list_text(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no text"


def _misfit(source: Source, what: str) -> RunError:
    line = source.target.line(name="NAME")
    return RunError(f"{what}. {SHAPES}. Write such a function around it, then type: {line}")
