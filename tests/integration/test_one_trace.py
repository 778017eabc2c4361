"""A caller's span, a request over HTTP, the queue, a background member and its model: one trace."""

import signal
from pathlib import Path

from collector import Collected, collected, collector_process
from neighbours import Server, body_of, served

from minerva_observability.records import read_records
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


def asked(folder: Path, flags: str) -> tuple[ScriptedOpenAI, list[Collected]]:
    """Ask the served team in a caller's trace; return the model's server, and what came."""
    (folder / "configs").mkdir()
    (folder / "configs" / "office.py").write_text(TEAM, encoding="utf-8")
    (folder / "configs" / "platform.yaml").write_text('teams: ["./office.py:Office"]\n')
    file = folder / "spans.jsonl"
    file.touch()
    with (
        collector_process(file) as collector,
        scripted_openai_server([Reply(text="yes")] * 2) as model,
        served(
            *(folder / "configs", folder / "home"),
            OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=f"{collector}/v1/traces",
            MINERVA_MODEL="openai:scripted",
            OPENAI_BASE_URL=model.url,
            OPENAI_API_KEY="none",
        ) as server,
    ):
        ask(server, flags)
    return model, collected(file)


def ask(server: Server, flags: str) -> None:
    """Ask, wait for the background member, and let the server end, so that all spans are sent."""
    header = {"traceparent": f"00-{TRACE}-{CALLER}-{flags}"}
    values = server.client.post("/runs/wait", json=body_of("bolts"), headers=header).json()
    child = own_run_id(values["run_id"], "office/filer")
    server.client.get(f"/threads/{child}/runs/{child}/join").raise_for_status()
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(60)


def test_all_that_a_call_sets_off_is_in_its_callers_trace(tmp_path: Path) -> None:
    """Each span is below the caller's. The model's server is told the span of its call."""
    model, spans = asked(tmp_path, "01")

    rows = list(read_records(tmp_path / "home"))
    assert {span.span_id for span in spans} == {row["span_id"] for row in rows}
    assert {span.trace_id for span in spans} == {TRACE}
    ids = {span.span_id for span in spans}
    [root] = [span for span in spans if span.parent_id not in ids]
    assert (root.name, root.parent_id) == ("invoke_agent office_team_supervisor", CALLER)
    [run, child] = sorted(
        (row for row in rows if row["kind"] == "run"), key=lambda row: row["started_at"]
    )
    assert run["run_id"] not in {TRACE, child["run_id"]}
    filer = next(row for row in rows if row.get("background") == child["run_id"])
    assert child["traceparent"] == f"00-{TRACE}-{filer['span_id']}-01"
    calls = [row["span_id"] for row in rows if row["kind"] == "model"]
    told = [call.headers["traceparent"] for call in model.calls]
    assert sorted(told) == sorted(f"00-{TRACE}-{span}-01" for span in calls)
    assert len(calls) == 2
    [resource] = {tuple(sorted(span.resource.items())) for span in spans}
    assert (
        dict(resource).items()
        >= {
            "host.name": run["host"],
            "minerva.versions.platform": run["versions"]["platform"],
            "minerva.versions.office": "./office.py:Office",
        }.items()
    )
    assert dict(resource)["process.pid"] == run["pid"]


def test_a_trace_that_is_not_sampled_gets_no_spans(tmp_path: Path) -> None:
    """The caller has decided so. The records are whole, and the model is told the same."""
    model, spans = asked(tmp_path, "00")

    assert spans == []
    assert sum(row["kind"] == "run" for row in read_records(tmp_path / "home")) == 2
    assert {call.headers["traceparent"][-2:] for call in model.calls} == {"00"}
