"""The team whose runs are killed: platform > house > desk, led by the router of platform.yaml.

Its workers count what they do in files of the current folder, which is the home of a run.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from shapes import BY_TOOLS, DECLARED, PORTER, asked, declared, leader, tree, worker

from minerva_platform import Interrupt, Run, Team, ask_person, effect, effect_key
from minerva_platform.testing import Scenario, kill_point

for heavy in (
    "anyio._backends._asyncio",
    "httpcore2",
    "langchain_openai",
    "minerva_platform.durable.incoming_request",
    "minerva_platform.models.factory",
    "minerva_platform.models.model",
    "minerva_platform.models.resilient_chat",
    "minerva_platform.routing.examples_router",
    "openai.resources.chat.completions",
    "truststore",
):
    import_module(heavy)  # once, before a process is forked for each move

REQUEST = asked("invoices", then=["parcels"])
LEADER = leader("invoices", "parcels")
"""The model: with tools it asks for the parcels once it has read about the invoices."""


@effect("keyed")
def stamp(what: str) -> str:
    """Do a deed, and note under which key it was done."""
    with Path("deeds").open("a", encoding="utf-8") as file:
        file.write(f"{what} {effect_key()}\n")
    return f"stamped {what}"


def _invoices(_: Any) -> dict[str, str]:
    """Ask, act, and stand where a crash hurts most."""
    said = ask_person("Whose?")
    done = stamp("invoices")
    kill_point("after the invoices")
    return {"summary": f"{done} of {said}"}


def _parcels(_: Any) -> dict[str, str]:
    done = stamp("parcels")
    kill_point("after the parcels")
    return {"summary": done}


def house() -> Team:
    """Return the team, whose desk has the shape that its configuration says if it declares one."""
    whole = tree(worker("invoices", _invoices), worker("parcels", _parcels), depth=3)
    (team,) = whole.members
    assert isinstance(team, Team)
    shape = Path(os.environ.get("MINERVA_CONFIG", "configs"), "shape").read_text(encoding="utf-8")
    return declared(team, shape) if shape in DECLARED else team


def decide(question: Interrupt) -> dict[str, str]:
    """Answer the one question."""
    assert question.text == "Whose?"
    return {"type": "respond", "value": "Kim's"}


def configured(folder: Path, shape: str, url: str) -> Path:
    """Write what lets a router lead every level, or the desk declare its shape; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    model = f"{{name: 'openai:scripted', base_url: '{url}'}}"
    text = f"router: {shape}\nmodel: {model}\n" if shape not in DECLARED else "router: embedded\n"
    (folder / "platform.yaml").write_text(text, encoding="utf-8")
    (folder / "shape").write_text(shape, encoding="utf-8")
    return folder


def scenario(storage_url: str | None = None) -> Scenario:
    """Return what is to be survived, whatever its shape."""
    return Scenario(team=house, request=REQUEST, decide=decide, storage_url=storage_url)


def check_whole(run: Run, home: Path, shape: str) -> None:
    """Assert that a run did everything, and each deed under one key."""
    hops = [hop.agent_name for hop in run.hops if hop.agent_name != PORTER]
    assert (run.status, len(hops)) == ("ok", 2), run.answer
    assert "stamped invoices of Kim's" in run.answer
    assert "stamped parcels" in run.answer
    deeds = (home / "deeds").read_text(encoding="utf-8").split(os.linesep)
    assert sorted({line.split()[0] for line in deeds if line}) == ["invoices", "parcels"]
    assert len(set(deeds) - {""}) == 2
    expected = {"house", "house#2"} if shape in BY_TOOLS else {"house"}
    assert {hop.path.split("/")[1] for hop in run.hops} == expected
