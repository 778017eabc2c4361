"""The tree of hops: the same from live spans and from rows, and drawn in straight columns."""

from typing import Any

import pytest
from rich.cells import cell_len

from minerva_observability import MemorySink, RunScope, record_span
from minerva_platform.cli.io.console import to_plain_text
from minerva_platform.cli.views.hop_tree import HopTree
from minerva_platform.cli.views.hops import Look, draw_tree, mark_of
from minerva_platform.cli.views.progress import ProgressView


def row(path: str, kind: str = "agent", *, at: int = 0, ms: float = 1.0, **more: Any) -> Any:
    """Return a row of schema 1 that started `at` milliseconds after noon."""
    started = f"2030-01-01T12:00:{at // 1000:02d}.{at % 1000:03d}Z"
    name = path.rpartition("/")[2]
    return {
        "schema": 1,
        "run_id": "ab" * 16,
        "span_id": f"{path}{kind}{at}",
        "path": path,
        "kind": kind,
        "status": "ok",
        "started_at": started,
        "ms": ms,
        "self_ms": ms,
        "agent_name": name,
        **more,
    }


ROWS = [
    row("p/가나다팀/b", "node", at=60, ms=39.5, node="scan"),
    row("p/가나다팀/b", at=55, ms=45.0),
    row("p/가나다팀", "route", at=51, ms=1.0, decision={"goals": ["b"]}),
    row("p/가나다팀", at=50, ms=50.0),
    row("p/a", at=10, ms=40.0, status="failed", action="bypassed",
        error={"type": "ValueError", "message": "a long story " * 20}),
    row("p", "route", at=1, ms=2.0, router="embedded", decision={"goals": ["a", "가나다팀"]}),
    row("p", "run", at=0, ms=100.0, status="ok_degraded"),
]  # fmt: skip


def test_a_tree_is_drawn_in_straight_columns() -> None:
    """Korean letters take two cells; an error is cut rather than wrapped."""
    text = to_plain_text(draw_tree(HopTree.from_rows(ROWS), Look(width=100)), 100)
    lines = text.splitlines()

    assert [line.split()[:3] for line in lines] == [
        ["▲", "p", "→"],
        ["├─", "✗", "a"],
        ["└─", "✓", "가나다팀"],
        ["└─", "✓", "b"],
    ]
    assert {cell_len(line.partition(" ms")[0]) for line in lines} == {
        cell_len(lines[0].partition(" ms")[0])
    }
    assert "bypassed: ValueError: a long" in lines[1]
    assert "…" in lines[1]
    assert "→ b" in lines[2]
    assert "scan 40" in lines[3]
    assert all(cell_len(line) <= 100 for line in lines)


def test_bars_stand_where_the_time_lies() -> None:
    """The first half belongs to `a`, the second to the team beside it."""
    lines = to_plain_text(draw_tree(HopTree.from_rows(ROWS), Look(width=100)), 100).splitlines()
    whole, first, second = (line.rpartition(" ms")[2] for line in lines[:3])

    begin = whole.index("━")
    assert len(whole.strip()) == 24
    assert (first.index("━") - begin, len(first.strip())) == (2, 10)
    assert (second.index("━") - begin, len(second.strip())) == (12, 12)


@pytest.mark.parametrize("width", [20, 60])
def test_a_narrow_terminal_gets_no_bars(width: int) -> None:
    """Names and times matter more."""
    text = to_plain_text(draw_tree(HopTree.from_rows(ROWS), Look(width=width)), 100)

    assert "━" not in text
    assert "가나다팀" in text


def test_details_show_each_step_with_its_self_time() -> None:
    """And every try of it."""
    again = row("p/a", "node", at=11, ms=9.0, node="read", status="failed", action="retried",
                error={"type": "OSError", "message": "busy"})  # fmt: skip
    third = row("p/a", "node", at=21, ms=8.0, node="read", attempt=2)
    tree = HopTree.from_rows([again, third, *ROWS])
    text = to_plain_text(draw_tree(tree, Look(width=120, details=True)), 120)

    assert "✗ read" in text
    assert "retried: OSError: busy" in text
    assert "attempt 2" in text
    assert "self 40 ms" in text


def test_a_nodes_model_calls_stand_below_it() -> None:
    """Not beside it, whichever row comes first; what a router asks stands below its answer."""
    node = row("p/a", "node", at=11, ms=9.0, node="read", span_id="n")
    call = {"model": "small", "parent_id": "n"}
    early = row("p/a", "model", at=11, ms=2.0, **call)  # begins in the same millisecond
    late = row("p/a", "model", at=15, ms=3.0, **call, status="failed",
               error={"type": "ModelUnavailableError", "message": "down"})  # fmt: skip
    asked = row("p", "model", at=1, ms=1.0, model="router", parent_id="proute1")
    for rows in ([early, late, node, asked, *ROWS], [node, late, early, asked, *ROWS]):
        text = to_plain_text(draw_tree(HopTree.from_rows(rows), Look(width=120, details=True)), 120)
        lines = [line.partition(" ms")[0] for line in text.splitlines()]

        assert lines[1].split()[:5] == ["├─", "✓", "route", "→", "a,"]
        assert "│  └─ ✓ router" in lines[2]
        assert [line.split()[:5] for line in lines[3:7]] == [
            ["├─", "✗", "a", "bypassed:", "ValueError:"],
            ["│", "└─", "✓", "read", "9.0"],
            ["│", "├─", "✓", "small", "2.0"],
            ["│", "└─", "✗", "small", "ModelUnavailableError:"],
        ]


def test_why_a_team_was_called_is_read_from_the_record() -> None:
    """A second visit says nothing of itself, and a first one may ask a person."""
    calls = [
        row("p/a#2", at=2, role="goal"),
        row("p/b", at=3, role="approval"),
        row("p/c", at=4, role="preparation"),
        row("p/d", at=5),
    ]
    below = [row(f"{call['path']}/w", at=6) for call in calls]
    tree = HopTree.from_rows([*calls, *below, row("p", "run")])
    text = to_plain_text(draw_tree(tree, Look(width=80)), 80)
    notes = {line.split()[2]: line.split()[3:-2] for line in text.splitlines()[1:] if "✓" in line}

    assert {name: " ".join(notes[name]) for name in ("a#2", "b", "c", "d")} == {
        "a#2": "",
        "b": "asks a person",
        "c": "prepares for later",
        "d": "",
    }


def test_only_what_is_ok_has_a_tick() -> None:
    """A run or a step that went on without something has a sign of its own."""
    assert mark_of("ok")[0] == "✓"
    degraded = {mark_of("ok_degraded")[0], mark_of("ok", action="substituted")[0]}
    others = {mark_of(status)[0] for status in (None, "failed", "timeout", "skipped", "paused")}
    assert degraded == {"▲"}
    assert "✓" not in others


def test_a_killed_run_still_has_a_tree() -> None:
    """Its run row was never written; what is known hangs where it belongs."""
    tree = HopTree.from_rows([item for item in ROWS if item["kind"] != "run"])
    text = to_plain_text(draw_tree(tree, Look(width=100)), 100)

    assert text.splitlines()[0].split() == ["…", "p", "not", "finished", *"━"]
    assert [hop.path for hop in tree.workers] == ["p/a", "p/가나다팀/b"]


def test_control_characters_are_shown_and_not_obeyed() -> None:
    """A worker's error could otherwise move the cursor or set the title."""
    bad = row("p/a", status="failed", error={"type": "E", "message": "\x1b[2J\x07 [red]x[/red]"})
    text = to_plain_text(draw_tree(HopTree.from_rows([bad]), Look(width=120)), 120)

    assert "\\x1b[2J\\x07 [red]x[/red]" in text


def test_live_spans_and_rows_make_the_same_tree() -> None:
    """What a person watched is what `minerva runs` shows later."""
    progress, memory = ProgressView(), MemorySink()
    for sink in (progress, memory):
        scope = RunScope(recorder=sink, run_id="cd" * 16)
        with scope.bound(), record_span(kind="run", path="p"):
            with (
                record_span(kind="agent", path="p/a"),
                record_span(kind="node", path="p/a", node="n"),
            ):
                if sink is progress:
                    assert list(progress.tree.by_path["p/a"].running.values()) == ["n"]
            with record_span(kind="agent", path="p/b"):
                pass
    recorded = HopTree.from_rows(record.to_json_dict() for record in memory.records)

    assert list(progress.tree.by_path) == list(recorded.by_path) == ["p", "p/a", "p/b"]
    assert progress.open_spans == {}
    assert progress.tree.by_path["p/a"].running == {}
    assert [step.name for step in recorded.by_path["p/a"].steps] == ["n"]
