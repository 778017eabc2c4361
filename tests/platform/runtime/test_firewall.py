"""What a member may see and what may leave it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_observability import MemorySink, RunScope
from minerva_platform import (
    AgentOutput,
    Artifact,
    Citation,
    Handoff,
    OutputError,
    RunError,
    Task,
    Team,
)
from minerva_platform.contract.bounds import MAX_INLINE, MAX_SUMMARY, MAX_TEXT_BYTES
from minerva_platform.contract.result import TeamOutput
from minerva_platform.runtime.border.exact_handoffs import payload_of
from minerva_platform.runtime.border.firewall import convert_in, convert_out, hide_sensitive
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import StubAgent


class Note(Handoff):
    """A text of any size."""

    kind: ClassVar[str] = "wall.note"
    text: str


class Secret(Handoff):
    """Somebody else's."""

    kind: ClassVar[str] = "wall.secret"


class WideOutput(AgentOutput):
    """An Output with every kind of field."""

    notes: tuple[Note, ...] | None = None
    rows: list[int] = []


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    """Return an empty store."""
    return ArtifactStore(tmp_path / "artifacts")


def leave(agent: Any, output: Mapping[str, Any], store: ArtifactStore) -> Any:
    """Let `output` pass the firewall."""
    state = {"output": output, "private": "inner"}
    return convert_out(agent, state, path="p/a", role="goal", store=store)


def wide() -> StubAgent:
    """Return an agent with every kind of Output field."""
    stub = StubAgent("a")
    stub.Output = WideOutput
    return stub


def test_a_large_handoff_travels_by_digest(store: ArtifactStore) -> None:
    """Graph state stays small, and the consumer reads the same payload."""
    text = "가" * MAX_INLINE
    _, handoffs = leave(StubAgent("a", gives=[Note(text=text)]), _note(text), store)
    (record,) = handoffs["wall.note"]

    assert set(record) == {"path", "version", "sha256"}
    assert record["path"] == "p/a"
    assert payload_of(record, store) == {"text": text}
    task = Task(request="go", handoffs=handoffs)
    reader = StubAgent("b", needs=[Note])
    assert convert_in(reader, task, store)["payload"]["wall_note"] == {"text": text}


def test_a_small_handoff_lies_in_state(store: ArtifactStore) -> None:
    """Nothing is written to disk for it."""
    _, handoffs = leave(StubAgent("a", gives=[Note(text="x")]), _note("x"), store)

    assert handoffs == {"wall.note": [{"path": "p/a", "version": 1, "json": {"text": "x"}}]}
    assert not store.directory.exists()


def test_a_payload_that_was_changed_is_refused(store: ArtifactStore) -> None:
    """What a consumer reads is what the producer wrote, or nothing."""
    text = "x" * (MAX_INLINE + 1)
    _, handoffs = leave(StubAgent("a", gives=[Note(text=text)]), _note(text), store)
    (record,) = handoffs["wall.note"]
    stored = store.directory / record["sha256"]
    stored.write_text('{"text":"forged"}', encoding="utf-8")

    with pytest.raises(RunError, match="was changed after it was stored"):
        payload_of(record, store)

    stored.unlink()
    with pytest.raises(RunError, match="is not in"):
        payload_of(record, store)


def test_several_handoffs_of_a_kind_keep_their_order(store: ArtifactStore) -> None:
    """The last one is the latest; an optional field may hold none."""
    given = {"summary": "s", "notes": [{"text": "1"}, {"text": "2"}]}

    _, handoffs = leave(wide(), given, store)
    _, none = leave(wide(), {"summary": "s", "notes": None}, store)

    assert [record["json"] for record in handoffs["wall.note"]] == [{"text": "1"}, {"text": "2"}]
    assert none == {}


def test_the_sender_is_set_here(store: ArtifactStore) -> None:
    """A worker that says it is the supervisor is still itself."""
    forged = {"summary": "s", "agent": "supervisor", "path": "platform", "status": "failed"}

    result, _ = leave(StubAgent("a"), forged, store)

    assert (result.agent, result.path, result.status, result.output) == ("a", "p/a", "ok", {})


def test_what_leaves_is_bounded(store: ArtifactStore) -> None:
    """Ten megabytes of anything do not enter the parent's state; the cut says so."""
    much = "x" * 10_000_000
    citation = Citation(source="s", quote=much)
    given = {
        "summary": much,
        "citations": [citation],
        "rows": list(range(50_000)),
        "artifacts": [Artifact(name="a.txt", content=much)],
    }

    result, _ = leave(wide(), given, store)

    assert len(result.model_dump_json()) < MAX_SUMMARY + MAX_TEXT_BYTES + 1000
    assert f"({MAX_SUMMARY} of 10000000 characters shown)" in result.summary
    assert result.output["truncated"] is True
    assert result.output["total_bytes"] > MAX_INLINE
    (stored,) = result.artifacts
    assert Path(stored.path).stat().st_size == 10_000_000


@pytest.mark.parametrize(
    "given",
    [
        {"summary": "\ud800"},
        {"summary": "s", "rows": [2**70]},
        {"summary": "s", "citations": [{"source": "\udc80"}]},
    ],
)
def test_what_a_checkpoint_would_alter_is_refused(
    given: dict[str, Any], store: ArtifactStore
) -> None:
    """SQLite would turn a lone surrogate into `?`, and a 70-bit number would end the run."""
    with pytest.raises(OutputError, match="cannot be written as JSON"):
        leave(wide(), given, store)


@pytest.mark.parametrize("state", [None, [], "done", 3])
def test_a_graph_must_end_with_a_state(state: Any, store: ArtifactStore) -> None:
    """A wrapped graph may end with anything; it is named."""
    with pytest.raises(OutputError, match="not with a state"):
        convert_out(StubAgent("a"), state, path="p/a", role="goal", store=store)


@pytest.mark.parametrize("given", [{}, {"summary": 5}, {"summary": None}, {"summary": ["a"]}])
def test_what_breaks_the_output_contract_is_refused(
    given: dict[str, Any], store: ArtifactStore
) -> None:
    """The error names the field."""
    with pytest.raises(OutputError, match="`summary`"):
        leave(StubAgent("a"), given, store)


def test_an_output_of_another_type_is_refused(store: ArtifactStore) -> None:
    """A converter that returns a dict would otherwise be an empty, successful answer."""

    class Careless(StubAgent):
        def state_to_output(self, state: Mapping[str, Any]) -> Any:
            return dict(state)

    with pytest.raises(OutputError, match="its Output is dict"):
        leave(Careless("a"), {"summary": "s"}, store)


def test_a_team_sees_only_the_kinds_it_takes(store: ArtifactStore) -> None:
    """Hand-offs of others do not even enter its supervisor."""
    team = Team(name="t", description="…", members=(StubAgent("a", wants=[Note]),))
    record: Any = {"path": "p", "version": 1, "json": {"text": "x"}}
    task = Task(request="go", handoffs={"wall.note": [record], "wall.secret": [record]})

    entering = convert_in(team, task, store)

    assert entering["handoffs"].value == {"wall.note": [record]}
    assert entering["task"]["request"] == "go"


def test_only_exported_kinds_leave_a_team(store: ArtifactStore) -> None:
    """Even if its supervisor's outcome held more."""
    member = StubAgent("a", gives=[Note(text="x"), Secret()])
    team = Team(name="t", description="…", members=(member,), exports=(Note,))
    record: Any = {"path": "p/t/a", "version": 1, "json": {}}
    outcome = TeamOutput(summary="s", handoffs={"wall.note": [record], "wall.secret": [record]})

    result, handoffs = convert_out(
        team, {"outcome": outcome.model_dump()}, path="p/t", role="goal", store=store
    )

    assert set(handoffs) == {"wall.note"}
    assert (result.agent, result.summary) == ("t", "s")


def test_sensitive_fields_are_hidden_from_records(store: ArtifactStore) -> None:
    """Of what comes in and of what goes out."""
    stub = StubAgent("a")
    stub.sensitive = ("request", "summary")
    scope = RunScope(recorder=MemorySink())

    with scope.bound():
        convert_in(stub, Task(request="resident 850101"), store)
        leave(stub, {"summary": "found 850101-1234567"}, store)
        hide_sensitive(StubAgent("b"), AgentOutput(summary="public words"))

    text = "resident 850101 / found 850101-1234567 / public words"
    assert (
        scope.masking.mask_text(text, scope.secrets)
        == "[masked request] / [masked summary] / public words"
    )


def _note(text: str) -> dict[str, Any]:
    return {"summary": "s", "wall_note": {"text": text}}
