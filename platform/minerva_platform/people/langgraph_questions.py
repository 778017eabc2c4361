"""Questions to people: every form that LangGraph surfaces becomes the contract's `Interrupt`.

The forms are a tool call of LangChain's `HumanInTheLoopMiddleware` (per call, or batched), what
`ask_person` asks, and any other value of `interrupt(value)`. `to_resume_value` leads back: from a
person's decision to what the waiting code gets.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from traceback import walk_tb
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, cast

import orjson
from pydantic import ValidationError

from minerva_platform.contract.run_object import DecisionType, Interrupt
from minerva_platform.errors import ChangingQuestionError
from minerva_platform.people.answer_schema import closed, follow_reference, schema_of
from minerva_platform.people.decision_json import DECISION_TYPES
from minerva_platform.text.validation_error import validation_text

if TYPE_CHECKING:
    from langgraph.types import Interrupt as LangGraphInterrupt

ASKED: Final = "minerva.question"
"""The `type` of what `ask_person` asks."""
DECIDED: Final = "minerva.decision"
"""The one key of what `ask_person` gets back."""
GIVEN: Final = "minerva.given"
"""The one key of the digest of what was shown, and of what `ask_person` gets for it."""
EARLIER: Final = "minerva.earlier"
"""The key of what a question in a host's graph asked when it was decided about."""
_UNBOUND: Final = (
    "it was decided before MINERVA kept what was shown with a decision, so it is asked anew"
)
_WORDS: Final = ("question", "text", "message", "prompt", "description")
"""Keys of a plain question's words, as authors name them."""
_APART_S: Final = 1e-6
"""Between two questions of one pause: whoever reads them by time reads them in their order."""
_TIMES: Final = re.compile(r"\.\d+\Z")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the code that asked gets, and the question as the person saw it."""

    question: Interrupt
    value: Any
    is_bound: bool = True
    """False: it was decided by a release that did not keep what was shown."""


@dataclass(slots=True)
class Questions:
    """What one process knows of a run's questions while it runs, by LangGraph's ids."""

    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """What was decided so far and may be used, also in earlier parts of the run."""
    decided_questions: "Mapping[str, LangGraphInterrupt[Any]]" = field(
        default_factory=dict[str, Any]
    )
    """LangGraph's pending questions whose decisions are given now, set by what resumes the run."""
    paths: dict[str, str] = field(default_factory=dict[str, str])
    """The path of the worker that asks, by the id of its question."""
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """Why a decision that was given does not fit what the worker's own code takes."""

    waiting: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    """What workers ask, as LangGraph has it, that nobody has decided about, by their paths."""

    def wait_on(
        self, pending: "Sequence[LangGraphInterrupt[Any]]", answers: Mapping[str, Answer]
    ) -> None:
        """Take note of who waits on, with all of its `pending` questions."""
        self.waiting.clear()
        goes_on = {self.paths.get(each.id) for each in pending if each.id in answers}
        for each in pending:
            if (path := self.paths.get(each.id)) is not None and path not in goes_on:
                self.waiting.setdefault(path, []).append(each)

    def note(self, questions: "Sequence[LangGraphInterrupt[Any]]", path: str) -> None:
        """Keep who asks; the innermost call notes it first, and that is the worker."""
        for question in questions:
            self.paths.setdefault(question.id, path)

    def answer_to(self, asked: "LangGraphInterrupt[Any]", path: str | None) -> Answer | None:
        """Return the answer to what is `asked` at `path`, if a person has decided about just that.

        Else nothing is returned, and the question is asked anew.

        Raises:
            ChangingQuestionError: it has changed twice in a row between question and answer.
        """
        answer = self.answers.get(asked.id)
        if answer is None:
            return None
        shown = answer.question
        now = to_interrupt(asked, path=shown.path if path is None else path, now=0)
        if not answer.is_bound and asked.id in self.decided_questions:
            self.refused[asked.id] = _UNBOUND
        elif _is_as_shown(shown, now):
            return answer
        elif shown.earlier is not None:
            raise ChangingQuestionError(now.path, now.tool, _differences(shown, now))
        del self.answers[asked.id]
        return None

    def asked_again(self, error: Exception) -> "LangGraphInterrupt[Any] | None":
        """Return the question whose answer the code that asked has refused with `error`.

        LangGraph keeps no refused answer, so the question still waits. None if it cannot be told.
        """
        frames = (asked_in(frame) for frame, _ in walk_tb(error.__traceback__))
        found = next((asked for asked in frames if asked is not None), None)
        if found is None or found.id not in self.decided_questions:
            return None
        said = validation_text(error) if isinstance(error, ValidationError) else str(error)
        self.refused[found.id] = said
        return found


def asked_in(frame: FrameType) -> "LangGraphInterrupt[Any] | None":
    """Return what is asked, if `frame` is a call of LangGraph's `interrupt`."""
    from langgraph.types import Interrupt as LangGraphInterrupt, interrupt  # noqa: PLC0415  # langgraph is heavy

    if frame.f_code is not interrupt.__code__:
        return None
    told = frame.f_locals
    namespace, number = told.get("conf", {}).get("checkpoint_ns"), told.get("idx")
    place = f"{namespace}|{number}" if number else str(namespace)
    adapter, given = told.get("adapter"), told.get("response_schema")
    schema = adapter.json_schema() if adapter else given
    question = LangGraphInterrupt.from_ns(told.get("value"), place)
    return LangGraphInterrupt(question.value, question.id, response_schema=schema)


def langgraph_id(interrupt_id: str) -> str:
    """Return LangGraph's id of a question, which it keeps when it is asked again."""
    return _TIMES.sub("", interrupt_id)


def next_id(interrupt_id: str) -> str:
    """Return the id under which a question is asked once more: `….2`, `….3`."""
    found = _TIMES.search(interrupt_id)
    return f"{langgraph_id(interrupt_id)}.{int(found[0][1:]) + 1 if found else 2}"


def to_interrupts(
    raw_questions: "Sequence[LangGraphInterrupt[Any]]",
    questions: Questions,
    *,
    root: str,
    now: float,
) -> tuple[Interrupt, ...]:
    """Return what LangGraph surfaced as questions of the contract, asked from `now` on."""
    return tuple(
        to_interrupt(item, path=questions.paths.get(item.id, root), now=now + number * _APART_S)
        for number, item in enumerate(raw_questions)
    )


def to_interrupt(raw_question: "LangGraphInterrupt[Any]", *, path: str, now: float) -> Interrupt:
    """Return one question as plain JSON: what is asked, what may be decided, by which schema.

    `now` are seconds since 1970; a question that expires does so that much after it.
    """
    value = orjson.loads(orjson.dumps(raw_question.value))
    given: Any = raw_question.response_schema
    schema = cast("dict[str, Any]", given) if isinstance(given, dict) else None
    about: dict[str, Any] = {"id": raw_question.id, "value": value, "path": path, "asked": now}
    match value:
        case {"minerva.earlier": {"text": str(), "tool": str() | None, "arguments": dict()}}:
            about["earlier"] = value.pop(EARLIER)
        case _:
            pass
    try:
        told = _question_fields(value, schema)
        expires_in = told.pop("expires_in", None)
        expires_at = None if expires_in is None else now + expires_in
        question = Interrupt(**about, **told, expires_at=expires_at)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        told = _plain(value, schema)  # it only looks like one of the forms
        question = Interrupt(**about, **told)
    return question.model_copy(update={"shown_sha256": shown_digest(question)})


def shown_digest(question: Interrupt) -> str:
    """Return the sha-256 of all that a person decides about, as canonical JSON."""
    shown = [
        question.kind,
        question.text,
        question.tool,
        question.arguments,
        question.allowed,
        question.answer_schema,
        question.path,
    ]
    data = json.dumps(shown, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(data.encode()).hexdigest()


def _is_as_shown(shown: Interrupt, now: Interrupt) -> bool:
    """True if what is asked now is what the person saw.

    A question of the release before took any edit; it is the same if all else is.
    """
    if shown.shown_sha256 == now.shown_sha256:
        return True
    took_any = shown.answer_schema == {"type": "object"} and now.kind == "tool"
    same = now.model_copy(update={"answer_schema": shown.answer_schema})
    return took_any and shown_digest(same) == shown.shown_sha256


def to_earlier(question: Interrupt) -> dict[str, Any]:
    """Return what is told of a question beside the one that is asked instead of it."""
    return {"text": question.text, "tool": question.tool, "arguments": question.arguments}


def _differences(shown: Interrupt, now: Interrupt) -> list[str]:
    """Return the names of the arguments that differ; of other parts if all arguments are equal."""
    before, after = (
        {name: json.dumps(value, sort_keys=True) for name, value in each.arguments.items()}
        for each in (shown, now)
    )
    found = [n for n in dict.fromkeys((*before, *after)) if before.get(n) != after.get(n)]
    parts = ("kind", "text", "tool", "allowed", "answer_schema", "path")
    return found or [each for each in parts if getattr(shown, each) != getattr(now, each)]


def to_resume_value(question: Interrupt, decision: Mapping[str, Any]) -> Any:
    """Return what the code that asked `question` gets for `decision`, which is whole JSON."""
    value = cast("dict[str, Any]", question.value) if isinstance(question.value, dict) else {}
    if value.get("type") == ASKED:
        return {DECIDED: dict(decision)}
    if question.kind != "tool":
        return decision["value"]
    if "action_requests" in value:  # batched: one decision for all calls of a model's turn
        count = len(value["action_requests"])
        return {"decisions": [dict(decision) for _ in range(count)]}
    return dict(decision)


def _question_fields(value: Any, schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return the fields of the contract's `Interrupt` that follow from what is asked."""
    match value:
        case {"type": "tool_approval", "name": str(), "args": dict()}:
            return _tool(cast("dict[str, Any]", value), schema)
        case {"type": "minerva.question"}:
            names = ("kind", "text", "tool", "arguments", "allowed", "refused", "expires_in")
            told: dict[str, Any] = {name: value[name] for name in names if name in value}
            return told | {"answer_schema": value.get("schema")}
        case {"action_requests": [_, *_], "review_configs": list()}:
            return _batch(value)
        case _:
            return _plain(value, schema)


def _tool(value: dict[str, Any], schema: dict[str, Any] | None) -> dict[str, Any]:
    text = value.get("description")
    branches = _branches(schema or {})
    allowed = tuple(kind for kind in DECISION_TYPES if kind in branches) or DECISION_TYPES
    return {
        "kind": "tool",
        "text": text if isinstance(text, str) else "",
        "tool": value["name"],
        "arguments": value["args"],
        "allowed": allowed,
        "answer_schema": _edit_schema(branches.get("edit"), schema or {}, value["args"]),
    }


def _batch(value: dict[str, Any]) -> dict[str, Any]:
    """One call is a question as any other; several can be approved or rejected together alone."""
    requests: list[dict[str, Any]] = value["action_requests"]
    reviews: list[dict[str, Any]] = value["review_configs"]
    shared = set[str](DECISION_TYPES)
    for review in reviews:
        shared &= set(review.get("allowed_decisions", DECISION_TYPES))
    text = "\n".join(str(request.get("description", "")) for request in requests).strip()
    if len(requests) == 1:
        (request,) = requests
        allowed: tuple[DecisionType, ...] = tuple(k for k in DECISION_TYPES if k in shared)
        tool, arguments = request["name"], request["args"]
    else:
        allowed = tuple(k for k in ("approve", "reject") if k in shared)
        tool = ", ".join(request["name"] for request in requests)
        arguments = {f"{n}. {r['name']}": r["args"] for n, r in enumerate(requests, 1)}
    told = {"kind": "tool", "text": text, "tool": tool, "arguments": arguments, "allowed": allowed}
    return told | {"answer_schema": schema_of(arguments) if "edit" in allowed else None}


def _plain(value: Any, schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return any other question: its words, what stands beside them, the schema of the answer."""
    told = {"answer_schema": closed(schema)}
    if isinstance(value, str):
        return {**told, "text": value}
    if isinstance(value, dict):
        asked = cast("dict[str, Any]", value)
        for key in _WORDS:
            if isinstance(asked.get(key), str):
                rest = {name: part for name, part in asked.items() if name != key}
                return {**told, "text": asked[key], "arguments": rest}
        return {**told, "arguments": asked}
    return {**told, "text": json.dumps(value, ensure_ascii=False)}


def _branches(schema: dict[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the schema of each decision that LangChain's schema allows, by its type."""
    branches: dict[str, Mapping[str, Any]] = {}
    for item in schema.get("oneOf", [schema]):
        branch = follow_reference(item, schema)
        kind = branch.get("properties", {}).get("type", {}).get("const")
        if isinstance(kind, str):
            branches[kind] = branch
    return branches


def _edit_schema(
    branch: Mapping[str, Any] | None, whole: dict[str, Any], arguments: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the schema of a tool's arguments, with what it refers to.

    One that says nothing of them follows from the `arguments` of the call.
    """
    if branch is None:
        return None
    action = follow_reference(branch.get("properties", {}).get("edited_action", {}), whole)
    args = follow_reference(action.get("properties", {}).get("args", {}), whole)
    if not args.keys() & {"properties", "allOf", "anyOf", "oneOf", "$ref"}:
        return schema_of(arguments)
    refers = "#/$defs/" in json.dumps(args)
    own = {"$defs": whole["$defs"]} if refers and "$defs" in whole else {}
    return cast("dict[str, Any]", closed({**args, **own}))
