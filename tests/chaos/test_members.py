"""An agent that leads members by its model is killed at every hop of theirs.

`make test` has the small form, in tests/platform/agents/test_members.py.
"""

from pathlib import Path

import pytest
from front_desk import DESK_HOPS, DESK_SCRIPT, REQUEST, URL, by_turn, front_desk

from minerva_platform import Interrupt
from minerva_platform.testing import Scenario, kill_at_every_hop, scripted_openai_server


def seven(question: Interrupt) -> dict[str, str]:
    """Answer the one question."""
    assert question.path == "platform/root/sup/a#2"
    return {"type": "respond", "value": "7"}


def test_killed_at_every_hop_it_comes_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same hops and the same answer, and each member's work is done."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with scripted_openai_server(by_turn(*DESK_SCRIPT)) as server:
        monkeypatch.setenv(URL, server.url)
        scenario = Scenario(team=front_desk, request=REQUEST, decide=seven)
        survived = kill_at_every_hop(scenario, tmp_path)

    hops = {(f"platform/{path}", status) for path, status in DESK_HOPS}
    places = {one.at for one in survived}
    assert {f"the start of {path}" for path, _ in hops} <= places
    for one in survived:
        assert {(hop.path, hop.status) for hop in one.run.hops} == hops
        assert set((one.home / "log").read_text().splitlines()) == {
            "a did again",
            "a did lay it",
            "a has 7",
            "writer did to Kim",
        }
