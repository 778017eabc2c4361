"""What a state holds is refused where it is made, or read back by a class that has changed."""

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import ormsgpack
import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, create_model
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.errors import ChangedStateError, OtherTeamsError
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.state_classes import classes_of, state_classes
from minerva_platform.storage.checkpoints.state_values import OBJECT
from minerva_platform.testing import EachOnceRouter

ASKED = {"type": "respond", "message": "yes"}


class State(TypedDict, total=False):
    """Weak types, as most states have them."""

    request: str
    value: Any
    summary: str


def _join(old: Any, new: Any) -> Any:
    """Make what no node has returned."""
    return (old, new, threading.Lock())


class Joined(TypedDict, total=False):
    """A state with a reducer."""

    request: str
    value: Annotated[Any, _join]


def _ask(_: State) -> dict[str, Any]:
    return {"request": interrupt("Go on?")}


def _told(state: State) -> dict[str, Any]:
    return {"summary": f"{type(state.get('value')).__name__}"}


def _team(make: Callable[[State], Any], *, wrapped: bool) -> Team:
    graph: Any = StateGraph(State)
    graph.add_sequence([("make", make), ("ask", _ask), ("told", _told)])
    graph.add_edge(START, "make")
    if wrapped:
        agent: Any = agent_from_graph(graph.compile(), name="keeper", description="Keeps.")
    else:

        class Keeper(BaseAgent[AgentInput, AgentOutput]):
            name, description = "keeper", "Keeps."
            Input, Output = AgentInput, AgentOutput

            def build_graph(self) -> Any:
                return graph

        agent = Keeper()
    return Team(name="keepers", members=[agent], router=EachOnceRouter())


def _update(value: Any) -> dict[str, Any]:
    return {"value": value}


def _command(value: Any) -> Any:
    return Command(update={"value": value})


def _pairs(value: Any) -> Any:
    return Command(update=[("value", value)])


def _send(value: Any) -> Any:
    return Command(goto=[Send("told", {"value": value})])


@pytest.mark.parametrize("wrapped", [False, True], ids=["worker", "foreign graph"])
@pytest.mark.parametrize("returned", [_update, _command, _pairs, _send])
def test_a_value_that_no_checkpoint_keeps_fails_its_step(
    minerva_home: Path, returned: Callable[[Any], Any], *, wrapped: bool
) -> None:
    """The error names worker, node, key and type; nobody is asked."""
    assert minerva_home

    run = _team(lambda _: returned(threading.Lock()), wrapped=wrapped).ask("go", thread="t")

    assert run.status == "failed"
    assert not run.interrupts
    key = "told" if returned is _send else "value"
    assert f"its node `make` returned `{key}`, which holds a value of the type `_thread.lock`" in (
        run.bypassed[0].cause
    )
    assert "`keeper`" in run.bypassed[0].cause


@pytest.mark.parametrize("wrapped", [False, True], ids=["worker", "foreign graph"])
def test_a_number_of_numpy_outlives_a_question(minerva_home: Path, *, wrapped: bool) -> None:
    """It made a question eternal: it was asked again after each answer."""
    assert minerva_home
    team = _team(lambda _: {"value": np.float32(1.5)}, wrapped=wrapped)

    run = team.ask("go", thread="t")
    run = team.resume(run.run_id, {run.interrupts[0].id: ASKED})

    assert (run.status, run.answer) == ("ok", "float32")


def test_a_graph_in_a_graph_is_not_asked_again_for_ever(minerva_home: Path) -> None:
    """No wrapper sees its nodes; what a checkpoint refused counts when it asks."""
    assert minerva_home

    inner: Any = StateGraph(Joined)
    one: Any = lambda _: {"value": 1}  # noqa: E731
    inner.add_sequence([("first", one), ("second", one), ("ask", _ask)])
    inner.add_edge(START, "first")
    outer: Any = StateGraph(State)
    outer.add_sequence([("inner", inner.compile()), ("told", _told)])
    outer.add_edge(START, "inner")
    agent = agent_from_graph(outer.compile(), name="keeper", description="Keeps.")

    run = Team(name="keepers", members=[agent], router=EachOnceRouter()).ask("go", thread="t")

    assert not run.interrupts
    assert "`_thread.lock`" in run.bypassed[0].cause


# ---- classes that change while a run waits


def _kept(value: Any) -> Any:
    module = sys.modules[__name__]
    setattr(module, type(value).__name__, type(value))
    type(value).__module__ = __name__
    return (
        StrictSerializer().with_msgpack_allowlist(state_classes([type(value)])).dumps_typed(value)
    )


def _read_as(kept: Any, kind: Any) -> Any:
    module = sys.modules[__name__]
    setattr(module, kind.__name__, kind)
    kind.__module__ = __name__
    return StrictSerializer().with_msgpack_allowlist(state_classes([kind])).loads_typed(kept)


def _dataclass(**fields: Any) -> Any:
    return make_dataclass("Page", [(name, *rest) for name, rest in fields.items()])


def _model(**fields: Any) -> Any:
    given: Any = {
        name: (rest[0], rest[1] if len(rest) > 1 else ...) for name, rest in fields.items()
    }
    return create_model("Page", **given)


@pytest.mark.parametrize("make", [_dataclass, _model])
def test_a_class_that_has_changed_is_refused_by_name_or_gets_its_defaults(
    make: Callable[..., Any],
) -> None:
    """Without a word, a worker would go on with fields that its code does not know."""
    default = field(default=7) if make is _dataclass else 7
    old = make(total=(int,), name=(str,))(total=3, name="a")
    kept = _kept(old)

    found = _read_as(kept, make(total=(int,), name=(str,), more=(int, default)))
    assert (found.total, found.name, found.more) == (3, "a", 7)
    for new, reason in [
        (make(total=(int,)), "it has no field `name` any more"),
        (make(total=(int,), name=(str,), more=(int,)), "its new field `more` has no default"),
        (make(total=(str,), name=(str,)), "its field `total` has another type"),
    ]:
        with pytest.raises(ChangedStateError, match=reason) as caught:
            _read_as(kept, new)
        assert f"`{__name__}.Page`" in str(caught.value)
        assert "cancel the run" in str(caught.value)


def test_a_member_of_an_enum_that_is_gone_is_refused_by_name() -> None:
    """LangGraph would give the bare value."""
    levels: Any = type(Enum)  # made as another release has them
    kept = _kept(levels.__call__(Enum, "Level", {"LOW": 1, "HIGH": 2})(2))

    with pytest.raises(ChangedStateError, match=r"`.*\.Level`.*takes \[2\] no more"):
        _read_as(kept, Enum("Level", {"LOW": 1}))


@dataclass
class Unnamed:
    """A class that no graph names."""

    text: str


class Open(BaseModel):
    """A model with a field for anything."""

    value: Any


def test_only_classes_that_the_worker_names_are_made() -> None:
    """A forged checkpoint may name any class of the process."""
    anybody = StrictSerializer()
    kept = anybody.dumps_typed({"value": Unnamed("x")})

    assert anybody.loads_typed(kept) == {"value": {"text": "x"}}  # enough to look at
    with pytest.raises(ChangedStateError, match="Unnamed"):
        StrictSerializer().with_msgpack_allowlist([("builtins", "set")]).loads_typed(kept)
    for name in ("eval", "open"):
        forged = anybody.dumps_typed({"value": Unnamed("x")})
        data = forged[1].replace(__name__.encode(), b"builtins".ljust(len(__name__)))
        assert name not in str(anybody.loads_typed(("msgpack", data)))


def test_a_module_leads_to_no_class_that_it_only_imports(tmp_path: Path) -> None:
    """A forged name may go from the worker's module to what that imports: `subprocess.Popen`."""
    mark = tmp_path / "mark"
    names = state_classes([], [test_only_classes_that_the_worker_names_are_made])
    serializer = StrictSerializer().with_msgpack_allowlist(names)
    for module, path in ((__name__, "subprocess.Popen"), ("subprocess", "Popen")):
        forged = ormsgpack.packb([module, path, "call", [["touch", str(mark)]]])
        data = ormsgpack.packb(ormsgpack.Ext(OBJECT, forged))
        with pytest.raises(ChangedStateError, match="Popen"):
            serializer.loads_typed(("msgpack", data))

    assert (__name__,) in names
    assert subprocess.Popen is not None
    assert not mark.exists()


def test_a_run_says_that_a_class_has_changed(
    minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision is kept, and the run goes on with it once the class is back."""
    assert minerva_home
    module = sys.modules[__name__]
    first, second = _dataclass(total=(int,)), _dataclass(count=(int,))

    def team_with(kind: Any) -> Team:
        kind.__module__ = __name__
        monkeypatch.setattr(module, "Page", kind, raising=False)
        classes_of.cache_clear()  # as another process
        return _team(lambda _: {"value": kind(1)}, wrapped=False)

    waiting = team_with(first).ask("go", thread="t")
    with pytest.raises(OtherTeamsError, match=r"Page` has changed since: it has no field `total`"):
        team_with(second).resume(waiting.run_id, {waiting.interrupts[0].id: ASKED})
    assert team_with(first).resume(waiting.run_id).status == "ok"
