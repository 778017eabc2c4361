"""What of a record is counted, and under which labels."""

from dataclasses import replace
from typing import Any

import pytest

from minerva_observability import Record
from minerva_observability.records import RecordRow, row_to_record
from minerva_observability.sinks.measures import (
    MAX_LABEL_CHARACTERS,
    Measure,
    label,
    record_to_measures,
)
from minerva_observability.testing import START_NS

AGENT = Record(
    started_ns=START_NS,
    duration_ns=250_000_000,
    self_ns=50_000_000,
    run_id="ab" * 16,
    span_id="cd" * 8,
    path="platform/data/retrieval_agent#2",
    kind="agent",
    status="ok",
    team="data",
    agent_name="retrieval_agent",
)
WHO = {"gen_ai.agent.name": "retrieval_agent", "minerva.team": "data"}


def measures(**changed: Any) -> list[Measure]:
    """Return what a record counts that differs from `AGENT`."""
    return list(record_to_measures(replace(AGENT, **changed)))


def test_an_agent_that_went_well_is_one_duration_in_seconds() -> None:
    """With who it was, and never which run, path or time."""
    assert measures() == [
        Measure(
            "gen_ai.invoke_agent.duration",
            0.25,
            {**WHO, "minerva.status": "ok", "minerva.role": "worker"},
        )
    ]


def test_a_supervisor_is_told_from_a_worker() -> None:
    """Its time contains that of its members: who looks for the slowest leaves it out."""
    (measure,) = measures(path="platform/data", agent_name="data_team_supervisor")

    assert measure.labels["minerva.role"] == "supervisor"


def test_a_failure_is_counted_with_what_was_done_about_it() -> None:
    """The error's class is a label, its message is not."""
    error = {"type": "ValueError", "message": "row 7 of /home/kim is bad"}

    duration, failure = measures(status="failed", action="bypassed", error=error)

    assert duration.labels["error.type"] == "ValueError"
    about = {"minerva.kind": "agent", "minerva.action": "bypassed", "minerva.status": "failed"}
    assert failure == Measure("minerva.failures", 1, {**WHO, **about})


def test_a_call_that_was_never_made_takes_no_time() -> None:
    """It counts as bypassed, but would drag every percentile down."""
    (measure,) = measures(status="skipped", action="bypassed", duration_ns=10)

    assert measure.instrument == "minerva.failures"


def test_a_failure_that_follows_from_another_is_counted_there() -> None:
    """A team's is its member's, a skipped consumer's its producer's."""
    (duration,) = measures(status="failed", action="bypassed", because_of="platform/data/x")

    assert duration.instrument == "gen_ai.invoke_agent.duration"
    assert measures(status="skipped", action="skipped", because_of="platform/data/x") == []


def test_a_run_that_was_cancelled_took_its_time() -> None:
    """It was stopped, not left out."""
    names = [
        measure.instrument
        for measure in measures(kind="run", status="skipped", action="stopped", reason="cancelled")
    ]

    assert names == ["gen_ai.invoke_agent.duration", "minerva.run.duration", "minerva.failures"]


def test_a_node_counts_only_when_it_fails() -> None:
    """And is tried again. Nodes are many; who looks for the slow one asks the records."""
    assert measures(kind="node", node="parse") == []
    assert measures(kind="node", node="parse", status="failed") == []  # its agent's failure counts
    (retried,) = measures(kind="node", node="parse", status="failed", action="retried")
    assert retried.labels["minerva.kind"] == "node"


def test_a_model_counts_time_tokens_and_money() -> None:
    """Tokens in and out are two series; the provider is known from a name that says it."""
    found = measures(
        kind="model", model="openai:m1", prompt_tokens=7, completion_tokens=0, cost=0.25
    )

    who = {**WHO, "gen_ai.request.model": "openai:m1", "gen_ai.provider.name": "openai"}
    chat = {**who, "gen_ai.operation.name": "chat"}
    assert found == [
        Measure("minerva.cost", 0.25, who),
        Measure("gen_ai.client.token.usage", 7, {**chat, "gen_ai.token.type": "input"}),
        Measure("gen_ai.client.token.usage", 0, {**chat, "gen_ai.token.type": "output"}),
        Measure("gen_ai.client.operation.duration", 0.25, chat),
    ]


@pytest.mark.parametrize(
    ("kind", "fields", "instrument", "value", "labels"),
    [
        ("tool", {"node": "lookup"}, "gen_ai.execute_tool.duration", 0.25, ("lookup",)),
        ("route", {"router": "embedded"}, "minerva.routing.duration", 0.25, ("embedded",)),
        (
            *("decision", {"waited_ms": 90_000.0, "decision": {"type": "edit", "by": "kim"}}),
            *("minerva.wait.duration", 90.0, ("edit", "person")),
        ),
        ("pause", {"waited_ms": 90_000.0}, "minerva.wait.duration", 90.0, ("person",)),
        ("wait", {"reason": "place"}, "minerva.wait.duration", 0.25, ("place",)),
    ],
)
def test_tools_routers_and_people_have_a_duration_of_their_own(
    kind: Any, fields: dict[str, Any], instrument: str, value: float, labels: tuple[str, ...]
) -> None:
    """A person's time is that of the answer, not of the row."""
    (measure,) = measures(kind=kind, **fields)

    assert (measure.instrument, measure.value) == (instrument, value)
    assert set(measure.labels.values()) == {"retrieval_agent", "data", *labels}


def test_a_run_counts_as_an_agent_and_as_a_run() -> None:
    """With how it ended and why."""
    agent, run = measures(kind="run", path="platform", status="failed", reason="deadline")[:2]

    assert agent.labels["error.type"] == "failed"
    assert run == Measure(
        "minerva.run.duration",
        0.25,
        {"minerva.team": "data", "minerva.status": "failed", "minerva.reason": "deadline"},
    )


@pytest.mark.parametrize(
    "hostile",
    ['a"}\nminerva_up 1\n#', "nul\0inside", "lone \ud800 surrogate", "x" * 10_000, "\x1b[31m\x85"],
)
def test_a_label_is_one_short_printable_line(hostile: str) -> None:
    """Whatever an agent is called."""
    shown = label(hostile)

    assert len(shown) <= MAX_LABEL_CHARACTERS
    assert shown.splitlines() == [shown]
    assert shown.encode("utf-8").find(b"\0") == -1
    assert label("표준화 agent #2") == "표준화 agent #2"


def test_a_row_becomes_the_record_it_was_written_from() -> None:
    """To the microsecond; keys of later versions are left out."""
    written = replace(AGENT, started_ns=START_NS + 123_000_000, error={"type": "E", "message": ""})
    row: RecordRow = written.to_json_dict()
    row["later"] = 1  # type: ignore[typeddict-unknown-key]

    assert row_to_record(row) == written
