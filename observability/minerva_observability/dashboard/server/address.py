"""The state of a page, as its address holds it, so that a shared link shows the same page.

Nothing is guessed: the page names each part of its address that could not be understood.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, get_args
from urllib.parse import quote, urlencode

from minerva_observability.metrics.figures import Bucket
from minerva_observability.metrics.span_filter import SpanFilter

Order = Literal["newest", "slowest"]

RANGES: Final = {
    "": "All time",
    "15m": "Last 15 minutes",
    "1h": "Last hour",
    "6h": "Last 6 hours",
    "24h": "Last 24 hours",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
}
"""The choices of `since` on a page. An address may name any other range, or a moment."""

MAX_NAME_CHARACTERS: Final = 500
"""Characters; a longer name is not linked, because servers refuse such long addresses."""

_SPAN: Final = re.compile(r"([1-9][0-9]{0,4})([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
FILTERS: Final = ("team", "agent", "status", "arm", "thread", "version", "host", "pid")
"""What runs are chosen by beside times, as an address, a page and a `SpanFilter` name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The part of the records that a page shows. An empty text restricts nothing."""

    since: str = ""
    """A range such as `1h`, or a moment in ISO 8601."""
    until: str = ""
    team: str = ""
    agent: str = ""
    status: str = ""
    arm: str = ""
    thread: str = ""
    version: str = ""
    host: str = ""
    pid: str = ""
    search: str = ""
    order: Order = "newest"
    page: int = 1
    bucket: Bucket | None = None
    """None to choose by the range of time."""
    problems: tuple[str, ...] = ()
    """One message for each part of the address that was not understood."""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "View":
        """Return the view that `query` describes; wrong parts are left out and named."""
        given: dict[str, Any] = {name: query.get(name, "").strip() for name in FILTERS}
        given["search"] = query.get("search", "").strip()
        problems: list[str] = []
        for name in ("since", "until"):
            text = query.get(name, "").strip()
            if _is_time(text):
                given[name] = text
            else:
                way_out = "write 1h, 24h, 7d or 2025-01-31T09:00"
                problems.append(f"{name}={text} is not a time; {way_out}")
        for name, allowed in (("order", get_args(Order)), ("bucket", get_args(Bucket))):
            if not (text := query.get(name, "")):
                continue
            if text in allowed:
                given[name] = text
            else:
                problems.append(f"{name}={text} is not one of {', '.join(allowed)}")
        page = query.get("page", "1")
        if re.fullmatch(r"[1-9][0-9]{0,8}", page):
            given["page"] = int(page)
        else:
            problems.append(f"page={page} is not a page number")
        return cls(**given, problems=tuple(problems))

    def to_query(self) -> str:
        """Return the query of the address with its `?`; empty for the default view."""
        default = View()
        said = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "problems"
            and getattr(self, field.name) != getattr(default, field.name)
        }
        return f"?{urlencode(said, quote_via=quote)}" if said else ""

    def but(self, **changes: Any) -> "View":
        """Return the view with `changes`, at its first page."""
        return replace(self, **{"page": 1, "problems": (), **changes})

    def for_other_page(self) -> "View":
        """Return the part that stays when another page opens: the filters, no search or order."""
        return self.but(search="", order="newest", bucket=None)

    def to_filter(self, now: datetime) -> SpanFilter:
        """Return the filter at the time `now`.

        A range such as `1h` begins at a whole minute, so all clients ask the same question in it.
        """
        asked = {name: getattr(self, name) or None for name in FILTERS}
        return SpanFilter(
            since=_to_moment(self.since, now), until=_to_moment(self.until, now), **asked
        )

    @property
    def is_filtered(self) -> bool:
        """True if the view restricts the records."""
        return any(getattr(self, name) for name in (*FILTERS, "since", "until", "search"))


def _is_time(text: str) -> bool:
    if not text or _SPAN.fullmatch(text):
        return True
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _to_moment(text: str, now: datetime) -> datetime | None:
    if not text:
        return None
    if match := _SPAN.fullmatch(text):
        span = timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
        return now.replace(second=0, microsecond=0) - span
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def fitting_bucket(begin: datetime | None, end: datetime | None) -> Bucket:
    """Return the width of a chart's columns between two times: minute, hour or day."""
    if begin is None or end is None or end - begin <= timedelta(hours=6):
        return "minute"
    return "hour" if end - begin <= timedelta(days=14) else "day"


def path_segment(name: str) -> str:
    """Return a name escaped as one segment of a path."""
    return quote(name, safe="")
