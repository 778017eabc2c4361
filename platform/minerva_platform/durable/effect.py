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
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, get_args, overload

from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Interrupt
from pydantic import PydanticSchemaGenerationError, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from minerva_platform.calls.ask_person import Asked, to_question
from minerva_platform.calls.context import run_or_none
from minerva_platform.calls.position import MemberWork, Place, current_place, current_work
from minerva_platform.errors import (
    ContractError,
    EffectError,
    EffectNotDoneError,
    RejectedError,
    RunError,
)
from minerva_platform.storage.kept_effect import EffectKind, Intent, KeptEffect, question_id
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from minerva_platform.storage.effects import EffectJournal

TEXTS = read_texts("minerva_platform.durable", "effect")

P = ParamSpec("P")
T = TypeVar("T")

_key: ContextVar[str | None] = ContextVar("minerva_effect_key", default=None)


class Guard(Protocol):
    """What `effect(kind)` returns: of a function or a tool it makes one of the same type."""

    @overload
    def __call__(self, deed: "BaseTool", /) -> "BaseTool": ...
    @overload
    def __call__(self, deed: Callable[P, T], /) -> Callable[P, T]: ...


def effect(kind: EffectKind) -> Guard:
    """Return a decorator for a function, `async` or not, or a LangChain tool of a function.

    - `"idempotent"`: doing it twice is as good as once. If it was cut off, it is done again.
    - `"keyed"`: who does it knows repetitions by a key. It is done again with the same
      `effect_key()`.
    - `"once"`: it may not be repeated. If it was cut off or failed, nobody knows whether it
      happened, so a person is asked. A function that raises `EffectNotDoneError` says that it did
      not.

    Arguments and outcome are plain JSON, or what pydantic makes of it and back by the function's
    annotations. Outside of a run the function is called as it is.

    Raises:
        ContractError: `kind` is none of these, or the object is no function and no such tool.
    """
    if kind not in get_args(EffectKind):
        message = f"effect({kind!r}): an effect is `idempotent`, `keyed` or `once`."
        raise ContractError(message)

    def guard(deed: Any) -> Any:
        if inspect.isroutine(deed):
            return _guarded(deed, kind)
        if all(hasattr(deed, name) for name in ("func", "coroutine", "args_schema")):
            wrapped = {
                name: _guarded(function, kind, deed.name)
                for name in ("func", "coroutine")
                if (function := getattr(deed, name)) is not None
            }
            return deed.model_copy(update=wrapped)
        message = (
            f"`@effect` takes a function or a tool of a function, not {type(deed).__name__}. "
            "Of a tool class, decorate `_run` and `_arun`."
        )
        raise ContractError(message)

    return cast("Guard", guard)


def effect_key() -> str:
    """Return the key of the effect that is being done: the same in every repetition of it.

    Pass it on as the idempotency key of whatever does the deed.

    Raises:
        RunError: no effect is being done here.
    """
    key = _key.get()
    if key is None:
        message = "`effect_key()` is there only while an `@effect` function runs in a run."
        raise RunError(message)
    return key


@dataclass(frozen=True, slots=True)
class _Deed:
    """A call of a guarded function: what it does, and where in its run."""

    name: str
    kind: EffectKind
    arguments: dict[str, Any]
    journal: "EffectJournal"
    work: MemberWork
    place: Place
    number: int
    language: Language
    outcomes: "TypeAdapter[Any] | None"

    @property
    def digest(self) -> str:
        """What the deed is, whichever its place."""
        return _digest([self.name, self.arguments])

    @property
    def intent(self) -> Intent:
        """What is kept before it is done."""
        key = _digest([self.journal.run.run_id, self.place.name, self.number])
        return Intent(key, self.work.path, self.name, self.kind, self.digest)

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

    def steps(self) -> "Generator[Step, Any, Any]":
        """Yield what to do next: a piece of work on the database, or None for the deed itself.

        What it returns is the outcome of the deed.
        """
        journal, intent = self.journal, self.intent
        known: KeptEffect | None = yield journal.beginning(intent, self.refuse_late)
        if known is not None:
            if known.state == "done":
                return self._read(known.outcome)
            if known.rejected is not None:
                raise RejectedError(self._question, known.rejected)
            raise GraphInterrupt((self._asked(question_id(intent.key, known.approvals)),))
        token = _key.set(intent.key)
        try:
            outcome = yield None
        except EffectNotDoneError:
            self._failed()
            yield journal.ending(intent.key, "failed")
            raise
        except GraphBubbleUp as pause:
            yield journal.ending(intent.key, "failed")
            message = f"`{self.name}` asks a person while it is done as an effect; ask before it."
            raise EffectError(message) from pause
        except (Exception, asyncio.CancelledError):
            self._failed()
            yield journal.ending(intent.key, "unknown" if self.kind == "once" else "failed")
            raise
        finally:
            _key.reset(token)
        told = self._written(outcome)
        yield journal.ending(intent.key, "done", told)
        return self._read(told)

    def _failed(self) -> None:
        self.place.numbering.failed(self.place.attempt, self.digest, self.number)

    @property
    def _question(self) -> str:
        return TEXTS("unknown", self.language, name=self.name)

    def _asked(self, interrupt_id: str) -> Interrupt[Any]:
        """Return the question what became of the deed."""
        asked: Asked = {
            "kind": "effect",
            "text": self._question,
            "tool": self.name,
            "arguments": self.arguments,
            "allowed": ["approve", "reject", "respond"],
            "schema": self._outcome_schema,
        }
        return Interrupt(to_question(asked), interrupt_id)

    @property
    def _outcome_schema(self) -> dict[str, Any]:
        return {} if self.outcomes is None else self.outcomes.json_schema()

    def _written(self, outcome: Any) -> Any:
        """Return an outcome as plain JSON.

        Raises:
            EffectError: it is none. The deed is done, and kept as done without its outcome.
        """
        return _to_json(outcome, f"what `{self.name}` returns")

    def _read(self, told: Any) -> Any:
        """Return an outcome as the function returns it."""
        return told if self.outcomes is None else self.outcomes.validate_python(told)


Step = Any
"""A piece of work on the database, or None: do the deed."""


def _guarded(function: Callable[..., Any], kind: EffectKind, name: str | None = None) -> Any:
    called = name or function.__name__
    signature = inspect.signature(function)
    outcomes = _adapter(function, called)

    def begun(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Deed | None:
        run = run_or_none()
        if run is None or (run.effects is None and kind == "idempotent"):
            return None
        if run.effects is None:
            raise EffectError(_NO_JOURNAL.format(name=called, kind=kind))
        arguments = _arguments(signature, called, args, kwargs)
        place, work = current_place(), current_work() or MemberWork("")
        number = place.numbering.next(place.attempt, _digest([called, arguments]))
        language = language_of(run.person_words)
        return _Deed(called, kind, arguments, run.effects, work, place, number, language, outcomes)

    @functools.wraps(function)
    async def guarded_async(*args: Any, **kwargs: Any) -> Any:
        deed = begun(args, kwargs)
        if deed is None:
            return await function(*args, **kwargs)
        return await _adriven(deed, lambda: function(*args, **kwargs))

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        deed = begun(args, kwargs)
        if deed is None:
            return function(*args, **kwargs)
        return _driven(deed, lambda: function(*args, **kwargs))

    return guarded_async if inspect.iscoroutinefunction(function) else guarded


def _driven(deed: _Deed, do: Callable[[], Any]) -> Any:
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
    'alone; not inside a graph of yours, and not in a worker with `isolation = "process"`.'
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
    for extra in _INJECTED:
        given.pop(extra, None)
    return {key: _to_json(value, f"`{name}` gets `{key}`, which") for key, value in given.items()}


_INJECTED = ("config", "runtime", "run_manager", "callbacks")
"""Arguments that LangChain adds to a tool's call."""


def _to_json(value: Any, what: str) -> Any:
    try:
        plain = to_jsonable_python(value)
        return json.loads(json.dumps(plain, allow_nan=False))
    except (PydanticSerializationError, TypeError, ValueError) as error:
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
