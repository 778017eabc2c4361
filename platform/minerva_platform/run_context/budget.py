"""The budget of a run: hops, time, model calls, tokens, and workers at once.

Limits are on by default. A reached limit ends the run with the results so far, and the answer says
why.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field

from minerva_observability.tracing import Waiting, record_wait
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.result import ErrorInfo, Reason
from minerva_platform.contract.values import Usage
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.run_context", "budget")


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLeft:
    """The budget of a run at one moment."""

    limits: RunLimits
    max_hops: int
    """Calls of members that the whole run may make."""
    seconds: float
    hops: int
    model_calls: int
    tokens: int | None
    """None if tokens have no limit."""

    def limit_for(self, *, next_hops: int) -> Reason | None:
        """Return why `next_hops` more calls may not be made, or None if they may."""
        if self.seconds <= 0:
            return "deadline"
        if next_hops > self.hops:
            return "loop_limit"
        if self.model_calls <= 0:
            return "budget_model_calls"
        if self.tokens is not None and self.tokens <= 0:
            return "budget_tokens"
        return None

    def error_at(self, reason: Reason) -> ErrorInfo:
        """Return the error that names the reached limit and the setting for it."""
        limits = {
            "seconds": self.limits.seconds,
            "hops": self.max_hops,
            "model_calls": self.limits.model_calls,
            "tokens": self.limits.tokens or 0,
        }
        message, korean = (TEXTS(f"spent.{reason}", each, **limits) for each in ("en", "ko"))
        return ErrorInfo.of(reason, message, korean=korean)


@dataclass(slots=True)
class _Place:
    """A worker's place among those that work at once. It is lent while its own members work."""

    workers: asyncio.Semaphore
    is_held: bool = False
    borrowers: int = 0

    async def take(self, who: Waiting | None = None) -> None:
        with record_wait("place", who) if self.workers.locked() else nullcontext():
            await self.workers.acquire()
        self.is_held = True

    def give_back(self) -> None:
        if self.is_held:
            self.is_held = False
            self.workers.release()

    @asynccontextmanager
    async def lent(self) -> AsyncGenerator[None]:
        if self.borrowers == 0:
            self.give_back()
        self.borrowers += 1
        try:
            yield
        finally:
            self.borrowers -= 1
            if self.borrowers == 0:
                await self.take()


_place: ContextVar[_Place | None] = ContextVar("minerva_place", default=None)


@dataclass(slots=True)
class Budget:
    """The budget of a run. One object per run, shared by all its supervisors."""

    limits: RunLimits
    hops: int
    clock: Callable[[], float] = time.monotonic
    seconds_waited: float = 0.0
    """Seconds that the run had worked or waited for others before it began here."""
    hops_used: int = 0
    usage: Usage = field(default_factory=Usage)
    """All that models and routers were asked, wherever it shows in the run."""
    deadline: float = field(init=False)
    workers: asyncio.Semaphore = field(init=False)
    _teams: dict[str, asyncio.Semaphore] = field(default_factory=dict[str, asyncio.Semaphore])

    def __post_init__(self) -> None:
        self.deadline = self.clock() + self.limits.seconds - self.seconds_waited
        self.workers = asyncio.Semaphore(self.limits.concurrency)

    @asynccontextmanager
    async def place(self, who: Waiting | None = None) -> AsyncGenerator[None]:
        """Hold a place among the workers at once, when there is one; `who` waits.

        A worker whose members work waits for them, so it lends them its place. Otherwise workers
        that all wait for members would keep every place.
        """
        outer, own = _place.get(), _Place(self.workers)
        async with outer.lent() if outer else nullcontext():
            await own.take(who)
            token = _place.set(own)
            try:
                yield
            finally:
                _place.reset(token)
                own.give_back()

    @asynccontextmanager
    async def turn(
        self, at: str, most: int | None, who: Waiting | None = None
    ) -> AsyncGenerator[None]:
        """Be one of `most` calls of the team at the path `at`, when fewer are at work."""
        if most is None:
            yield
            return
        calls = self._teams.setdefault(at, asyncio.Semaphore(most))
        with record_wait("place", who) if calls.locked() else nullcontext():
            await calls.acquire()
        try:
            yield
        finally:
            calls.release()

    @property
    def model_calls(self) -> int:
        """Model calls so far."""
        return self.usage.model_calls

    @property
    def tokens(self) -> int:
        """Tokens so far, prompts and answers together."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def worked_ms(self) -> int:
        """Milliseconds of the run's wall clock so far; while it waited for a person, it stood."""
        return round(1000 * (self.limits.seconds - (self.deadline - self.clock())))

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never below zero."""
        return max(0.0, self.deadline - self.clock())

    @property
    def spent_on_models(self) -> str | None:
        """The reason why no model may be asked once more, in words. None if one may."""
        if self.model_calls >= self.limits.model_calls:
            return f"the run's {self.limits.model_calls} model calls are spent."
        if self.limits.tokens is not None and self.tokens >= self.limits.tokens:
            return f"the run's {self.limits.tokens:,} tokens are spent."
        return None

    @property
    def remainder(self) -> "BudgetLeft":
        """The budget at this moment, for code that must not look at a clock."""
        return BudgetLeft(
            limits=self.limits,
            max_hops=self.hops,
            seconds=self.seconds_left,
            hops=self.hops - self.hops_used,
            model_calls=self.limits.model_calls - self.model_calls,
            tokens=None if self.limits.tokens is None else self.limits.tokens - self.tokens,
        )


DEFAULT_HOPS = 25
"""Calls in a run with a small tree. A larger tree may call each of its agents once."""
