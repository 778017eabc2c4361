"""A served team that asks a model, now and in the background, called in somebody's trace."""

import signal
from pathlib import Path

from neighbours import Server, body_of, served

from minerva_platform.durable.background.member_runs import own_run_id
from minerva_platform.testing import Reply, ScriptedOpenAI, scripted_openai_server

TEAM = """
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.testing import EachOnceRouter


class Clerk(BaseAgent[AgentInput, AgentOutput]):
    name, description = "clerk", "Answers."

    async def work(self, given: AgentInput) -> AgentOutput:
        return AgentOutput(summary=await self.model.text(given.request))


class Filer(Clerk):
    name, description, background = "filer", "Files later.", True


class Office(Team):
    name, description, router = "office", "Answers.", EachOnceRouter()
    members = (Clerk(), Filer())
"""
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED = f"00-{TRACE}-{CALLER}-01"
UNSAMPLED = f"00-{TRACE[::-1]}-{CALLER}-00"
"""What callers say: their trace, their span, and whether they keep it."""


def asked(folder: Path, collector: str, *callers: str) -> ScriptedOpenAI:
    """Ask the team in each caller's trace until all is done and sent; return the model's server."""
    callers = callers or (SAMPLED,)
    (folder / "configs").mkdir()
    (folder / "configs" / "office.py").write_text(TEAM, encoding="utf-8")
    (folder / "configs" / "platform.yaml").write_text('teams: ["./office.py:Office"]\n')
    with (
        scripted_openai_server([Reply(text="yes")] * 2 * len(callers)) as model,
        served(
            *(folder / "configs", folder / "home"),
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=f"{collector}/v1/traces",
            MINERVA_MODEL="openai:scripted",
            OPENAI_BASE_URL=model.url,
            OPENAI_API_KEY="none",
        ) as server,
    ):
        for caller in callers:
            _ask(server, caller)
        server.process.send_signal(signal.SIGTERM)  # then all spans are sent
        server.process.wait(60)
    told: ScriptedOpenAI = model
    return told


def _ask(server: Server, traceparent: str) -> None:
    """Ask, and wait for the background member."""
    header = {"traceparent": traceparent}
    values = server.client.post("/runs/wait", json=body_of("bolts"), headers=header).json()
    child = own_run_id(values["run_id"], "office/filer")
    server.client.get(f"/threads/{child}/runs/{child}/join").raise_for_status()
