"""Ask a person out of any worker, and wait: the run pauses until somebody decides."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Required, TypedDict, TypeVar, cast, overload

import orjson
from langgraph.types import Interrupt as LangGraphInterrupt, interrupt
from pydantic import TypeAdapter, ValidationError

from minerva_platform.contract.run_object import DecisionType, Interrupt
from minerva_platform.errors import ContractError, InvalidDecisionError, RejectedError
from minerva_platform.people.answer_schema import closed, schema_of, schema_validator
from minerva_platform.people.decision_json import DECISION_TYPES, read_decision
from minerva_platform.people.langgraph_questions import ASKED, DECIDED, GIVEN, to_interrupt
from minerva_platform.people.typed_answer import typed_answer
from minerva_platform.text.validation_error import validation_text

T = TypeVar("T")

MAX_EXPIRY_S: Final = 366 * 86_400
"""Seconds after which a question may expire at the latest."""


@overload
def ask_person(
    question: str, *, details: Mapping[str, Any] | None = None, expires_in: float | None = None
) -> str: ...
@overload
def ask_person(
    question: str,
    *,
    answer: type[T],
    details: Mapping[str, Any] | None = None,
    expires_in: float | None = None,
) -> T: ...
@overload
def ask_person(
    question: str,
    *,
    answer: Mapping[str, Any],
    details: Mapping[str, Any] | None = None,
    expires_in: float | None = None,
) -> Any: ...
def ask_person(
    question: str,
    *,
    answer: Any = str,
    details: Mapping[str, Any] | None = None,
    expires_in: float | None = None,
) -> Any:
    """Ask a person and return the answer. The run pauses; the worker's step runs again with it.

    `answer` is the type of the answer (`bool`, a Literal, a pydantic model), or its JSON Schema.
    `details` are values beside the question, as plain JSON. After `expires_in` seconds the
    question is rejected by itself; without it, it stays open. What the step does before the
    question is done again when the answer is there, so ask first or put a deed behind `@effect`.

    Raises:
        RejectedError: the person rejects it, or the time is over.
        ContractError: `answer` cannot be asked for, or `expires_in` is no time.
    """
    _check_expiry("ask_person", expires_in)
    adapter = None if isinstance(answer, Mapping) else TypeAdapter[Any](answer)
    schema = _schema(answer, adapter)
    refused = ""
    while True:
        decision = ask_decision(
            {
                "text": question,
                "arguments": dict(details or {}),
                "allowed": ["reject", "respond"],
                "schema": schema,
                "expires_in": expires_in,
                "refused": refused,
            },
            checks_bare=adapter is None,
        )
        if decision["type"] == "reject":
            raise RejectedError(question, str(decision.get("message", "")))
        value = typed_answer(decision.get("value", decision.get("message")), schema)
        if adapter is None:
            return value
        try:
            return adapter.validate_python(value)
        except ValidationError as error:  # a validator of the author's, which no schema holds
            refused = validation_text(error)


def ask_approval(
    question: str,
    *,
    tool: str,
    arguments: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
    check: Callable[[dict[str, Any]], str] = lambda _: "",
    expires_in: float | None = None,
) -> dict[str, Any]:
    """Ask a person whether `tool` may be done with `arguments`; return those that it is done with.

    The person approves, edits the arguments, or rejects. `schema` is the JSON Schema of edited
    arguments; without it they have the names and the types of `arguments`. `check` returns what is
    wrong with edited arguments as a sentence, or nothing; what is wrong is asked again. After
    `expires_in` seconds it is rejected by itself. The run pauses, and the worker's step runs again
    with the decision. That counts only for what the person saw: if the step asks for something else
    then, it is asked anew. What is returned are the arguments as they were shown, as plain JSON, or
    the person's own.

    Raises:
        RejectedError: the person rejects it, or the time is over.
        ContractError: `expires_in` is no time, or what is asked changes twice by itself.
    """
    _check_expiry("ask_approval", expires_in)
    shown = _as_shown(arguments)
    asked: QuestionFields = {
        "kind": "tool",
        "text": question,
        "tool": tool,
        "arguments": shown,
        "allowed": ["approve", "edit", "reject"],
        "schema": schema_of(shown) if schema is None else closed(dict(schema)),
        "expires_in": expires_in,
        "refused": "",
    }
    while True:
        decision = ask_decision(asked)
        match decision:
            case {"type": "approve"}:
                return shown
            case {"type": "edit", "edited_action": {"args": dict()}}:
                edited = cast("dict[str, Any]", decision["edited_action"]["args"])
            case _:
                raise RejectedError(question, str(decision.get("message", "")))
        asked["refused"] = check(edited)
        if not asked["refused"]:
            return edited


def _check_expiry(function: str, seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds <= MAX_EXPIRY_S:
        message = f"`{function}`: `expires_in` is {seconds!r}; give seconds, at most a year."
        raise ContractError(message)


def _as_shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as a person sees them: a copy, as plain JSON if they are any."""
    try:
        return cast("dict[str, Any]", orjson.loads(orjson.dumps(dict(arguments))))
    except (TypeError, ValueError):  # it cannot be asked, which is said where it would leave
        return dict(arguments)


class QuestionFields(TypedDict, total=False):
    """A question to a person as plain JSON. Fields are those of the contract's `Interrupt`."""

    kind: Literal["tool", "question", "effect"]
    text: Required[str]
    tool: str
    arguments: Required[dict[str, Any]]
    allowed: Required[list[DecisionType]]
    schema: dict[str, Any]
    expires_in: float | None
    """Seconds until it is rejected by itself; None: never."""
    refused: str
    """Why the decision before was refused."""


def ask_decision(asked: QuestionFields, *, checks_bare: bool = True) -> dict[str, Any]:
    """Ask a person and return the decision, as whole JSON.

    A program around the team gives a decision as `Team.resume` takes it, or the bare answer, which
    is returned unchecked unless `checks_bare`. What does not fit is asked again, with the reason.
    """
    while True:
        value: Any = interrupt(to_question(asked))
        question = to_interrupt(LangGraphInterrupt(to_question(asked), ""), path="", now=0)
        if (pair := _under(GIVEN, value)) is not None:
            shown, value = pair
            if shown != question.shown_sha256:  # before a retry, or in an earlier part
                asked = {**asked, "refused": _CHANGED}
                continue
        if (kept := _under(DECIDED, value)) is not None:  # `Team.resume` has read and kept it
            return cast("dict[str, Any]", kept)
        if "respond" in asked["allowed"] and _decision_in(value) is None:
            value = {"type": "respond", "value": value}
            if not checks_bare:
                return cast("dict[str, Any]", value)
        try:
            return host_decision(question, value)
        except InvalidDecisionError as error:
            asked = {**asked, "refused": error.reason}


def host_decision(question: Interrupt, value: Any) -> dict[str, Any]:
    """Return the decision about `question` that a program around the team gives, as whole JSON.

    Raises:
        InvalidDecisionError: it is none, or may not be decided here.
    """
    decision: Any = _decision_in(value)
    if decision is None:
        decision = _YES_OR_NO[value] if isinstance(value, bool) else value
    return read_decision("", question, decision)


_YES_OR_NO: Final[Mapping[bool, DecisionType]] = {True: "approve", False: "reject"}


_CHANGED: Final = "something else was asked here when it was decided"


def _under(key: str, value: Any) -> Any:
    """Return what is given under this key; None if nothing is."""
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None


def _decision_in(value: Any) -> dict[str, Any] | None:
    """Return the decision that a program around the team gives; None if it gives another value."""
    match value:
        case {"decisions": [only]}:  # as `HumanInTheLoopMiddleware` takes it
            return _decision_in(only)
        case {"type": str(kind)} if kind in DECISION_TYPES:
            return cast("dict[str, Any]", value)
        case _:
            return None


def to_question(asked: QuestionFields) -> dict[str, Any]:
    """Return a question as LangGraph surfaces it, for programs that read LangChain's form, too."""
    action = {"name": asked.get("tool") or ASKED, "description": asked["text"]}
    both = {"args": asked["arguments"], "arguments": asked["arguments"]}
    review = {"action_name": action["name"], "allowed_decisions": asked["allowed"]}
    as_langchain = {"action_requests": [{**action, **both}], "review_configs": [review]}
    return {"type": ASKED, **asked, **as_langchain}


def _schema(answer: Any, adapter: TypeAdapter[Any] | None) -> dict[str, Any]:
    if adapter is not None:
        return cast("dict[str, Any]", closed(adapter.json_schema()))
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415  # few workers write their own

    schema = dict(answer)
    try:
        schema_validator(schema).check_schema(schema)
    except SchemaError as error:
        message = f"`ask_person` cannot ask for `answer`: it is no JSON Schema, {error.message}."
        raise ContractError(message) from error
    return cast("dict[str, Any]", closed(schema))
