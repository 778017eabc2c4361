"""An agent of `create_agent` that leads members, and the model that it asks."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel

from minerva_platform import Team, agent, ask_person
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.langgraph import Members, agent_from_graph
from minerva_platform.models import Model
from minerva_platform.testing import EachOnceRouter, ModelCall, Reply, kill_point

URL = "DESK_MODEL_URL"
"""The variable that says where the model of `front_desk` is."""
REQUEST = "book a table and tell Kim"


def by_turn(*replies: Reply) -> Callable[[ModelCall], Reply]:
    """Return a script that keeps nothing: the conversation says whose turn it is."""

    def answer(call: ModelCall) -> Reply:
        turn = len([message for message in call.messages if message["role"] == "assistant"])
        return replies[min(turn, len(replies) - 1)]

    return answer


def calling(*calls: tuple[str, str]) -> Reply:
    """Return an answer that calls members, each with its words."""
    return Reply(tool_calls=[(name, {"request": words}) for name, words in calls])


def chat_at(url: str) -> BaseChatModel:
    """Return the model at `url`, as `create_agent` takes it."""
    return Model(ModelSpec(name="openai:scripted", base_url=url)).chat


def led_by(url: str, *members: Any, name: str = "sup", **options: Any) -> Any:
    """Return a worker whose model calls `members`."""
    graph: Any = create_agent(chat_at(url), middleware=[Members(*members)], **options)
    return agent_from_graph(graph, name=name, description="Leads.", examples=[REQUEST])


def root_of(*members: Any) -> Team:
    """Return a team that asks each of its members."""
    return Team(name="root", description="…", members=members, router=EachOnceRouter())


def _note(what: str) -> None:
    with Path("log").open("a", encoding="utf-8") as log:
        log.write(f"{what}\n")
    kill_point(f"noted: {what}")


@agent(examples=[REQUEST])
def a(request: str) -> str:
    """Fails if it shall, asks a person if it shall, and else answers."""
    if request == "fail":
        message = "no table"
        raise ValueError(message)
    if request == "ask":
        decided = ask_person("Which table?")
        _note(f"a has {decided}")
        return f"table {decided}"
    _note(f"a did {request}")
    return f"a did {request}"


def front_desk() -> Team:
    """Return a team of one agent with two members, whose model is where the variable says."""
    mail = Team(name="mail", description="Writes.", members=[_writer], router=EachOnceRouter())
    return root_of(led_by(os.environ[URL], a, mail))


@agent(name="writer", examples=[REQUEST])
def _writer(request: str) -> str:
    """Writes."""
    _note(f"writer did {request}")
    return f"wrote {request}"


DESK_SCRIPT: Sequence[Reply] = (
    calling(("a", "fail"), ("a", "ask"), ("mail", "to Kim"), ("a", "lay it")),
    calling(("a", "again")),
    Reply(text="Kim has a table."),
)
DESK_HOPS = {
    ("root/sup", "ok"),
    ("root/sup/a", "failed"),
    ("root/sup/a#2", "ok"),
    ("root/sup/a#3", "ok"),
    ("root/sup/a#4", "ok"),
    ("root/sup/mail/writer", "ok"),
}
