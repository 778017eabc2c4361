"""What a conversation has done is told to whoever asks, and never done again unasked.

`make chaos` has all the words, with every fault, in tests/chaos/test_errands.py.
"""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from errands import Fails, Held, Item, Talk, cut_off, errands, first_turn, said

from minerva_platform.runtime.options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine

FEW = 6
"""Of the strangers' conversations this one in so many is held here."""


def some(kind: str, every: int = FEW) -> list[Item]:
    """Return some of the strangers' conversations, in both languages."""
    return [*said()[kind]][::every]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> "object":
    """Give a database for all conversations; each has a thread of its own."""
    home = tmp_path_factory.mktemp("home")
    with opened_engine(home / "state.db") as engine:
        yield RunOptions(engine=engine, home=home)


@pytest.mark.parametrize("fails", [False, True], ids=["done", "failed_after_it"])
async def test_the_turns_after_a_deed_do_nothing_and_it_is_told(
    options: RunOptions, *, fails: bool
) -> None:
    """Ten strangers' conversations, whether or not the worker could report what it did."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("after"):
        thread = f"{item['id']}-{fails}"
        world.fails_after = fails
        told = await first_turn(talk, item, thread)
        assert told
        await talk.turns(item, told=told, thread=thread)

    assert talk.wrong == []
    assert talk.counts["deeds"] == 10


async def test_a_new_request_after_a_deed_is_carried_out(options: RunOptions) -> None:
    """Without a question, and to what it names."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("new", 3):
        await first_turn(talk, item)
        await talk.request(item)

    assert talk.wrong == []
    assert (talk.counts["requests"], talk.counts["needless"]) == (7, 0)


async def test_words_after_a_cancelled_request_carry_nothing_of_it_out(
    options: RunOptions,
) -> None:
    """Neither does the worker that was at work, whose OS thread goes on."""
    world = Held()
    talk = Talk(errands(world), options, world)
    for item in some("cancelled", 2):
        await cut_off(talk, world, item)

    assert talk.wrong == []
    assert talk.counts["cancelled"] == 6


async def test_a_first_question_goes_to_nobody_who_only_acts(options: RunOptions) -> None:
    """What is wanted to be known is no request to do it."""
    world = Fails()
    talk = Talk(errands(world), options, world)
    for item in some("questions", 3):
        await talk.question(item)

    assert talk.wrong == []
    assert talk.counts["asked_first"] == 4
