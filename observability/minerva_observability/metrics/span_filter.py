"""The filter that says which spans a question is about."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from minerva_observability.records.plain_data import writable

Condition = tuple[str, dict[str, Any]]
"""An SQL condition and the values of its `$names`."""

_CONDITIONS = {
    "since": "timestamp >= $since",
    "until": "timestamp < $until",
    "team": "team = $team",
    "agent": "agent_name = $agent",
    "thread": "thread_id = $thread",
    "status": "run IN (SELECT run FROM spans WHERE kind = 'run' AND status = $status)",
    "arm": "run IN (SELECT run FROM spans WHERE arm = $arm)",
    "version": "run IN (SELECT run FROM spans"
    " WHERE list_contains(json_extract_string(versions, '$.*'), $version))",
    "host": "run IN (SELECT run FROM spans WHERE host = $host)",
    "pid": "run IN (SELECT run FROM spans WHERE pid::VARCHAR = $pid)",
}
_PARTICIPANT = ("team", "agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFilter:
    """A filter of spans. All given fields must match; a filter without fields matches all spans."""

    since: datetime | None = None
    """The span ended then or later. A time without a zone is in UTC."""
    until: datetime | None = None
    """The span ended before then."""
    team: str | None = None
    agent: str | None = None
    """The span's `agent_name`."""
    thread: str | None = None
    status: str | None = None
    """The run's status, as its `run` row says: `ok_degraded`, for example."""
    arm: str | None = None
    """An arm that took part in the run's routing."""
    version: str | None = None
    """What the platform or a team came from in a part of the run: `minerva-team-data 0.1.0`."""
    host: str | None = None
    """The machine that did a part of the run."""
    pid: str | None = None
    """The process that did one."""

    def of_spans(self) -> Condition:
        """Return the condition that a span matches all given fields."""
        return self._condition(_CONDITIONS)

    def of_runs(self) -> Condition:
        """Return the condition that the span's run is one in which the team or agent took part."""
        own = [_CONDITIONS[name] for name in _PARTICIPANT if name in self._values()]
        part = f"run IN (SELECT run FROM spans WHERE {' AND '.join(own)})"  # noqa: S608  # ours
        return self._condition({**_CONDITIONS, **dict.fromkeys(_PARTICIPANT, part)})

    def columns(self) -> tuple[str, ...]:
        """Return the columns of `spans` that the conditions need."""
        needed = {
            "since": ("timestamp",),
            "until": ("timestamp",),
            "team": ("team", "run"),
            "agent": ("run",),
            "thread": ("thread_id",),
            "status": ("run",),
            "arm": ("run", "arm"),
            "version": ("run", "versions"),
        }
        return tuple(c for name in self._values() for c in needed.get(name, ("run", name)))

    def _condition(self, conditions: dict[str, str]) -> Condition:
        given = self._values()
        sql = " AND ".join(conditions[name] for name in given) or "true"
        return sql, given

    def _values(self) -> dict[str, Any]:
        every = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: _in_utc(value) if isinstance(value, datetime) else writable(value)
            for name, value in every.items()
            if value is not None
        }


def _in_utc(time: datetime) -> datetime:
    """Return `time` in UTC without a zone, as records have it."""
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
