"""The tree of a run, however much of it was written."""

from typing import Any, cast

import pytest

from minerva_observability.dashboard.widgets.span_tree import Timeline, build_timeline
from minerva_observability.records import RecordRow


def row(span: str, kind: str, path: str, parent: str | None = None, **fields: Any) -> RecordRow:
    """Return a row that began `at` seconds after nine."""
    at, ms = fields.pop("at", 0.0), fields.pop("ms", 1_000.0)
    given: dict[str, Any] = {
        "schema": 1,
        "started_at": f"2025-01-31T09:{at // 60:02.0f}:{at % 60:06.3f}Z",
        "ms": ms,
        "run_id": "r",
        "span_id": span,
        "path": path,
        "kind": kind,
        "status": "ok",
        **fields,
    }
    if parent:
        given["parent_id"] = parent
    return cast("RecordRow", given)


def shape(timeline: Timeline) -> list[str]:
    """Return the tree as indented names."""
    return [f"{'  ' * depth}{node.name}" for depth, node in timeline.walk()]


def test_spans_stand_below_their_parents_in_order_of_time() -> None:
    """Though children are written first."""
    timeline = build_timeline(
        [
            row("4", "node", "p/t/w", "3", node="second", at=2),
            row("5", "node", "p/t/w", "3", node="first", at=1),
            row("3", "agent", "p/t/w", "2", at=1, ms=2_000),
            row("6", "route", "p/t", "2", at=1),
            row("2", "agent", "p/t", "1", at=1, ms=3_000),
            row("1", "run", "p", ms=4_000),
        ]
    )

    assert shape(timeline) == ["p", "  t", "    routing", "    w", "      first", "      second"]
    places = [(node.offset, node.width) for _, node in timeline.walk()]
    assert places[0] == (0, 1)
    assert places[1] == (0.25, 0.75)
    assert places[5] == (0.5, 0.25)


def test_a_killed_run_shows_what_it_did() -> None:
    """Hops that were never written are there without an end."""
    timeline = build_timeline([row("9", "node", "p/t/w", "lost", node="work", at=5)])

    assert shape(timeline) == ["p", "  t", "    w", "      work"]
    assert [node.row is None for _, node in timeline.walk()] == [True, True, True, False]
    assert timeline.ms == 1_000


def test_waiting_for_a_person_takes_no_place_on_the_line() -> None:
    """Ten minutes in which nothing ran would leave no room for what did."""
    timeline = build_timeline(
        [
            row("1", "run", "p", ms=1_000, status="needs_human"),
            row("2", "run", "p", ms=3_000, at=601, resume_no=1),
        ]
    )

    assert timeline.ms == 4_000
    assert timeline.gaps == ((0.25, 600_000),)
    assert [(node.offset, node.width) for node in timeline.roots] == [(0, 0.25), (0.25, 0.75)]


@pytest.mark.parametrize("parent", ["1", "2"])
def test_parents_that_lead_in_a_circle_end_somewhere(parent: str) -> None:
    """Rows are data of strangers: no order of theirs may hang the page."""
    timeline = build_timeline(
        [row("1", "agent", "p/a", parent), row("2", "agent", "p/b", "1"), row("3", "run", "p")]
    )

    assert sorted(name.strip() for name in shape(timeline)) == ["a", "b", "p"]


def test_a_question_stands_below_the_call_that_asked_it() -> None:
    """The answer too, because it came before the call went on; neither is a gap's neighbour."""
    asker, two_hours = "p/t/w", 7_200
    timeline = build_timeline(
        [
            row("2", "agent", asker, "1", ms=500, at=0.1, status="paused"),
            row("3", "pause", asker, "1", ms=0, at=0.9, status="paused"),
            row("1", "run", "p", ms=1_000, status="needs_human"),
            row("4", "decision", asker, "5", ms=0, at=599, decision={"type": "edit", "by": "kim"}),
            row("6", "agent", asker, "5", ms=2_000, at=602, resume_no=1),
            row("5", "run", "p", ms=3_000, at=601, resume_no=1, waited_ms=two_hours),
        ]
    )

    assert shape(timeline) == ["p", "  w", "    pause", "    edit", "p", "  w"]
    assert timeline.ms == 4_000
    assert [node.offset for _, node in timeline.walk()] == [0, 0.025, 0.225, 0.25, 0.25, 0.5]
