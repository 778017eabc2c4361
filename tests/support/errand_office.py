"""An office whose workers change the world, each by one effect with all the words that it gets.

A worker that is called does its deed, whatever the words: so a deed that nobody asked for is seen.
The words are those of `tests/bench/errands.yaml` and of the files beside it, which strangers wrote.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Run, Task, Team, effect
from minerva_platform.answer.effects import effect_name
from minerva_platform.durable.incoming_request import ask_team
from minerva_platform.runtime.run_options import RunOptions

WORDS = Path(__file__).parents[1] / "bench" / "errands.yaml"

Item = Mapping[str, Any]
"""What a stranger wrote of one conversation."""


@cache
def said(words: Path = WORDS) -> dict[str, Any]:
    """Return what the strangers wrote."""
    found: dict[str, Any] = yaml.safe_load(words.read_text(encoding="utf-8"))
    return found


class World:
    """What the workers did, and what befalls them before and after a deed."""

    def __init__(self) -> None:
        self.deeds: list[tuple[str, str]] = []
        """Each deed: the worker's name, and all the words that it was given."""

    def before(self, name: str) -> None:
        """Befall a worker that has done nothing yet."""

    def do(self, name: str, words: str) -> None:
        """Take note of a deed."""
        self.deeds.append((name, words))

    def after(self, name: str) -> None:
        """Befall a worker that has done its deed."""


class Errand(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one deed, with the whole request as its argument."""

    input_mode = "context"

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.description = f"Does it: {name}."
        self.examples = said()["examples"][name]

        def deed(what: str, context: str) -> str:
            world.do(name, f"{what} ({context})")
            return f"{name}: {what}"

        deed.__name__ = name
        self.deed = effect("once", target="what")(deed)
        self.world = world

    def work(self, given: AgentInput) -> AgentOutput:
        """Do it."""
        self.world.before(self.name)
        told = self.deed(given.request, given.context)
        self.world.after(self.name)
        return AgentOutput(summary=told)


def errands(world: World, **named: Any) -> Team:
    """Return the office."""
    members = [Errand(name, world) for name in said()["examples"]]
    return Team(name="office", description="Runs errands.", members=members, **named)


class Fails(World):
    """A world in which work fails, before the deed or after it, while a test wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: set[str] = set()
        """Workers that fail before they do anything."""
        self.fails_after = False

    def before(self, name: str) -> None:
        """Break one that shall do nothing."""
        if name in self.failing:
            message = f"{name} found no paper"
            raise RuntimeError(message)

    def after(self, name: str) -> None:
        """Break one that has done its deed."""
        if self.fails_after:
            message = f"the report of {name} was lost"
            raise RuntimeError(message)


class Held(World):
    """A world in which every worker waits before its deed, while a test wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.may_go_on = asyncio.Event(), threading.Event()
        self.loop = asyncio.get_running_loop()

    def before(self, name: str) -> None:
        """Wait in an OS thread, where no cancellation reaches it."""
        del name
        self.loop.call_soon_threadsafe(self.began.set)
        self.may_go_on.wait(60)


class Talk:
    """Conversations with an office, and what is counted of them."""

    def __init__(self, team: Team, options: RunOptions, world: World) -> None:
        self.team, self.options, self.world = team, options, world
        self.counts = Counter[str]()
        self.wrong: list[str] = []
        """What went wrong, in words."""

    async def say(self, thread: str, words: str, to: tuple[str, ...] = ()) -> Run:
        """Say something in a thread; `to` names who is to do it."""
        options = replace(self.options, thread_id=thread)
        return await ask_team(self.team.assembled, Task(request=words, members=to), options)

    async def turns(self, item: Item, told: bool, thread: str = "") -> bool:  # noqa: FBT001  # of one conversation
        """Say the two turns after a deed, which do nothing; return whether it has been told."""
        for words in item["turns"]:
            before = len(self.world.deeds)
            run = await self.say(thread or item["id"], words)
            new = self.world.deeds[before:]
            kind = "same" if {name for name, _ in new} <= {item["deed"]} else "other"
            self._count("messages")
            self._count("questions", bool(run.interrupts))
            self._count(f"did_{kind}", bool(new), f"{item['id']}: {words!r} did {new}")
            told = told or bool(run.interrupts) or f"`{item['deed']}`" in run.answer
        self._count("deeds")
        self._count("untold", not told, f"{item['id']}: the deed was never told")
        return told

    async def request(self, item: Item, thread: str = "") -> None:
        """Make the new request after a deed, which is carried out without a question."""
        before = len(self.world.deeds)
        run = await self.say(thread or item["id"], item["request"])
        new = self.world.deeds[before:]
        is_done = [name for name, _ in new] == [item["expect"]["deed"]]
        is_done = is_done and squeezed(item["expect"]["target"]) in squeezed(new[0][1])
        self._count("requests")
        self._count("needless", bool(run.interrupts))
        wrong = f"{item['id']}: {item['request']!r} did {new}: {run.answer}"
        self._count("not_carried_out", not is_done, wrong)

    async def question(self, item: Item) -> None:
        """Ask the first question of a conversation, which does nothing."""
        before = len(self.world.deeds)
        await self.say(item["id"], item["request"])
        new = self.world.deeds[before:]
        self._count("asked_first")
        self._count("questions_did", bool(new), f"{item['id']}: {item['request']!r} did {new}")

    def judge_cancelled(self, item: Item, new: list[tuple[str, str]]) -> None:
        """Judge what the words after a cancelled request have done."""
        may = squeezed(item["may_do"] or "")
        is_wrong = bool(new) and not (may and len(new) == 1 and may in squeezed(new[0][1]))
        self._count("cancelled")
        self._count("carried_out", bool(new) and not is_wrong)
        self._count("cancelled_did", is_wrong, f"{item['id']}: {item['words']!r} did {new}")

    def _count(self, what: str, is_so: bool = True, wrong: str = "") -> None:  # noqa: FBT001, FBT002  # a fact
        self.counts[what] += is_so
        if is_so and wrong:
            self.wrong.append(wrong)


async def first_turn(talk: Talk, item: Item, thread: str = "") -> bool:
    """Let the first request do its deed; return whether its answer tells it."""
    before = len(talk.world.deeds)
    run = await talk.say(thread or item["id"], item["first_request"], (item["deed"],))
    assert [name for name, _ in talk.world.deeds[before:]] == [item["deed"]], run
    (done,) = run.effects
    return run.answer.startswith(("Done: ", "한 일: ")) and effect_name(done) in run.answer


async def cut_off(talk: Talk, world: Held, item: Item) -> None:
    """Begin the first request, cancel it before anything is done, and say the words after it."""
    world.began.clear()
    world.may_go_on.clear()
    asked = asyncio.create_task(talk.say(item["id"], item["first_request"]))
    await asyncio.wait(
        [asked, asyncio.create_task(world.began.wait())], return_when="FIRST_COMPLETED"
    )
    assert not asked.done(), asked
    asked.cancel()
    await asyncio.wait([asked])
    assert asked.cancelled()
    world.may_go_on.set()  # what the worker does now, it does too late
    await talk.say(item["id"], item["words"])
    talk.judge_cancelled(item, world.deeds)
    world.deeds.clear()


def squeezed(text: str) -> str:
    """Return a text without blanks, in lower case."""
    return "".join(text.split()).casefold()
