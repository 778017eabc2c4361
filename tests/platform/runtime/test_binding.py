"""An Input is filled from the task, or an error names the field and the way out."""

from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BindingError,
    ContractError,
    Handoff,
    Task,
)
from minerva_platform.contract.handoff import HandoffRecord
from minerva_platform.runtime.border.input_binding import bind, unbound_fields
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import StubAgent


class Plan(Handoff):
    """Read by the consumer."""

    kind: ClassVar[str] = "binding.plan"
    number: int


class SqlInput(AgentInput):
    """One file by pattern."""

    schema_file: Annotated[Attachment, Attachment.of("*.sql")]


class OptionalSqlInput(AgentInput):
    """One file, if there is one."""

    schema_file: Annotated[Attachment | None, Attachment.of("*.sql")] = None


class TablesInput(AgentInput):
    """All files that match."""

    tables: Annotated[tuple[Attachment, ...], Attachment.of("*.csv")] = ()


class SomeTablesInput(AgentInput):
    """All files that match, one at least."""

    tables: Annotated[tuple[Attachment, ...], Attachment.of("*.csv")]


class FolderInput(AgentInput):
    """A directory."""

    root: Annotated[Attachment, Attachment.of("dir")]


class PlansInput(AgentInput):
    """Every plan there is."""

    plans: tuple[Plan, ...] = ()


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    """Return an empty store."""
    return ArtifactStore(tmp_path / "artifacts")


def agent(given: type[AgentInput]) -> StubAgent:
    """Return an agent with the Input `given`."""
    stub = StubAgent("reader")
    stub.Input, stub.Output = given, AgentOutput
    return stub


def files(folder: Path, *names: str) -> tuple[Attachment, ...]:
    """Make files and return them as attachments."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("x", encoding="utf-8")
    return tuple(Attachment(path=folder / name) for name in names)


def plan_record(number: Any) -> HandoffRecord:
    """Return a plan as it lies in state."""
    return {"path": "p/a", "version": 1, "json": {"number": number}}


def test_a_file_binds_by_its_pattern(tmp_path: Path, store: ArtifactStore) -> None:
    """Other attachments are other agents' business."""
    attached = files(tmp_path / "in", "notes.md", "Schema.SQL")

    payload = bind(agent(SqlInput), Task(request="go", attachments=attached), store)

    assert payload == {
        "request": "go",
        "language": "en",
        "meant": (),
        "schema_file": attached[1],
    }


def test_what_does_not_match_is_named(tmp_path: Path, store: ArtifactStore) -> None:
    """Nobody has to wonder whether `-i` was forgotten."""
    attached = files(tmp_path / "in", *(f"{number}.md" for number in range(5)))
    folder = Attachment(path=tmp_path / "in")

    for given, told in (
        ((), "and nothing was attached. Add it with -i PATH."),
        (attached[:1], "and nothing that was attached matches (`0.md`). Add it with -i PATH."),
        ((folder, *attached), "matches (`in/`, `0.md`, `1.md`, `2.md`, `3.md` and 1 more)."),
    ):
        with pytest.raises(BindingError) as caught:
            bind(agent(SqlInput), Task(request="go", attachments=given), store)
        assert told in str(caught.value)


def test_a_required_list_of_files_is_not_bound_to_none(
    tmp_path: Path, store: ArtifactStore
) -> None:
    """A field without a default must be attached, one file or several; with `= ()` it may be."""
    attached = files(tmp_path / "in", "notes.md", "a.csv")

    for given in ((), attached[:1]):
        with pytest.raises(BindingError, match=r"its input `tables` takes \*\.csv, and nothing"):
            bind(agent(SomeTablesInput), Task(request="go", attachments=given), store)
        assert "tables" not in bind(
            agent(TablesInput), Task(request="go", attachments=given), store
        )
    bound = bind(agent(SomeTablesInput), Task(request="go", attachments=attached), store)
    assert bound["tables"] == attached[1:]


def test_an_attached_directory_offers_its_entries(tmp_path: Path, store: ArtifactStore) -> None:
    """`-i folder` is enough; what lies deeper is not searched."""
    files(tmp_path / "in", "schema.sql", "b.csv", "a.csv")
    files(tmp_path / "in" / "deep", "other.sql")
    task = Task(request="go", attachments=(Attachment(path=tmp_path / "in"),))

    assert bind(agent(SqlInput), task, store)["schema_file"].name == "schema.sql"
    assert [item.name for item in bind(agent(TablesInput), task, store)["tables"]] == [
        "a.csv",
        "b.csv",
    ]
    assert bind(agent(FolderInput), task, store)["root"].path == tmp_path / "in"


def test_what_is_attached_itself_comes_before_what_lies_in_a_directory(
    tmp_path: Path, store: ArtifactStore
) -> None:
    """Naming a file settles which one is meant."""
    files(tmp_path / "in", "old.sql")
    (named,) = files(tmp_path / "other", "new.sql")
    task = Task(request="go", attachments=(Attachment(path=tmp_path / "in"), named))

    assert bind(agent(SqlInput), task, store)["schema_file"] == named


@pytest.mark.parametrize("given", [SqlInput, OptionalSqlInput])
def test_two_files_for_one_field_are_ambiguous(
    given: type[AgentInput], tmp_path: Path, store: ArtifactStore
) -> None:
    """Nothing is guessed: the error names the field and both files."""
    attached = files(tmp_path / "in", "a.sql", "b.sql")

    with pytest.raises(BindingError, match=r"`schema_file` takes one \*\.sql.*a\.sql.*b\.sql"):
        bind(agent(given), Task(request="go", attachments=attached), store)


def test_a_missing_file_is_an_error_only_where_it_is_required(store: ArtifactStore) -> None:
    """The error tells how to attach it."""
    with pytest.raises(BindingError, match=r"`schema_file` takes \*\.sql.*-i PATH"):
        bind(agent(SqlInput), Task(request="go"), store)
    with pytest.raises(BindingError, match=r"`root` takes a directory"):
        bind(agent(FolderInput), Task(request="go"), store)

    assert bind(agent(OptionalSqlInput), Task(request="go"), store) == {
        "request": "go",
        "language": "en",
        "meant": (),
    }
    assert "tables" not in bind(agent(TablesInput), Task(request="go"), store)


def test_the_latest_handoff_binds(store: ArtifactStore) -> None:
    """Hop order decides."""
    task = Task(request="go", handoffs={"binding.plan": [plan_record(1), plan_record(2)]})

    assert bind(StubAgent("a", needs=[Plan]), task, store)["binding_plan"] == Plan(number=2)
    assert bind(StubAgent("a", wants=[Plan]), task, store)["binding_plan"] == Plan(number=2)
    assert bind(agent(PlansInput), task, store)["plans"] == (Plan(number=1), Plan(number=2))


def test_a_missing_handoff_is_an_error_only_where_it_is_needed(store: ArtifactStore) -> None:
    """Wants are left out."""
    with pytest.raises(BindingError, match=r"`binding_plan` needs a hand-off `binding\.plan`"):
        bind(StubAgent("a", needs=[Plan]), Task(request="go"), store)

    assert "binding_plan" not in bind(StubAgent("a", wants=[Plan]), Task(request="go"), store)


def test_a_handoff_that_does_not_fit_is_refused_without_quoting_it(store: ArtifactStore) -> None:
    """The value may be personal; the place and the fault are enough."""
    task = Task(request="go", handoffs={"binding.plan": [plan_record("850101-1234567")]})

    with pytest.raises(BindingError, match="cannot read the hand-off") as caught:
        bind(StubAgent("a", needs=[Plan]), task, store)

    assert "850101" not in str(caught.value)
    assert "`number`" in str(caught.value)


def test_a_handoff_of_another_version_is_refused(store: ArtifactStore) -> None:
    """The fields are the same, what they mean is not."""
    record: HandoffRecord = {"path": "p/a", "version": 2, "json": {"number": 1}}
    task = Task(request="go", handoffs={"binding.plan": [record]})

    with pytest.raises(BindingError, match=r"reads version 1 of .* and version 2 was given"):
        bind(StubAgent("reader", needs=[Plan]), task, store)


def test_unknown_keys_of_a_handoff_are_ignored(store: ArtifactStore) -> None:
    """A newer producer does not break an older consumer."""
    record: HandoffRecord = {"path": "p", "version": 1, "json": {"number": 1, "new": [1]}}
    task = Task(request="go", handoffs={"binding.plan": [record]})

    assert bind(StubAgent("a", needs=[Plan]), task, store)["binding_plan"] == Plan(number=1)


@pytest.mark.parametrize(("mode", "context"), [("query", None), ("context", "the whole request")])
def test_the_original_words_go_to_those_who_ask(
    mode: Any, context: str | None, store: ArtifactStore
) -> None:
    """By default a worker sees its own part only."""
    stub = StubAgent("a")
    stub.input_mode = mode

    payload = bind(stub, Task(request="my part", context="the whole request"), store)

    assert payload["request"] == "my part"
    assert payload.get("context") == context


def test_a_producer_without_a_part_reads_the_whole_request(store: ArtifactStore) -> None:
    """It was not asked for in words, but the words may hold what it needs."""
    assert bind(StubAgent("a"), Task(context="all words"), store)["request"] == "all words"


def test_fields_that_nothing_fills_are_named() -> None:
    """A required number can come from no task."""

    class Given(AgentInput):
        file: Annotated[Attachment, Attachment.of("*.sql")]
        plan: Plan
        limit: int
        depth: int = 3

    assert unbound_fields(Given) == ["limit"]


@pytest.mark.parametrize("annotation", [Attachment, Attachment | None, tuple[Attachment, ...]])
def test_an_attachment_must_say_what_it_takes(annotation: Any) -> None:
    """Else every file would fit."""
    given = type("Given", (AgentInput,), {"__annotations__": {"file": annotation}})

    with pytest.raises(ContractError, match=r'Attachment\.of\("\*\.sql"\)'):
        unbound_fields(given)


class ReportInput(AgentInput):
    """Of a worker that says who gave what."""

    givers: dict[str, str] = {}
    lost: dict[str, str] = {}


def test_a_worker_may_know_who_gave_and_what_was_lost(store: ArtifactStore) -> None:
    """The last giver counts, as for the hand-off itself."""
    records: list[Any] = [plan_record(1), {**plan_record(2), "path": "p/b"}]
    task = Task(request="go", handoffs={"binding.plan": records}, lost={"binding.note": "p/c"})

    payload = bind(agent(ReportInput), task, store)

    assert payload["givers"] == {"binding.plan": "p/b"}
    assert payload["lost"] == {"binding.note": "p/c"}
    assert unbound_fields(ReportInput) == []
