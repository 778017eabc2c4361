"""Commands as classes of their options, and options as a person types them again."""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Annotated, Any, ClassVar, dataclass_transform, get_origin

import typer


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options:
    """What may be typed after a command: each `Annotated` field is an argument or an option.

    The docstring of a class is the help of its command. A field that is not `Annotated` is for
    programs. A dataclass would take a millisecond to make, in every command.
    """

    work: ClassVar[str]
    """The function below `cli` that does the work: `maintenance.prune:prune_store`.

    It takes the options and may return an exit code. Its imports wait for the call.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the fields as parameters: first its own, then those of the class above."""
        fields: dict[str, Any] = {}
        for kind in cls.__mro__:
            for name, annotation in inspect.get_annotations(kind).items():
                fields.setdefault(name, annotation)
        keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
        return [
            inspect.Parameter(name, keyword, default=getattr(cls, name, empty), annotation=each)
            for name, each in fields.items()
            if get_origin(each) is Annotated
        ]


def find_work(options: type[Options]) -> Callable[[Any], int | None]:
    """Return the function that does the work of a command."""
    module, _, name = options.work.partition(":")
    work: Callable[[Any], int | None] = getattr(
        import_module(f"minerva_platform.cli.{module}"), name
    )
    return work


def command(options: type[Options], *, of_group: bool = False) -> Callable[..., None]:
    """Return the function that Typer makes a command of, which takes `options`.

    With `of_group` it is what a group does if none of its commands is typed. If one is, that gets
    the options that were typed before it.
    """

    def run(context: typer.Context, **values: Any) -> None:
        if of_group and hand_down(context):
            return
        if code := find_work(options)(options(**values)):
            raise typer.Exit(code)

    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context, *options.parameters()]
    run.__doc__ = options.__doc__
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    vars(run)["__signature__"] = inspect.Signature(parameters)  # Typer reads it
    return run


def add_commands(app: typer.Typer, commands: Mapping[str, type[Options]]) -> None:
    """Add commands by their names."""
    for name, options in commands.items():
        app.command(name)(command(options))


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
