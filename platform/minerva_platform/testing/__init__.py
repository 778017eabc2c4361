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
    "Reply",
    "ScriptedOpenAI",
    "ScriptedRouter",
    "StubAgent",
    "assert_hops",
    "assert_isolated",
    "check_router",
    "scripted_openai_server",
]
