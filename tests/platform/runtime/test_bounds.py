"""What leaves a worker is bounded: texts are cut and counted, the rest is refused by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_platform import AgentOutput, Artifact, Citation, Handoff, Run, RunLimits, Task, Team
from minerva_platform.contract.bounds import (
    MAX_ARTIFACT_BYTES,
    MAX_BYPASSES,
    MAX_CITATIONS,
    MAX_HANDOFFS,
    MAX_INLINE,
    MAX_NAME_BYTES,
    MAX_RUN_BYTES,
    MAX_TEXT_BYTES,
    fair_share,
    fitted,
    fitted_name,
)
from minerva_platform.contract.result import ErrorInfo
from minerva_platform.contract.values import Content
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import OutputLimitError
from minerva_platform.planning.next_move import Stop
from minerva_platform.run_context.context import note_bypass
from minerva_platform.runtime.border.firewall import convert_out
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.runtime.visit_result import conclude
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import EachOnceRouter, StubAgent


class Row(Handoff):
    """One of many."""

    kind: ClassVar[str] = "bounds.row"
    text: str


class ManyOutput(AgentOutput):
    """An Output that may give as many as it wants."""

    rows: tuple[Row, ...] = ()


def leave(output: dict[str, Any], store: ArtifactStore) -> Any:
    """Let `output` pass the firewall."""
    agent = StubAgent("a")
    agent.Output = ManyOutput
    return convert_out(agent, {"output": output}, path="t/a", role="goal", store=store)


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    """Return the empty store of a run."""
    return ArtifactStore(tmp_path / "artifacts")


@pytest.mark.parametrize("text", ["", "plain", "x" * 2048, "x" * 2049, "가나다" * 400, "🙂" * 600])
def test_a_text_is_cut_between_two_characters(text: str) -> None:
    """It never exceeds its bytes, and one that fits is not touched."""
    kept = fitted(text, MAX_TEXT_BYTES)

    assert len(kept.encode()) <= MAX_TEXT_BYTES
    if len(text.encode()) <= MAX_TEXT_BYTES:
        assert kept == text
    else:
        assert kept.endswith("…")
        assert text.startswith(kept[:-1])
        assert len(kept.encode()) > MAX_TEXT_BYTES - 8


@pytest.mark.parametrize("name", ["보고서" * 100 + ".xlsx", "x" * 300, "a." + "b" * 300])
def test_a_files_name_keeps_its_ending(name: str) -> None:
    """A file without its ending opens in no program."""
    kept = fitted_name(name, MAX_NAME_BYTES)

    assert len(kept.encode()) <= MAX_NAME_BYTES
    assert kept.endswith(".xlsx" if name.endswith(".xlsx") else "…")


def test_every_text_of_a_citation_is_cut_and_counted(store: ArtifactStore) -> None:
    """And so is each citation beyond the bound."""
    long = Citation(source="s" * 5000, edition="e" * 5000, quote="q" * 5000, row=7)
    short = Citation(source="glossary.csv", row=1)
    given = [long, *[short] * MAX_CITATIONS]

    result, _ = leave({"summary": "s", "citations": given}, store)

    first, *others = result.citations
    assert len(result.citations) == MAX_CITATIONS
    assert {len(text) for text in (first.source, first.edition, first.quote)} == {2046}
    assert first.row == 7
    assert others == [short] * (MAX_CITATIONS - 1)
    assert result.cut == 4


def test_all_that_is_cut_is_counted(store: ArtifactStore) -> None:
    """The summary, a name and a media type, each once."""
    artifact = Artifact(name="n" * 300 + ".md", media_type="m" * 300, content="text")

    result, _ = leave({"summary": "x" * 70_000, "artifacts": [artifact]}, store)

    assert result.cut == 3
    assert len(result.artifacts[0].name.encode()) <= MAX_NAME_BYTES


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [
        ([], []),
        ([3, 4], [3, 4]),
        ([100, 100], [50, 50]),
        ([10, 200, 200], [10, 45, 45]),
        ([1000, 0, 5], [95, 0, 5]),
        ([100] * 150, [0] * 50 + [1] * 100),
    ],
)
def test_no_member_crowds_out_the_others(sizes: list[int], kept: list[int]) -> None:
    """What a team may carry upwards is shared."""
    groups = [[(member, n) for n in range(size)] for member, size in enumerate(sizes)]

    shared = fair_share(groups, 100)

    assert [sum(m == member for m, _ in shared) for member in range(len(sizes))] == kept
    assert shared == sorted(shared)


def test_a_team_carries_no_more_citations_than_a_worker(store: ArtifactStore) -> None:
    """Ten members with a hundred each are a hundred, and the rest is counted."""
    citations = [Citation(source="s", row=n) for n in range(MAX_CITATIONS + 1)]
    results = [leave({"summary": "s", "citations": citations}, store)[0] for _ in range(10)]

    output = conclude(results, summary="s", handoffs={}, stop=Stop())

    assert len(output.citations) == MAX_CITATIONS
    assert output.cut == 10 * 1 + 9 * MAX_CITATIONS


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            {"artifacts": [Artifact(name="big.csv", content="가" * (MAX_ARTIFACT_BYTES // 3 + 1))]},
            r"its artifact `big\.csv` has 67,108,866 bytes; one may have at most 67,108,864 bytes",
        ),
        (
            {"artifacts": [Artifact(name=f"{n}.md", content=str(n)) for n in range(51)]},
            "it returned 51 artifacts; at most 50 may leave it",
        ),
        (
            {"rows": [{"text": "x"}] * (MAX_HANDOFFS + 1)},
            "it gave 101 hand-offs; at most 100 may leave it",
        ),
        (
            {
                "artifacts": [Artifact(name="fine.md", content="fine")],
                "rows": [{"text": "x" * (MAX_ARTIFACT_BYTES + 1)}],
            },
            r"its hand-off `bounds\.row` has 67,108,\d+ characters; one may have at most 67,108",
        ),
    ],
)
def test_what_may_not_be_cut_is_refused_by_name(
    output: dict[str, Any], said: str, store: ArtifactStore
) -> None:
    """And nothing of it is written, not even what would have been fine."""
    with pytest.raises(OutputLimitError, match=said):
        leave({"summary": "s", **output}, store)

    assert not store.directory.exists()


def test_a_run_gives_no_more_than_its_bytes(store: ArtifactStore) -> None:
    """Over all its workers; the same content counts once, and what fits still passes."""
    store.take({"others": MAX_RUN_BYTES - 10})
    ten = {"summary": "s", "artifacts": [Artifact(name="ten.txt", content="x" * 10)]}

    leave(ten, store)
    leave(ten, store)
    with pytest.raises(OutputLimitError, match=r"`one\.txt` has 1 bytes; all of a run together"):
        leave({"summary": "s", "artifacts": [Artifact(name="one.txt", content="y")]}, store)
    with pytest.raises(OutputLimitError, match=r"its hand-off `bounds\.row` has"):
        leave({"summary": "s", "rows": [{"text": "y"}]}, store)

    assert [path.name for path in store.directory.iterdir()] == [Content.of("x" * 10).sha256]


def test_many_handoffs_do_not_fill_the_state(store: ArtifactStore) -> None:
    """Each may lie in it, but not all of them together."""
    text = "x" * (MAX_INLINE // 2)

    _, handoffs = leave(
        {"summary": "s", "rows": [{"text": text + str(n)} for n in range(9)]}, store
    )

    inline = [record for record in handoffs["bounds.row"] if "json" in record]
    assert len(inline) == 1
    assert len(handoffs["bounds.row"]) == 9


async def asked(behave: Callable[[Any], Any], home: Path) -> Run:
    """Run a team of teams: the worker that behaves so, and two siblings."""
    inner = Team(
        name="inner",
        description="…",
        members=(StubAgent("much", behave=behave), StubAgent("beside")),
        router=EachOnceRouter(),
    )
    team = Team(
        name="t", description="…", members=(inner, StubAgent("good")), router=EachOnceRouter()
    )
    return await run_team(
        team.assembled, Task(request="go"), RunOptions(home=home, limits=RunLimits())
    )


async def test_a_worker_tells_a_hundred_causes_and_no_more(tmp_path: Path) -> None:
    """One that asks a model for each row of a table would fill the run object with one sentence."""

    def behave(_: Any) -> None:
        for number in range(MAX_BYPASSES + 7):
            text = f"row {number}: " + "x" * MAX_TEXT_BYTES
            note_bypass(ErrorInfo(type="ModelError", message=text, is_sentence=True))

    run = await asked(behave, tmp_path)

    assert len(run.bypassed) == MAX_BYPASSES
    assert {len(entry.cause.encode()) for entry in run.bypassed} == {MAX_TEXT_BYTES}
    assert run.cut == MAX_BYPASSES + 7


async def test_the_run_says_how_much_was_cut(tmp_path: Path) -> None:
    """Summed upwards; a cut is no failure."""
    citations = [Citation(source="x" * 5000).model_dump() for _ in range(3)]

    run = await asked(lambda _: {"summary": "s", "citations": citations}, tmp_path)

    assert (run.status, run.cut, run.to_json_dict()["cut"]) == ("ok", 3, 3)
