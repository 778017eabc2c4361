"""Write figures and foreign text for a page: durations as people say them, names made visible.

The names of agents and the texts of errors may come from an attacker. Invisible characters in them
are spelled out, so a name can neither reverse the line nor hide. A long text is cut and ends with
an ellipsis.
"""

import unicodedata
from datetime import UTC, datetime, tzinfo
from typing import Final

from minerva_observability.records.record import CURRENCY

NOTHING: Final = "–"
"""Stands in place of a figure without data."""
NAME_LENGTH: Final = 80
MESSAGE_LENGTH: Final = 400

_MIN_COST: Final = 0.0001
_SECOND: Final = 1_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_ALLOWED: Final = "\n\t"


def visible(text: str, *, limit: int = NAME_LENGTH) -> str:
    """Return `text` with its invisible characters spelled out, at most `limit` characters."""
    shown = "".join(_spelled(char) for char in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def isolated(text: str, *, limit: int = 40) -> str:
    """Return `text` for a chart, isolated so that a right-to-left name reorders no other text."""
    shown = visible(text, limit=limit)
    if any(unicodedata.bidirectional(char) in {"R", "AL"} for char in shown):
        return f"\u2068{shown}\u2069"
    return shown


def _spelled(char: str) -> str:
    if char in _ALLOWED or unicodedata.category(char)[0] != "C":
        return char
    return f"\\u{ord(char):04x}"


def duration(ms: float | None) -> str:  # noqa: PLR0911  # one for each unit
    """Return milliseconds as people say them: `870 µs`, `12.4 ms`, `1.24 s`, `3 min 05 s`."""
    if ms is None:
        return NOTHING
    if ms < 1:
        return f"{ms * 1000:.0f} µs" if ms else "0 ms"
    if ms < _SECOND:
        return f"{_three_digits(ms)} ms"
    if ms < _MINUTE:
        return f"{_three_digits(ms / _SECOND)} s"
    if ms < _HOUR:
        minutes, seconds = divmod(round(ms / _SECOND), 60)
        return f"{minutes} min {seconds:02d} s"
    if ms < _DAY:
        hours, minutes = divmod(round(ms / _MINUTE), 60)
        return f"{hours} h {minutes:02d} min"
    days, hours = divmod(round(ms / _HOUR), 24)
    return f"{days} d {hours:02d} h"


def _three_digits(value: float) -> str:
    if value >= 100:  # noqa: PLR2004  # three digits before the point are enough
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"  # noqa: PLR2004  # so are two


def count(number: float | None) -> str:
    """Return a whole number with separators: `1,204`."""
    return NOTHING if number is None else f"{number:,.0f}"


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 call`, `12 calls`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def rate(number: float | None) -> str:
    """Return a mean of counts: `3`, `2.4`."""
    if number is None:
        return NOTHING
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def percent(share: float | None) -> str:
    """Return a part of 1 as a percentage; a share above 0 never reads as 0."""
    if share is None:
        return NOTHING
    if 0 < share < 0.001:  # noqa: PLR2004  # a tenth of a percent
        return "< 0.1 %"
    return f"{share * 100:.0f} %" if share in {0, 1} else f"{share * 100:.1f} %"


def money(cost: float | None, unpriced_calls: int = 0) -> str:
    """Return a cost with its currency, and the number of calls that it leaves out."""
    if unpriced_calls:
        return f"{money(cost)} + {quantity(unpriced_calls, 'unpriced call')}"
    if cost is None:
        return NOTHING
    if cost >= 1 or cost == 0:
        return f"{cost:,.2f} {CURRENCY}"
    return f"{cost:.4f} {CURRENCY}" if cost >= _MIN_COST else f"< {_MIN_COST} {CURRENCY}"


def moment(time: datetime | None, zone: tzinfo, *, now: datetime | None = None) -> str:
    """Return a time in `zone`: `14:02:31` on the day of `now`, else with its date."""
    if time is None:
        return NOTHING
    local = time.astimezone(zone)
    if now is not None and local.date() == now.astimezone(zone).date():
        return f"{local:%H:%M:%S}"
    return f"{local:%Y-%m-%d %H:%M:%S}"


def machine_time(time: datetime) -> str:
    """Return a time for addresses and `<time datetime>`: `2025-01-31T09:00:00Z`."""
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
