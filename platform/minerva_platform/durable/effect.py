"""`@effect`: a deed in the world that a run does not repeat by accident.

A run that was killed, paused or retried goes on from its last checkpoint, so a step may run again.
An effect is kept before and after it is done, under a key that is the same in every repetition:
what has happened is not done again, and its outcome is returned.
"""

import asyncio
import functools
import hashlib
import inspect
import json
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    overload,
)

from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Interrupt
from pydantic import PydanticSchemaGenerationError, TypeAdapter

from minerva_observability import Masking
from minerva_observability.tracing import current_scope
from minerva_platform.answer.effects import effect_name, when_of
from minerva_platform.contract.values import EFFECT_MARK, Effect, EffectOutcome
from minerva_platform.errors import (
    ContractError,
    EffectError,
    EffectNotDoneError,
    RejectedError,
    RunError,
)
from minerva_platform.people.ask_person import QuestionFields, to_question
from minerva_platform.run_context.context import current_run, run_or_none
from minerva_platform.run_context.effect_place import MemberWork, Numbering, current_work, place_in
from minerva_platform.storage.ledger.effect_row import EffectKind, Intent, KeptEffect
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from minerva_platform.storage.ledger.effects import EffectJournal

TEXTS = read_texts("minerva_platform.durable", "effect")

P = ParamSpec("P")
T = TypeVar("T")

_doing: ContextVar["tuple[str, Numbering] | None"] = ContextVar("minerva_doing", default=None)
"""The key of the effect that is being done, and the numbers of the effects inside it."""


class Guard(Protocol):
    """What `effect(kind)` returns: of a function or a tool it makes one of the same type."""

    @overload
    def __call__(self, deed: "BaseTool", /) -> "BaseTool": ...
    @overload
    def __call__(self, deed: Callable[P, T], /) -> Callable[P, T]: ...


def effect(kind: EffectKind, *, target: str | Sequence[str] = ()) -> Guard:
    """Return a decorator for a function, `async` or not, or a LangChain tool of a function.

    - `"idempotent"`: doing it twice is as good as once. If it was cut off, it is done again.
    - `"keyed"`: who does it knows repetitions by a key. It is done again with the same
      `effect_key()`.
    - `"once"`: it may not be repeated. If it was cut off or failed, nobody knows whether it
      happened, so a person is asked. A function that raises `EffectNotDoneError` says that it did
      not.

    `target` names the arguments that say what it is done to (`"invoice"`); without it all of them
    do. An effect that is not idempotent, and whose name and target equal those of an earlier effect
    of its conversation, asks a person before it is done again.

    Arguments and outcome are plain JSON, or what pydantic makes of it and back by the function's
    annotations. Outside of a run the function is called as it is.

    Raises:
        ContractError: `kind` is none of these, the object is no function and no such tool, or it
            has no argument of a name in `target`.
    """
    named = (target,) if isinstance(target, str) else tuple(target)
    if kind not in get_args(EffectKind):
        message = f"effect({kind!r}): an effect is `idempotent`, `keyed` or `once`."
        raise ContractError(message)

    def guard(deed: Any) -> Any:
        if inspect.isroutine(cast("object", deed)) and not _is_generator(deed):
            return _guard(deed, kind, named)
        if all(hasattr(deed, name) for name in ("func", "coroutine", "args_schema")):
            wrapped = {
                name: _guard(function, kind, named, deed.name)
                for name in ("func", "coroutine")
                if (function := getattr(deed, name)) is not None
            }
            return deed.model_copy(update=wrapped)
        message = (
            f"`@effect` takes a function or a tool of a function, not {type(deed).__name__}. "
            "Of a tool class, decorate `_run` and `_arun`. A generator has no outcome to keep."
        )
        raise ContractError(message)

    return cast("Guard", guard)


def _is_generator(deed: Any) -> bool:
    return inspect.isgeneratorfunction(deed) or inspect.isasyncgenfunction(deed)


def effect_key() -> str:
    """Return the key of the effect that is being done: the same in every repetition of it.

    Pass it on as the idempotency key of whatever does the deed.

    Raises:
        RunError: no effect is being done here.
    """
    doing = _doing.get()
    if doing is None:
        message = "`effect_key()` is there only while an `@effect` function runs in a run."
        raise RunError(message)
    return doing[0]


@dataclass(frozen=True, slots=True)
class _Deed:
    """A call of a guarded function: what it does, and where in its run."""

    name: str
    kind: EffectKind
    arguments: dict[str, Any]
    journal: "EffectJournal"
    work: MemberWork
    language: Language
    outcomes: "TypeAdapter[Any] | None"
    target: tuple[str, ...] = ()

    def steps(self) -> "Generator[Step, Any, Any]":
        """Yield what to do next: a piece of work on the database, or None for the deed itself.

        What it returns is the outcome of the deed.
        """
        journal, deed = self.journal, _digest([self.name, self.arguments])
        if (load := journal.loading()) is not None:
            current_run().effect_log.note(*journal.know((yield load)))
        place, numbering = self._place()
        number = journal.number(place, deed, numbering)
        intent = self._intent(f"{place}-{number}", deed)
        known = journal.confirm((yield journal.beginning(intent, self.refuse_late)))
        if known is not None:
            return self._of_known(known, intent)
        key, token = intent.effect.key, _doing.set((intent.effect.key, Numbering()))
        self._note(intent, "unknown")
        try:
            outcome = yield None
            told = _to_json(outcome, f"what `{self.name}` returns")
        except (Exception, asyncio.CancelledError) as error:
            numbering.note_failure(place, number)
            is_certain = isinstance(error, EffectNotDoneError)
            did_not = self.kind != "once" or is_certain
            yield journal.ending(key, "failed" if did_not else "unknown", perhaps=not is_certain)
            self._note(intent, "failed" if is_certain else "unknown")
            if isinstance(error, GraphBubbleUp):
                message = f"`{self.name}` asks a person while it is done; ask before the effect."
                raise EffectError(message) from error
            raise
        finally:
            _doing.reset(token)
        yield journal.ending(key, "done", told)
        self._note(intent, "done")
        return self._read_outcome(told)

    def _intent(self, key: str, deed: str) -> Intent:
        target = {name: self.arguments[name] for name in self.target or self.arguments}
        effect = Effect(
            name=self.name,
            key=key,
            run_id=self.journal.run.run_id,
            path=self.work.path,
            arguments=_without_secrets(self.arguments),
            target=self.target,
            outcome="unknown",
            at=time.time(),
        )
        around = _doing.get()
        return Intent(
            effect,
            self.kind,
            args_sha256=deed,
            target_sha256=_digest([self.name, target]),
            within=around[0] if around else "",
            is_suspected=self.name in current_run().effect_log.suspects,
        )

    def _note(self, intent: Intent, outcome: EffectOutcome) -> None:
        told = intent.effect.model_copy(update={"outcome": outcome, "at": time.time()})
        current_run().effect_log.note(told)

    def _of_known(self, kept_effect: KeptEffect, intent: Intent) -> Any:
        """Return the outcome of what was done before.

        Raises:
            RejectedError: a person does not want it done again.
            GraphInterrupt: a person has to decide.
        """
        if kept_effect.state == "done":
            self._note(intent, "done")  # a person may have said so
            return self._read_outcome(kept_effect.outcome)
        asked = kept_effect.question_id(intent)
        question = self._question(kept_effect)
        if refused := current_run().questions.refused.get(asked):
            question["refused"] = refused
        if kept_effect.rejection is not None:
            raise RejectedError(question["text"], kept_effect.rejection)
        raise GraphInterrupt((Interrupt(to_question(question), asked),))

    def _place(self) -> tuple[str, Numbering]:
        """Return the place of the deed, as the first part of its key, and the numbers there.

        An effect inside another has its place there: it is not done again once that one is done.
        """
        place, around = place_in(self.work), _doing.get()
        around_it = [around[0]] if around else []
        name = _digest([self.journal.run.run_id, place.name, *around_it])
        return name, around[1] if around else place.numbering

    def refuse_late(self) -> None:
        """Raise if nobody waits for the worker any more.

        Raises:
            EffectError: its time is up.
        """
        if self.work.is_over:
            message = (
                f"`{self.work.path}` may not do `{self.name}`: its time was up before. "
                "Nothing was done."
            )
            raise EffectError(message)

    def _question(self, kept_effect: KeptEffect) -> QuestionFields:
        """Return the question what became of the effect, or whether to do it once more."""
        question: QuestionFields = {
            "kind": "effect",
            "text": TEXTS("unknown", self.language, name=self.name),
            "tool": self.name,
            "arguments": self.arguments,
            "allowed": ["approve", "reject", "respond"],
            "schema": {} if self.outcomes is None else self.outcomes.json_schema(),
        }
        if kept_effect.twin is None:
            return question
        twin = {"name": effect_name(kept_effect.twin), "when": when_of(kept_effect.twin)}
        text = TEXTS(f"again.{kept_effect.twin.outcome}", self.language, **twin)
        return {**question, "kind": "tool", "text": text, "allowed": ["approve", "reject"]}

    def _read_outcome(self, outcome: Any) -> Any:
        """Return an outcome as the function returns it."""
        if self.outcomes is None:
            return outcome
        return self.outcomes.validate_json(json.dumps(outcome))  # its strict types read texts, too


Step = Any
"""A piece of work on the database, or None: do the deed."""


def _guard(
    function: Callable[..., Any],
    kind: EffectKind,
    target: tuple[str, ...],
    name: str | None = None,
) -> Any:
    called = name or function.__name__
    signature = inspect.signature(function)
    _refuse_unknown(target, signature, called)
    outcomes = _adapter(function, called)

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Deed | None:
        run = run_or_none()
        if run is None or (run.effects is None and kind == "idempotent"):
            return None
        if run.effects is None:
            raise EffectError(_NO_JOURNAL.format(name=called, kind=kind))
        arguments = _arguments(signature, called, args, kwargs)
        journal = cast("EffectJournal", run.effects.journal)
        work, language = current_work() or journal.work, language_of(run.person_words)
        return _Deed(called, kind, arguments, journal, work, language, outcomes, target)

    @functools.wraps(function)
    async def guarded_async(*args: Any, **kwargs: Any) -> Any:
        deed = begin(args, kwargs)
        if deed is None:
            return await function(*args, **kwargs)
        return await _adriven(deed, lambda: function(*args, **kwargs))

    @functools.wraps(function)
    def guarded_call(*args: Any, **kwargs: Any) -> Any:
        deed = begin(args, kwargs)
        if deed is None:
            return function(*args, **kwargs)
        return _drive(deed, lambda: function(*args, **kwargs))

    made: Any = guarded_async if inspect.iscoroutinefunction(function) else guarded_call
    setattr(made, EFFECT_MARK, kind)
    return made


def _refuse_unknown(target: tuple[str, ...], signature: inspect.Signature, name: str) -> None:
    known = [
        each.name for each in signature.parameters.values() if not _is_injected(each.annotation)
    ]
    for each in target:
        if each not in known:
            message = (
                f"effect(…, target={each!r}): `{name}` has no such argument; "
                f"it has: {', '.join(known) or 'none'}."
            )
            raise ContractError(message)


def _without_secrets(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as the run may tell them: without secrets and sensitive values.

    The person's own words, which no record holds, stay: it is the person who is told.
    """
    scope = current_scope()
    hidden = scope.secrets.without("request") if scope else None
    masking = scope.masking if scope else Masking()
    masked: dict[str, Any] = masking.mask_value(arguments, hidden)
    return masked


def _drive(deed: _Deed, do: Callable[[], Any]) -> Any:
    """Do the steps of `deed` one after the other, in this OS thread."""
    steps = deed.steps()
    try:
        step = next(steps)
        while True:
            try:
                answer = do() if step is None else deed.journal.write(step)
            except BaseException as error:  # noqa: BLE001  # the steps say what follows from it
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value


async def _adriven(deed: _Deed, do: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Do the steps of `deed` one after the other, without holding up the event loop."""
    steps = deed.steps()
    try:
        step = next(steps)
        while True:
            try:
                answer = await (do() if step is None else deed.journal.awrite(step))
            except BaseException as error:  # noqa: BLE001  # the steps say what follows from it
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value


_NO_JOURNAL = (
    "`{name}` is an effect that is {kind}, and nothing is kept here by which it could be known "
    "again. Ask the team with state: `keep_state: true` in platform.yaml, a `thread` for a team "
    'alone, `storage` for a graph of yours; not in a worker with `isolation = "process"`.'
)


def _arguments(
    signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call as plain JSON; a method's own object is none.

    Raises:
        EffectError: one is no plain JSON. Nothing was done.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    for own in ("self", "cls"):
        if next(iter(given), None) == own:
            del given[own]
    for parameter in signature.parameters.values():
        if _is_injected(parameter.annotation):
            given.pop(parameter.name, None)
    return {key: _to_json(value, f"`{name}` gets `{key}`, which") for key, value in given.items()}


_INJECTED = {
    "AsyncCallbackManagerForToolRun",
    "CallbackManagerForToolRun",
    "InjectedToolArg",
    "RunnableConfig",
    "Runtime",
    "ToolRuntime",
}
"""Types of arguments that LangChain adds to a tool's call: they are no part of the deed."""


def _is_injected(annotation: Any) -> bool:
    """True if an argument of that type is none that the caller chose, and its value may differ."""
    if isinstance(annotation, str):
        return any(name in annotation for name in _INJECTED)
    parts = [annotation, get_origin(annotation), *get_args(annotation)]
    types = [part if isinstance(part, type) else type(part) for part in parts]
    return any(base.__name__ in _INJECTED for found in types for base in found.__mro__)


_ANY: TypeAdapter[Any] = TypeAdapter(Any)


def _to_json(value: Any, what: str) -> Any:
    try:
        plain = _ANY.dump_python(value, mode="json")
        return json.loads(json.dumps(plain, allow_nan=False))
    except (TypeError, ValueError) as error:
        message = f"{what} is no plain JSON: {error}"
        raise EffectError(message) from error


def _adapter(function: Callable[..., Any], name: str) -> "TypeAdapter[Any] | None":
    """Return what reads an outcome back by the function's annotation; None without one."""
    try:
        annotation = inspect.signature(function, eval_str=True).return_annotation
    except NameError:  # of a type that is imported for type checkers alone
        return None
    if annotation in {inspect.Signature.empty, Any}:
        return None
    try:
        return TypeAdapter(annotation)
    except PydanticSchemaGenerationError as error:
        message = (
            f"The outcome of `{name}` is {annotation!r}, which cannot be kept. Return plain JSON, "
            "a dataclass or a pydantic model."
        )
        raise ContractError(message) from error


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
