"""Doubles and assertions for the tests of teams, routers and models: public, typed, offline.

team = Team(name="t", description="…", members=[StubAgent("a", gives=[Plan(n=1)])],
            router=ScriptedRouter("a"))
assert_hops(team.ask("go"), "t/a")
"""

from minerva_observability import MemorySink
from minerva_platform.testing.doubles import (
    FINISH,
    EachOnceRouter,
    ScriptedRouter,
    StubAgent,
    assert_hops,
    assert_isolated,
)
from minerva_platform.testing.durability.assertions import (
    Race,
    Survived,
    approve_race,
    kill_at_every_hop,
)
from minerva_platform.testing.durability.points import kill_point
from minerva_platform.testing.durability.scenario import Scenario
from minerva_platform.testing.model_script import PROVIDER_FAULTS, Fault, ModelCall, Reply
from minerva_platform.testing.openai_server import ScriptedOpenAI, scripted_openai_server
from minerva_platform.testing.router_conformance import BAD_OUTPUTS, check_router

__all__ = [
    "BAD_OUTPUTS",
    "FINISH",
    "PROVIDER_FAULTS",
    "EachOnceRouter",
    "Fault",
    "MemorySink",
    "ModelCall",
    "Race",
    "Reply",
    "Scenario",
    "ScriptedOpenAI",
    "ScriptedRouter",
    "StubAgent",
    "Survived",
    "approve_race",
    "assert_hops",
    "assert_isolated",
    "check_router",
    "kill_at_every_hop",
    "kill_point",
    "scripted_openai_server",
]
