"""Whatever was recorded, the figures are those that anybody would add up by hand."""

import json
import string
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from forms import IS_WHOLE
from hypothesis import given, settings, strategies as st

from minerva_observability import Metrics, SpanFilter, SpanStore
from minerva_observability.metrics import Figures, Totals
from minerva_observability.metrics.figures import By
from minerva_observability.metrics.grouping import columns_for

Row = dict[str, Any]

START = datetime(2026, 1, 31, 9, tzinfo=UTC)
TEAMS = {"data": ("finder", "writer"), "code": ("parser", "finder")}
"""One name belongs to two teams."""
BAD_LINES = (b'{"schema":1,"run_id":"torn', b"\0\0\0", b"not json", b'{"schema":1}', b"\xff\xfe")
BIES: tuple[By, ...] = ("agent", "node", "team", "arm", "model")

ERRORS = (
    {"type": "ModelUnavailableError", "message": "`a:b`, asked by `platform`: it is gone (Oops)."},
    {"type": "ModelTimeoutError", "message": "`a:b`, asked by `platform/data`: 30 s are up."},
    {"type": "ModelUnavailableError", "message": "`a:c`, asked by `platform`: it is gone (Oops)."},
    {"type": "ValueError", "message": "row 7 of `x` is bad"},
    {"type": "ValueError", "message": "row 12 of `other` is bad"},
    {"type": "ValueError", "message": "row 7 is gone"},
)
"""Four causes: two models that do not answer, bad rows, and a row that is gone."""
CAUSES = (0, 0, 1, 2, 2, 3)

times = st.floats(0, 1e5, allow_nan=False).map(lambda ms: round(ms, 3))
maybe = st.sampled_from([None, None, None, "retried", "bypassed", "substituted"])
causes = st.sampled_from([None, None, "platform/data/finder"])
endings = st.sampled_from(["ok", "ok", "ok", "failed", "timeout", "paused", "skipped"])


@st.composite
def spans(draw: st.DrawFn) -> Row:
    """Draw a span of any kind."""
    team = draw(st.sampled_from(sorted(TEAMS)))
    worker = draw(st.sampled_from((*TEAMS[team], None)))
    again = draw(st.sampled_from(("", "#2")))
    place = f"platform/{team}{again}" if worker is None else f"platform/{team}/{worker}{again}"
    kinds = ("agent", "node", "route", "model", "tool", "pause", "decision", "wait")
    kind = draw(st.sampled_from(kinds))
    row: Row = {
        "kind": kind,
        "path": place,
        "team": team,
        "agent_name": worker or f"{team}_team_supervisor",
        "status": draw(endings),
        "ms": draw(times),
        "self_ms": draw(times),
        "action": draw(maybe),
        "because_of": draw(causes),
        "error": draw(st.none() | st.sampled_from(ERRORS)),
    }
    if kind == "node":
        row |= {"node": draw(st.sampled_from(("read", "write")))}
    if kind == "route":
        row |= {"arm": draw(st.sampled_from((None, "control", "trial")))}
    if kind == "model":
        row |= {
            "model": draw(st.sampled_from(("small", "large"))),
            "prompt_tokens": draw(st.integers(0, 10_000)),
            "completion_tokens": draw(st.none() | st.integers(0, 10_000)),
            "cost": draw(st.none() | st.integers(0, 1_000).map(lambda cents: cents / 100)),
            "router": draw(st.sampled_from((None, "plan"))),
        }
    if kind == "wait":
        row |= {"reason": draw(st.sampled_from(("place", "queue", "person")))}
    if kind == "decision" or (kind == "pause" and draw(st.booleans())):  # of earlier versions
        row |= {"waited_ms": draw(times)}
    for name in draw(st.sets(st.sampled_from(("team", "agent_name", "self_ms")), max_size=1)):
        if draw(st.booleans()):
            del row[name]  # other programs may leave out what they do not know
    return row


places = st.fixed_dictionaries(
    {},
    optional={
        "versions": st.sampled_from(({"platform": "p 1"}, {"platform": "p 2", "data": "d 1"})),
        "host": st.sampled_from(("one", "two")),
        "pid": st.sampled_from((41, 42)),
    },
)
"""What the row of a run says of who did it, and where."""


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Row], list[bytes]]:
    """Draw the rows of a few runs, and the lines that stand for them in some order."""
    rows: list[Row] = []
    for number in range(draw(st.integers(1, 4))):
        of_run = [draw(spans()) for _ in range(draw(st.integers(0, 12)))]
        for status in draw(
            st.sampled_from(((), ("ok",), ("failed",), ("ok_degraded",), ("needs_human", "ok")))
        ):
            root: Row = {"kind": "run", "path": "platform", "team": "platform", "status": status}
            root |= {"agent_name": "platform_supervisor", "ms": draw(times), "self_ms": draw(times)}
            root |= {"because_of": draw(causes), **draw(places)}
            of_run.append(root)
        for place, row in enumerate(of_run):
            minutes = draw(st.integers(0, 300))
            at = START + timedelta(minutes=minutes)
            rows.append(
                {
                    "schema": draw(st.sampled_from((1, 2))),
                    "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
                    "run_id": f"run-{number}",
                    "thread_id": f"thread-{number // 2}",
                    "span_id": f"{number}-{place}",
                    **{name: value for name, value in row.items() if value is not None},
                }
            )
    again = draw(st.lists(st.sampled_from(rows), max_size=4)) if rows else []
    lines = [json.dumps(row).encode() for row in [*rows, *again]]
    lines += draw(st.lists(st.sampled_from(BAD_LINES), max_size=3))
    return rows, draw(st.permutations(lines))


def build_filter(drawn: dict[str, Any]) -> SpanFilter:
    """Return a filter of what was drawn."""
    return SpanFilter(**drawn)


filters = st.fixed_dictionaries(
    {},
    optional={
        "since": st.integers(0, 300).map(lambda minutes: START + timedelta(minutes=minutes)),
        "until": st.integers(0, 300).map(lambda minutes: START + timedelta(minutes=minutes)),
        "team": st.sampled_from(("data", "code", "nobody's")),
        "agent": st.sampled_from(("finder", "parser", "data_team_supervisor")),
        "status": st.sampled_from(("ok", "failed", "needs_human")),
        "arm": st.sampled_from(("control", "trial")),
        "thread": st.sampled_from(("thread-0", "thread-1")),
        "version": st.sampled_from(("p 1", "d 1", "p")),
        "host": st.sampled_from(("one", "two")),
        "pid": st.sampled_from(("41", "42")),
    },
).map(build_filter)


class ByHand:
    """The same questions, answered with loops over dicts."""

    def __init__(self, rows: list[Row], where: SpanFilter) -> None:
        self.statuses: dict[str, set[str]] = defaultdict(set)
        self.arms: dict[str, set[str]] = defaultdict(set)
        self.done_by: dict[str, set[str]] = defaultdict(set)
        self.takes_part: dict[str, set[tuple[str | None, str | None]]] = defaultdict(set)
        for row in rows:
            run = row["run_id"]
            if row["kind"] == "run":
                self.statuses[run].add(row["status"])
                told = (*row.get("versions", {}).values(), row.get("host"), row.get("pid"))
                self.done_by[run].update(str(each) for each in told)
            if "arm" in row:
                self.arms[run].add(row["arm"])
            self.takes_part[run].add((row.get("team"), row.get("agent_name")))
        self.where = where
        of_runs = [row for row in rows if self._in_time(row) and self._of_wanted_run(row)]
        self.of_runs = [
            row
            for row in of_runs
            if any(
                where.team in {None, team} and where.agent in {None, agent}
                for team, agent in self.takes_part[row["run_id"]]
            )
        ]
        self.rows = [
            row
            for row in of_runs
            if where.team in {None, row.get("team")}
            and where.agent in {None, row.get("agent_name")}
        ]

    def _in_time(self, row: Row) -> bool:
        at, where = datetime.fromisoformat(row["timestamp"]), self.where
        return not ((where.since and at < where.since) or (where.until and at >= where.until))

    def _of_wanted_run(self, row: Row) -> bool:
        run, where = row["run_id"], self.where
        return (
            where.thread in {None, row["thread_id"]}
            and (where.status is None or where.status in self.statuses[run])
            and (where.arm is None or where.arm in self.arms[run])
            and self.done_by[run].issuperset(filter(None, (where.version, where.host, where.pid)))
        )

    def figures(self, by: By) -> dict[tuple[Any, ...], Row]:
        """Return the figures of each group by what names it."""
        groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in self.rows:
            for key in self._keys(by, row):
                groups[key].append(row)
        whole = sum(row.get("self_ms", 0.0) for row in self.rows)
        return {key: self._group(by, rows, whole) for key, rows in groups.items()}

    def _keys(self, by: By, row: Row) -> list[tuple[Any, ...]]:
        team, agent = row.get("team"), row.get("agent_name")
        if by == "arm":
            return [(arm, None, None) for arm in self.arms[row["run_id"]]]
        if by == "team":
            return [(team, None, None)] if team else []
        if by == "agent":
            return [(agent, team, None)] if agent else []
        if by == "model":
            return [(row["model"], None, None)] if "model" in row else []
        return [(row["node"], team, agent)] if row["kind"] == "node" else []

    def _group(self, by: By, rows: list[Row], whole_ms: float) -> Row:
        own = [row for row in rows if is_call_of(by, row)]
        calls = [row for row in own if row["status"] not in {"paused", "skipped", "needs_human"}]
        ms = [row["ms"] for row in calls]
        p50, p95, p99 = np.percentile(ms, [50, 95, 99]) if ms else (None, None, None)
        routes = [row for row in rows if row["kind"] == "route"]
        self_ms = total(rows, "self_ms")
        failed = {
            "team": [row for row in rows if row["kind"] in {"agent", "run"}],  # its workers, too
            "arm": [{**row, "because_of": None} for row in calls],
        }.get(by, calls)
        return {
            "is_worker": any(is_worker(row) for row in own) if by == "agent" else None,
            "calls": len(calls),
            "failures": failures(failed),
            **went_on(rows),
            "retries": count(rows, "retried"),
            "pauses": sum(row["status"] in {"paused", "needs_human"} for row in own),
            "mean_ms": float(np.mean(ms)) if ms else None,
            "p50_ms": p50,
            "p95_ms": p95,
            "p99_ms": p99,
            "max_ms": max(ms, default=None),
            "total_ms": total(own, "ms"),
            "self_ms": min(self_ms, total(own, "ms")),
            "share": self_ms / whole_ms if whole_ms else 0.0,
            "routing_calls": len(routes),
            "routing_ms": total(routes, "ms"),
            **spent(rows),
        }

    def totals(self) -> Row:
        """Return all runs together."""
        runs: dict[str, list[Row]] = defaultdict(list)
        for row in self.of_runs:
            runs[row["run_id"]].append(row)
        ended: dict[str, float] = {}
        statuses = Counter[str]()
        for run, rows in runs.items():
            if ends := [row for row in rows if row["kind"] == "run"]:
                ended[run] = total(ends, "ms")
                final = [row["status"] for row in ends if row["status"] != "needs_human"]
                statuses[final[0] if final else "needs_human"] += 1
        spans_ms = list(ended.values())
        p50, p95 = np.percentile(spans_ms, [50, 95]) if spans_ms else (None, None)
        workers = [row for row in self.rows if is_worker(row)]
        calls = [row for row in workers if row["status"] not in {"paused", "skipped"}]
        routes = [row for row in self.rows if row["kind"] == "route"]
        broken = [row for row in self.rows if is_failure(row)]
        with_failure = [
            run
            for run, rows in runs.items()
            if any(map(is_failure, rows)) and final_status(rows) not in {None, "needs_human"}
        ]
        return {
            "runs": len(ended),
            "statuses": dict(statuses),
            "unfinished": len(runs) - len(ended),
            "run_ms": sum(spans_ms),
            "run_p50_ms": p50,
            "run_p95_ms": p95,
            "worker_calls": len(calls),
            "failures": failures(calls),
            **went_on(self.rows),
            "failures_in_all": len(broken),
            "causes": len({CAUSES[ERRORS.index(row["error"])] for row in broken if "error" in row})
            + any("error" not in row for row in broken),
            "runs_with_failure": len(with_failure),
            "runs_answered": sum(final_status(runs[run]) == "ok" for run in with_failure),
            "routing_calls": len(routes),
            "routing_ms": total(routes, "ms"),
            "asked": sum(row["kind"] == "pause" for row in self.rows),
            "decided": sum(row["kind"] == "decision" for row in self.rows),
            "waits_ms": waits(self.rows),
            **spent(self.rows),
        }


def is_worker(row: Row) -> bool:
    """Tell whether a row is a worker's call: named as its path ends."""
    last = row["path"].rpartition("/")[2].partition("#")[0]
    return bool(row["kind"] == "agent" and row.get("agent_name") == last)


def is_call_of(by: By, row: Row) -> bool:
    """Tell whether a row is a call of its group, not something within one."""
    kind: str = row["kind"]
    if by == "agent":
        return kind in {"agent", "run"}
    if by == "team":
        return kind in {"agent", "run"} and not is_worker(row)
    return kind == ("run" if by == "arm" else by)


def is_failure(row: Row) -> bool:
    """Tell whether a failure began in a row, after which nothing was tried again."""
    failed = row["status"] in {"failed", "timeout"} and row["kind"] in {"agent", "run"}
    action = row.get("action")
    return row.get("because_of") is None and action != "retried" and (bool(action) or failed)


def final_status(rows: Iterable[Row]) -> str | None:
    """Return how a run ended: `ok` stands for any answer."""
    ends = [row["status"] for row in rows if row["kind"] == "run"]
    final = [*(end for end in ends if end != "needs_human"), *ends, None][0]
    return "ok" if final == "ok_degraded" else final


def went_on(rows: Iterable[Row]) -> Row:
    """Return what runs went on without, and how many of these rows have the old meaning."""
    found = [row for row in roots_of(rows) if row.get("action") in {"bypassed", "substituted"}]
    old = sum(row["schema"] == 1 for row in found)
    return {"bypasses": len(found), "bypasses_of_schema_1": old}


def total(rows: Iterable[Row], name: str) -> Any:
    """Add up a field where there is one."""
    return sum(row.get(name, 0) for row in rows)


def roots_of(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that follow from no other's failure."""
    return [row for row in rows if row.get("because_of") is None]


def failures(rows: Iterable[Row]) -> int:
    """Return how many of the rows failed, and not because others did."""
    return sum(row["status"] in {"failed", "timeout"} for row in roots_of(rows))


def count(rows: Iterable[Row], *actions: str) -> int:
    """Return in how many rows one of these was done."""
    return sum(row.get("action") in actions for row in rows)


def spent(rows: list[Row]) -> Row:
    """Return what is added up over everything below a group, and what routers spent of it."""
    names = ("waited_ms", "prompt_tokens", "completion_tokens")
    models = [row for row in rows if row["kind"] == "model"]
    asked = [row for row in models if "router" in row]
    return {
        **{name: total(rows, name) for name in names},
        "cost": cost_of(rows),
        "unpriced_calls": sum("cost" not in row for row in models),
        "routing_tokens": total(asked, "prompt_tokens") + total(asked, "completion_tokens"),
        "routing_cost": cost_of(asked),
        "routing_unpriced_calls": sum("cost" not in row for row in asked),
    }


def cost_of(rows: Iterable[Row]) -> float | None:
    """Return the sum of the costs that are known; None if none is."""
    costs = [row["cost"] for row in rows if "cost" in row]
    return sum(costs) if costs else None


def waits(rows: Iterable[Row]) -> dict[str, float]:
    """Return how long was waited for what. Rows of earlier versions say it of persons alone."""
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        if row["kind"] == "wait" and row["reason"] != "person":
            found[row["reason"]] += row["ms"]
        if row.get("waited_ms"):
            found["person"] += row["waited_ms"]
    return dict(found)


def plain(found: Figures | Totals, *, without: Iterable[str] = ()) -> Row:
    """Return the fields of a finding."""
    names = {field.name for field in fields(found)} - set(without)
    return {name: getattr(found, name) for name in names}


def approx(expected: Row) -> Row:
    """Let sums differ by the order in which they were added up."""
    return {
        name: pytest.approx(value, rel=1e-9, abs=1e-9)
        if isinstance(value, float | dict) and name != "statuses"
        else value
        for name, value in expected.items()
    }


def check(store: SpanStore, rows: list[Row], where: SpanFilter, by: By) -> None:
    """Compare what a store says with what the loops say."""
    metrics, by_hand = Metrics(store, where), ByHand(rows, where)
    names = ("name", "team", "agent_name")
    found = {
        (each.name, each.team, each.agent_name): plain(each, without=names)
        for each in metrics.figures(by)
    }
    expected = by_hand.figures(by)
    assert found.keys() == expected.keys()
    for key, figures in expected.items():
        assert found[key] == approx(figures)
    assert len(metrics.figures(by)) == len(found)
    totals = plain(metrics.totals(), without=("first_at", "last_at"))
    assert totals == approx(by_hand.totals())


def write(folder: Path, lines: list[bytes], *, files: int) -> None:
    """Deal the lines out to the segments of two hosts."""
    for number in range(files):
        path = folder / string.ascii_lowercase[number % 2] / f"runs.{number + 2}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in lines[number::files]))


@pytest.mark.slow
@pytest.mark.small
@settings(max_examples=15 if IS_WHOLE else 6, deadline=None)
@given(log=logs(), where=filters, by=st.sampled_from(BIES), files=st.integers(1, 4))
def test_figures_equal_those_that_are_added_up_by_hand(
    log: tuple[list[Row], list[bytes]], where: SpanFilter, by: By, files: int
) -> None:
    """Of any runs, in any order, in any files, with any filter; bad lines and doubles are told."""
    rows, lines = log
    with TemporaryDirectory() as name:
        write(Path(name), lines, files=files)
        with SpanStore(name) as store:
            store.refresh()
            check(store, rows, where, by)
            bad = sum(line in BAD_LINES for line in lines)
            assert store.summary.lines.bad == bad
            assert store.summary.duplicates == len(lines) - bad - len(rows)


@pytest.mark.slow
@pytest.mark.small
@settings(max_examples=12 if IS_WHOLE else 5, deadline=None)
@given(log=logs(), where=filters, by=st.sampled_from(BIES))
def test_the_columns_that_are_needed_are_enough(
    log: tuple[list[Row], list[bytes]], where: SpanFilter, by: By
) -> None:
    """A store of fewer columns says the same, but for sums that it was told to leave out."""
    rows, lines = log
    left_out: tuple[str, ...] = ("waited_ms", "prompt_tokens", "completion_tokens", "cost")
    left_out += ("error_type", "error_message", "reason")
    with TemporaryDirectory() as name:
        write(Path(name), lines, files=1)
        with SpanStore(name, columns=(*columns_for(by, where), *left_out)) as store:
            store.refresh()
            check(store, rows, where, by)


def test_percentiles_are_numpys_on_many_rows(tmp_path: Path) -> None:
    """Exact, whatever their number; not an estimate."""
    chance = np.random.default_rng(4)
    times_ms = np.round(chance.lognormal(3, 2, 20_011), 3)
    row = {"schema": 1, "run_id": "r", "path": "p/data/finder", "kind": "agent", "status": "ok"}
    row |= {"agent_name": "finder", "team": "data", "self_ms": 0}
    lines = (json.dumps({**row, "span_id": str(n), "ms": ms}) for n, ms in enumerate(times_ms))
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    with SpanStore(tmp_path) as store:
        store.refresh()
        [found] = Metrics(store).figures("agent")

    assert [found.p50_ms, found.p95_ms, found.p99_ms] == pytest.approx(
        np.percentile(times_ms, [50, 95, 99]), rel=1e-12
    )
    assert found.mean_ms == pytest.approx(np.mean(times_ms), rel=1e-12)
