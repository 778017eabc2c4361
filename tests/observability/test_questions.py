"""What is asked of the records, in the ways that people and pages ask."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from minerva_observability import Metrics, SpanFilter, SpanStore


def row(span: int, run: str, **fields: Any) -> dict[str, Any]:
    """Return a worker's call that went well; a field that is None is left out."""
    every = {
        "schema": 1,
        "timestamp": "2025-01-01T10:00:00.123Z",
        "ms": 1.0,
        "self_ms": 1.0,
        "run_id": run,
        "span_id": f"{span:016x}",
        "path": "platform/data/helper",
        "kind": "agent",
        "status": "ok",
        "agent_name": "helper",
        "team": "data",
        **fields,
    }
    return {name: value for name, value in every.items() if value is not None}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SpanStore]:
    """Return a store of the test's folder."""
    with SpanStore(tmp_path) as store:
        yield store


def written(store: SpanStore, *rows: dict[str, Any]) -> Metrics:
    """Return the questions about `rows`."""
    with Path(store.source, "runs.jsonl").open("ab") as file:
        file.writelines(json.dumps(each).encode() + b"\n" for each in rows)
    store.refresh()
    return Metrics(store)


def test_an_agent_of_two_teams_is_asked_for_in_one(store: SpanStore) -> None:
    """A run in which the team took part, and the agent for another team, is not among them."""
    written(
        store,
        row(1, "a"),
        row(2, "b", team="other"),
        row(3, "b", agent_name="somebody", path="platform/data/somebody"),
    )
    asked = Metrics(store, SpanFilter(team="data", agent="helper"))

    assert [run.run_id for run in asked.runs().runs] == ["a"]
    assert (asked.totals().unfinished, asked.totals().worker_calls) == (1, 1)


def test_what_was_bypassed_is_not_hidden_by_more_frequent_failures(store: SpanStore) -> None:
    """However many other places fail more often."""
    failed = [
        row(number, "a", status="failed", agent_name=f"agent{number // 2}") for number in range(500)
    ]
    ask = written(store, *failed, row(900, "a", status="failed", action="bypassed"))

    assert [each.count for each in ask.overview().bypassed] == [1]


@pytest.mark.slow
def test_questions_remember_only_the_newest_answers(store: SpanStore) -> None:
    """A page that is open for a week holds no more than one that was just opened."""
    ask = written(store, row(0, "a"))
    for number in range(1, 20):
        written(store, row(number, "a"))
        assert ask.figures("agent")[0].calls == number + 1

    kept = ask._figures_by  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # seen nowhere else
    assert len(kept) == 1


def test_rows_without_a_time_have_an_end_and_a_run(store: SpanStore) -> None:
    """Nothing is the newest of them, yet each is shown."""
    ask = written(
        store,
        row(1, "a", status="failed", timestamp=None, error={"type": "X", "message": "m"}),
        row(2, "a", kind="run", status="failed", timestamp=None),
    )

    assert [run.status for run in ask.runs().runs] == ["failed"]
    assert {(each.run_id, each.message) for each in ask.failures()} == {("a", "m"), ("a", None)}


def test_a_page_beyond_the_last_knows_how_many_there_are(store: SpanStore) -> None:
    """So that somebody can be led back."""
    ask = written(store, row(1, "a"), row(2, "b"))

    assert ask.runs(offset=50).total == 2
    assert ask.runs(search="nobody", offset=50).total == 0


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "name", ["'; DROP VIEW spans; --", "$since", "\udcff", "a\0b", '"'], ids=ascii
)
def test_a_name_is_a_name_whatever_is_in_it(store: SpanStore, name: str) -> None:
    """Also bytes that are not UTF-8, as a shell passes them on."""
    written(store, row(1, "a"))
    asked = Metrics(store, SpanFilter(team=name, agent=name, thread=name, status=name, arm=name))

    assert asked.totals().runs == 0
    assert asked.runs(search=name).total == 0
    assert asked.distribution(name) == ()


def test_a_bucket_is_no_statement(store: SpanStore) -> None:
    """It may come from an address."""
    ask = written(store, row(1, "a"))
    sly: Any = "day', timestamp) AS begins_at, 'x' AS agent_name, 'y' AS team, 1 AS calls --"

    with pytest.raises(Exception, match="day', timestamp"):
        ask.calls_over_time(sly)
    [day] = ask.calls_over_time("day")
    assert day.begins_at == datetime(2025, 1, 1, tzinfo=UTC)
