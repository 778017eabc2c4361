"""Commands as functions of their options, and options as a person types them again."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, dataclass_transform

import typer


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options:
    """What may be typed after a command, or after several: each field is an argument or an option.

    A dataclass would take a millisecond to make, in every command.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the fields as parameters: first its own, then those of the class above."""
        fields = {
            name: annotation
            for kind in cls.__mro__
            for name, annotation in inspect.get_annotations(kind).items()
        }
        keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
        return [
            inspect.Parameter(name, keyword, default=getattr(cls, name, empty), annotation=each)
            for name, each in fields.items()
        ]


def command(work: Callable[..., int | None]) -> Callable[..., None]:
    """Return `work` as a command, which ends with the exit code that it returns.

    A parameter that is `Options` stands for the fields of these.
    """
    singles: list[inspect.Parameter] = []
    wholes: dict[str, tuple[type[Options], list[inspect.Parameter]]] = {}
    for name, each in inspect.signature(work).parameters.items():
        if isinstance(each.annotation, type) and issubclass(each.annotation, Options):
            wholes[name] = each.annotation, each.annotation.parameters()
            singles += wholes[name][1]
        else:
            singles.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(work)
    def run(**values: Any) -> None:
        for name, (kind, fields) in wholes.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields})
        if code := work(**values):
            raise typer.Exit(code)

    run.__annotations__ = {one.name: one.annotation for one in singles}
    vars(run)["__signature__"] = inspect.Signature(singles)  # Typer reads it
    return run


def option_words(options: Mapping[str, object]) -> list[str]:
    """Return options as a person types them, by their names; one that was not typed is left out."""
    words: list[str] = []
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words += [name, str(value)]
    return words


def hand_down(context: typer.Context) -> bool:
    """Let the command of a group, if there is one, have the options typed before its name."""
    before = {name: value for name, value in context.params.items() if value}
    context.default_map = {context.invoked_subcommand or "": before}
    return context.invoked_subcommand is not None
