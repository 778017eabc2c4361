"""A person's decision from the options of a command: `--set`, `--args` and `-m`."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from minerva_platform.cli.decide.question_text import to_name
from minerva_platform.cli.decide.schema_values import (
    checked_value,
    is_closed,
    is_object,
    parse_value,
    property_names,
    property_schema,
    refuse_input,
)
from minerva_platform.cli.io.escape import harmless
from minerva_platform.contract.run_object import DecisionType, Interrupt
from minerva_platform.errors import RunError

STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class TypedDecision:
    """A decision, and the options that were typed with it."""

    kind: DecisionType
    sets: tuple[str, ...] = ()
    """`name=value`, each."""
    file: Path | None = None
    """A file with JSON; `-` is standard input."""
    message: str | None = None


def to_decision(choice: TypedDecision, question: Interrupt) -> dict[str, Any]:
    """Return the decision as LangChain writes it.

    Raises:
        RunError: a value has another type than the question's schema says, or an option is missing.
    """
    match choice.kind:
        case "edit":
            args = edit_arguments(choice, question)
            return {"type": "edit", "edited_action": {"name": question.tool, "args": args}}
        case "respond":
            return {"type": "respond", **_answer(choice, question)}
        case "reject" if choice.message is not None:
            return {"type": "reject", "message": choice.message}
        case kind:
            return {"type": kind}


def edit_arguments(choice: TypedDecision, question: Interrupt) -> dict[str, Any]:
    """Return the arguments of a call as they are to be.

    Raises:
        RunError: nothing was typed, or a value is of a wrong type.
    """
    if choice.file is None and not choice.sets:
        message = (
            "What is to change? Type --set NAME=VALUE, as often as you like, or --args FILE with "
            "all arguments as JSON."
        )
        raise RunError(message)
    args = dict(question.arguments)
    if choice.file is not None:
        args = _object(read_json(choice.file), choice.file)
    return {**args, **read_sets(choice.sets, question.answer_schema, question.arguments)}


def read_sets(sets: Sequence[str], schema: Any, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of `name=value` by their names.

    Raises:
        RunError: one is no such pair, its name is unknown or typed twice, or its value is of a
            wrong type.
    """
    given: dict[str, Any] = {}
    for pair in sets:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            names = _name_list(dict.fromkeys((*property_names(schema), *before)))
            key = "no_pair_of" if names else "no_pair"
            refuse_input(key, pair=harmless(pair), names=names)
        if is_closed(schema) and name not in property_names(schema):
            names = _name_list(property_names(schema))
            refuse_input("unknown", name=to_name(name), names=names)
        if name in given:
            refuse_input("twice", name=to_name(name))
        known = property_schema(schema, name)
        given[name] = checked_value(name, _whole(text), known, before=before.get(name))
    return given


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(f"`{to_name(name)}`" for name in names)


def parse_answer(text: str, question: Interrupt) -> Any:
    """Return what `text` means as the answer to a worker's own question.

    Raises:
        RunError: the schema wants another type.
    """
    return parse_value("answer", _whole(text), question.answer_schema)


def _answer(choice: TypedDecision, question: Interrupt) -> dict[str, Any]:
    if choice.file is not None:
        value = read_json(choice.file)
    elif choice.sets:
        value = read_sets(choice.sets, question.answer_schema, {})
    elif choice.message is not None:
        if question.kind == "tool":
            return {"message": _whole(choice.message)}
        value = parse_answer(choice.message, question)
    else:
        has_names = question.kind != "tool" and is_object(question.answer_schema)
        way = "--set NAME=VALUE, as often as needed, or --args FILE" if has_names else "-m TEXT"
        message = f"What is the answer? Type it: {way}."
        raise RunError(message)
    return {"value": value}


def _whole(text: str) -> str:
    """Return `text`, which can be kept as it was typed.

    Raises:
        RunError: it is no UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"What was typed is no UTF-8: its character {error.start + 1} is a broken byte."
        raise RunError(message) from error
    return text


def read_json(file: Path) -> Any:
    """Return the JSON in a file, or of standard input.

    Raises:
        RunError: it cannot be read, or is no JSON.
    """
    try:
        data = sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
    except OSError as error:
        message = f"--args {file}: it cannot be read: {error.strerror}."
        raise RunError(message) from error

    def refuse(constant: str) -> NoReturn:
        message = f"{constant} is no JSON"
        raise ValueError(message)

    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        message = f"--args {file}: it is no JSON in UTF-8: {error}."
        raise RunError(message) from error


def _object(value: Any, file: Path) -> dict[str, Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    message = f'--args {file}: the arguments are one JSON object, as {{"name": "value"}}.'
    raise RunError(message)
