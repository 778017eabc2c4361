"""A person's decision about a question: read from LangChain's own JSON, checked before it counts.

`{"type": "approve"}`, `{"type": "edit", "edited_action": {"name", "args"}}`,
`{"type": "reject", "message"?}` and `{"type": "respond", "message"}` are about a tool. A worker's
own question is answered by `{"type": "respond", "value"}`, or by the value alone as a text. It is
read by the type that the question declares. `{"decisions": […]}` around a decision counts, too.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, get_args

import orjson
from pydantic import BaseModel

from minerva_platform.contract.bounds import MAX_DECISION_BYTES, fitted
from minerva_platform.contract.run_object import DecisionType, Interrupt
from minerva_platform.errors import InvalidDecisionError
from minerva_platform.people.answer_schema import schema_validator
from minerva_platform.people.typed_answer import typed_answer

DECISION_TYPES: Final[tuple[DecisionType, ...]] = get_args(DecisionType)
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "approve": frozenset({"type"}),
    "edit": frozenset({"type", "edited_action"}),
    "reject": frozenset({"type", "message"}),
    "respond": frozenset({"type", "message", "value"}),
}
_MAX_REASON = 600
"""Bytes of what a schema says about a value."""


def read_decision(run_id: str, question: Interrupt, value: object) -> dict[str, Any]:
    """Return `value` as whole decision JSON, if it may be decided about `question`.

    Raises:
        InvalidDecisionError: it is no decision, is not allowed here, or does not fit the schema.
    """
    try:
        decision = _as_json(value, question)
        kind = _kind(decision, question)
        _refuse_unknown(decision, kind)
        return {"type": kind, **_READERS[kind](decision, question)}
    except _RefusedError as error:
        raise InvalidDecisionError(run_id, question.id, str(error)) from None


class _RefusedError(Exception):
    """What is wrong with a decision, and what to give instead."""


def _as_json(value: object, question: Interrupt) -> dict[str, Any]:
    if isinstance(value, str):
        is_answer = question.kind == "question" and value not in question.allowed
        return {"type": "respond", "value": value} if is_answer else {"type": value}
    if not isinstance(value, Mapping):
        message = f"a decision is a JSON object such as {_FORM}, not {type(value).__name__}."
        raise _RefusedError(message)
    try:
        data = orjson.dumps(dict(cast("Mapping[str, Any]", value)), default=_plain)
    except (TypeError, ValueError) as error:
        message = f"the decision cannot be written as JSON: {error}."
        raise _RefusedError(message) from error
    if len(data) > MAX_DECISION_BYTES:
        message = (
            f"the decision has {len(data):,} bytes of JSON; at most {MAX_DECISION_BYTES:,} may be."
        )
        raise _RefusedError(message)
    decision = cast("dict[str, Any]", orjson.loads(data))
    batch = decision.get("decisions")
    batch = cast("list[object]", batch) if isinstance(batch, list) else []
    if batch and all(each == batch[0] for each in batch):  # one about all calls asked together
        only = batch[0]
        return cast("dict[str, Any]", only) if isinstance(only, dict) else _as_json(only, question)
    return decision


def _plain(value: object) -> object:
    """Return a pydantic model, which may be the declared type of an answer, as plain JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    message = f"Type is not JSON serializable: {type(value).__name__}"
    raise TypeError(message)


_FORM = '{"type": "approve"}'


def _kind(decision: Mapping[str, Any], question: Interrupt) -> DecisionType:
    name = decision.get("type")
    for kind in question.allowed:
        if kind == name:
            return kind
    allowed = _join(question.allowed)
    message = f"the type {_quote(name)} may not be decided here. Allowed: {allowed}."
    raise _RefusedError(message)


def _refuse_unknown(decision: Mapping[str, Any], kind: str) -> None:
    unknown = sorted(decision.keys() - _FIELDS[kind])
    if unknown:
        message = f"`{kind}` has no field {_join(unknown)}; it has {_join(_FIELDS[kind])}."
        raise _RefusedError(message)


def _read_approval(decision: Mapping[str, Any], question: Interrupt) -> dict[str, Any]:
    del decision, question
    return {}


def _read_edit(decision: Mapping[str, Any], question: Interrupt) -> dict[str, Any]:
    action = _as_langchain(decision.get("edited_action"), question)
    if not isinstance(action, dict) or not isinstance(action.get("args"), dict):
        message = (
            '`edit` needs {"edited_action": {"name": …, "args": {…}}} with all arguments in `args`.'
        )
        raise _RefusedError(message)
    fields = cast("dict[str, Any]", action)
    extra = sorted(fields.keys() - {"name", "args", "description"})
    if extra:
        message = f"`edited_action` has no field {_join(extra)}; it has `args`, `name`."
        raise _RefusedError(message)
    name = fields.get("name", question.tool)
    if name != question.tool:
        message = f"an edit may not call {_quote(name)} instead of `{question.tool}`."
        raise _RefusedError(message)
    _check(fields["args"], question, "arguments")
    return {"edited_action": {"name": name, "args": fields["args"]}}


def _as_langchain(action: Any, question: Interrupt) -> Any:
    """Return an edited action whose `arguments`, as some releases call them, are its `args`."""
    if not isinstance(action, dict) or "arguments" not in action:
        return cast("Any", action)
    fields = cast("dict[str, Any]", action)
    arguments = fields["arguments"]
    is_changed = "args" in fields and fields["args"] != question.arguments
    rest = {key: value for key, value in fields.items() if key != "arguments"}
    if is_changed and arguments not in (question.arguments, fields["args"]):
        message = "`args` and `arguments` of `edited_action` differ; give the arguments once."
        raise _RefusedError(message)
    return {**rest, "args": fields["args"] if is_changed else arguments}


def _read_rejection(decision: Mapping[str, Any], question: Interrupt) -> dict[str, Any]:
    del question
    message = decision.get("message")
    if message is None:
        return {}
    if not isinstance(message, str):
        refusal = "the `message` of `reject` is a text."
        raise _RefusedError(refusal)
    return {"message": message}


def _read_response(decision: Mapping[str, Any], question: Interrupt) -> dict[str, Any]:
    if question.kind == "tool":
        message = decision.get("message", decision.get("value"))
        if not isinstance(message, str) or not message.strip():
            refusal = "`respond` needs a `message`: what the tool would have answered, as a text."
            raise _RefusedError(refusal)
        return {"message": message}
    if "value" not in decision and "message" not in decision:
        refusal = "`respond` needs a `value`: the answer."
        raise _RefusedError(refusal)
    value = decision.get("value", decision.get("message"))
    asked = question.value
    if value is None and not (isinstance(asked, dict) and "allowed" in asked):  # `ask_person` may
        refusal = "`interrupt()` takes null for no answer; give another `value`."
        raise _RefusedError(refusal)
    value = typed_answer(value, question.answer_schema)
    _check(value, question, "answer")
    return {"value": value}


_READERS = {
    "approve": _read_approval,
    "edit": _read_edit,
    "reject": _read_rejection,
    "respond": _read_response,
}


def _check(value: Any, question: Interrupt, what: str) -> None:
    """Refuse a value that the stored schema does not allow.

    Raises:
        _RefusedError: it does not fit; the text names the place, and what fits.
    """
    if question.answer_schema is None:
        return
    from jsonschema import exceptions  # noqa: PLC0415  # few runs ask a person
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    try:
        validator = schema_validator(question.answer_schema)
        validator.check_schema(question.answer_schema)
        wrong: list[Any] = [*validator.iter_errors(value)]
        unknown = (each for each in wrong if each.validator == "additionalProperties")
        misfit = next(unknown, None) or cast("Any", exceptions.best_match(wrong))
    except (exceptions.SchemaError, exceptions.UnknownType, Unresolvable, re.error) as fault:
        said = fitted(str(fault).splitlines()[0], _MAX_REASON)
        message = f"the schema that the worker gave cannot be used ({said}); mend the worker."
        raise _RefusedError(message) from fault
    if misfit is None:
        return
    error = cast("exceptions.ValidationError", misfit)
    parts = list(error.absolute_path)
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    said = fitted(error.message, _MAX_REASON)
    where = f" at `{place.removeprefix('.')}`" if place else ""
    message = f"the {what}{where} cannot be taken: {said.removesuffix('.')}."
    fields = question.answer_schema.get("properties")
    if isinstance(fields, dict) and not place:
        message += f" Known: {_join(cast('dict[str, Any]', fields))}."
    raise _RefusedError(message)


def _join(names: "Sequence[str] | frozenset[str] | Mapping[str, Any]") -> str:
    ordered = names if isinstance(names, list | tuple) else sorted(names)
    return ", ".join(f"`{fitted(str(name), 80)}`" for name in ordered)


def _quote(value: object) -> str:
    return f"`{fitted(str(value), 80)}`"
