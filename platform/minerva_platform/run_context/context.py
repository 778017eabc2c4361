"""The context that the nodes of a run find: its budget, its artifact store, and a meter.

It is bound to the run's context variables, like the recorder's scope. So nothing has to travel
through graph state.
"""

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from minerva_observability import current_span, record_span
from minerva_platform.contract.bounds import MAX_BYPASSES, MAX_TEXT_BYTES, fitted
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import Bypass, BypassAction, ErrorInfo, Result, Role
from minerva_platform.contract.router import RunQuestions
from minerva_platform.contract.task import Task, Turn
from minerva_platform.contract.values import Content, Effect, StoredArtifact, Usage
from minerva_platform.errors import RunError
from minerva_platform.people.langgraph_questions import Questions
from minerva_platform.run_context.budget import Budget
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.usage import OpenCalls, Used
from minerva_platform.text.language import Language

MAX_PROGRESS: Final = 200
"""Characters of what a worker says it is at."""

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent


class Artifacts(Protocol):
    """Keeps contents that are too large for a graph's state, by their sha-256."""

    @property
    def directory(self) -> Path:
        """The folder in which they lie on this host."""
        ...

    def has_room(self, weights: Mapping[str, int]) -> bool:
        """True if the run may still give contents of these bytes."""
        ...

    def take(self, weights: Mapping[str, int]) -> None:
        """Count contents as given in this run."""
        ...

    def address(self, name: str, media_type: str, content: Content) -> StoredArtifact:
        """Return the stored artifact with the path that `content` will have."""
        ...

    def write(self, content: Content) -> str:
        """Store `content` and return its sha-256."""
        ...

    def read_text(self, digest: str) -> str:
        """Return the text that is stored under `digest`."""
        ...

    def read_json(self, digest: str) -> dict[str, Any]:
        """Return the JSON object stored under `digest`."""
        ...

    def locate(self, artifact: StoredArtifact) -> StoredArtifact:
        """Return an artifact with its path here."""
        ...

    async def asave(self, digests: Collection[str]) -> None:
        """Keep contents for other hosts, if they are kept there."""
        ...

    async def afetch(self, digests: Collection[str]) -> None:
        """Bring contents of other hosts here, if they are kept there."""
        ...


class Journal(Protocol):
    """Knows what the run has done to the world, in earlier processes too."""

    @property
    def journal(self) -> Any:
        """The ledger's `EffectJournal`."""
        ...

    async def aload(self) -> tuple[Effect, ...]:
        """Read and return it."""
        ...


class Turns(Protocol):
    """The conversation that the run belongs to."""

    def turns(self) -> tuple[Turn, ...]:
        """Return its earlier turns."""
        ...


class OwnRuns(Protocol):
    """Starts runs for members in the background, and knows them."""

    async def start(
        self, agent: "BaseAgent[Any, Any]", task: Task, *, path: str, role: Role
    ) -> tuple[Result, Handoffs]:
        """Start a run that does `task`, once for each `path`; the result names it.

        It gives no hand-offs: the work is not done yet.

        Raises:
            LeaseLostError: another process goes on with this run.
            StateError: the run cannot be kept.
        """
        ...

    @property
    def questions(self) -> RunQuestions | None:
        """Answers what a router asks about them; None in such a run itself."""
        ...


class EffectLog:
    """What one run did to the world, by keys; any OS thread may note something."""

    def __init__(self) -> None:
        self._by_key: dict[str, Effect] = {}
        self.suspects: frozenset[str] = frozenset()
        """Names of effects that ask a person first, if the conversation has done such a one."""

    def note(self, *effects: Effect) -> None:
        """Take note of effects, or of what became of them."""
        for effect in effects:
            self._by_key[effect.key] = effect

    def all(self) -> tuple[Effect, ...]:
        """Return every effect."""
        return tuple(self._by_key.values())

    def of(self, path: str) -> tuple[Effect, ...]:
        """Return the effects of the call at `path`, and of the calls below it."""
        return tuple(effect for effect in self.all() if f"{effect.path}/".startswith(f"{path}/"))


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run's budget, store and conversation, the typed words, and whether its state is kept."""

    budget: Budget
    store: Artifacts
    keeps_state: bool = False
    conversation: Turns | None = None
    person_words: str = ""
    """The person's words of this turn. Empty if the task itself names its members."""
    may_pause: bool = True
    """False if nothing is kept, so that nobody could answer a question."""
    calls: OpenCalls = field(default_factory=OpenCalls)
    questions: Questions = field(default_factory=Questions)
    """What is asked of people, and the decisions that are given now."""
    effects: Journal | None = None
    """What the run does to the world; None if nothing is kept."""
    effect_log: EffectLog = field(default_factory=EffectLog)
    """What the run has done to the world so far."""
    own_runs: OwnRuns | None = None
    """Starts the runs of members in the background, and knows them; None if nothing is kept."""

    def used_so_far(self) -> Used:
        """Return all that the run has used, here and before."""
        budget = self.budget
        return Used(
            ms=budget.worked_ms,
            hops=budget.hops_used,
            usage=budget.usage,
            begun=self.calls.so_far(),
        )

    @property
    def earlier_turns(self) -> tuple[Turn, ...]:
        """The earlier turns of the thread, read when a member asks for them."""
        return self.conversation.turns() if self.conversation else ()

    @contextmanager
    def bound(self) -> Generator["RunContext"]:
        """Make this the run of the block."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)


NO_RUN = (
    "A team's own graph works only inside a run: call `team.ask(…)`, or put the team into a "
    "program of yours with `as_graph`, `as_node` or `as_tool` of minerva_platform.langgraph."
)

_current: ContextVar[RunContext | None] = ContextVar("minerva_run_context", default=None)


def current_run() -> RunContext:
    """Return the run this code belongs to.

    Raises:
        RunError: a supervisor's graph was called directly instead of through its team.
    """
    run = _current.get()
    if run is None:
        raise RunError(NO_RUN)
    return run


def run_or_none() -> RunContext | None:
    """Return the run this code belongs to, if it belongs to one."""
    return _current.get()


class Meter:
    """Adds up the usage of one call of a member, and what it went without."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.bypassed: list[tuple[ErrorInfo, BypassAction, bool]] = []
        """Why a model's help or a server's tools were not used, what was done about it, and
        whether the answer is whole all the same."""
        self.percent = -1
        """How far the member has said it is."""
        self.cut = 0
        """Number of these causes that were cut or left out."""

    def read_usage(self) -> Usage:
        """Return the usage so far."""
        return self.usage

    def to_bypasses(self, path: str, language: Language) -> list[Bypass]:
        """Return the causes at `path` as bypasses of a run in `language`."""
        return [
            to_bypass(path, info, language, action, is_whole=is_whole)
            for info, action, is_whole in self.bypassed
        ]

    @contextmanager
    def bound(self) -> Generator["Meter"]:
        """Let this meter count in the block, and in every task and OS thread started there."""
        token = _meter.set(self)
        try:
            yield self
        finally:
            _meter.reset(token)


_meter: ContextVar[Meter | None] = ContextVar("minerva_meter", default=None)


def count_model_call(*, calls: int = 1, **more: int) -> None:
    """Charge a model call to the member that made it and to the run's budget, if there are any.

    `more` are further fields of `Usage`.
    """
    usage = Usage(model_calls=calls, **more)
    meter, run = _meter.get(), _current.get()
    if meter is not None:
        meter.usage += usage
    if run is not None:
        run.budget.usage += usage


def note_bypass(
    cause: ErrorInfo, action: BypassAction = "substituted", *, is_whole: bool = False
) -> None:
    """Record that the working member went on without help, why, and what was done about it."""
    meter = _meter.get()
    if meter is None:
        return
    kept = fitted(cause.message, MAX_TEXT_BYTES)
    is_kept = len(meter.bypassed) < MAX_BYPASSES
    meter.cut += kept != cause.message or not is_kept
    if is_kept:
        meter.bypassed.append((cause.model_copy(update={"message": kept}), action, is_whole))


def progress(done: int, of: int, text: str = "") -> None:
    """Say how far the worker at work is: `done` parts `of` all, and in a few words at what.

    It shows in the tree and the events of the run, and in the answer to "is it done?". Of each
    percent of a call the first word is kept. Outside a call of a member nobody watches.

    Raises:
        ValueError: these are no parts of a whole.
    """
    if not 0 <= done <= of or of < 1:
        message = f"`progress`: {done} of {of} are no parts of a whole."
        raise ValueError(message)
    meter, span, percent = _meter.get(), current_span(), 100 * done // of
    if meter is None or span is None or meter.percent == percent:
        return
    meter.percent = percent
    state = {"done": done, "of": of, "text": text[:MAX_PROGRESS]}
    with record_span(kind="progress", path=span.path, decision=state):
        pass


def has_noted(cause: ErrorInfo) -> bool:
    """True if the working member has told of this cause before."""
    meter = _meter.get()
    kept = fitted(cause.message, MAX_TEXT_BYTES)
    return meter is not None and any(info.message == kept for info, *_ in meter.bypassed)
