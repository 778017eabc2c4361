"""Charts as ECharts options, made from the figures of `minerva_observability.metrics`.

A foreign text is only ever a value in the options. A key that begins with a colon holds JavaScript,
which comes from this module alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from minerva_observability.dashboard.server.site import Look
from minerva_observability.dashboard.widgets.markup import Column, figure, name_of, table, tag
from minerva_observability.dashboard.widgets.text import count, duration, isolated, visible
from minerva_observability.metrics.figures import Bin, Bucket, Figures, Moment

ROWS: Final = 200
"""Rows of a table; more would take long to send, and people do not read that many."""
Options = dict[str, Any]

_DURATION: Final = "value => minerva.duration(value)"
_COUNT: Final = "value => minerva.count(value)"
_BUCKET_MS: Final = {"minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
_MIN_COLUMNS: Final = 16
REST: Final = "all others"


class Palette(NamedTuple):
    """The colours of one theme; no style sheet reaches into a chart."""

    text: str
    faint: str
    line: str
    panel: str
    accent: tuple[str, str, str]
    """For p50, p95 and p99, from the calmest to the strongest."""
    bad: str
    warn: str
    series: tuple[str, ...]
    """For agents side by side; colour-blind people can tell them apart (after Okabe and Ito)."""
    rest: str


LIGHT: Final = Palette(
    text="#1c2530",
    faint="#5a6675",
    line="#e4e8ee",
    panel="#ffffff",
    accent=("#b9cdf8", "#6f97ec", "#2f62cf"),
    bad="#c2362b",
    warn="#b97700",
    series=("#2f62cf", "#e08a00", "#0f9d78", "#c455a0", "#56a8dd", "#8a6d1f", "#7a5bd0"),
    rest="#a3adba",
)
DARK: Final = Palette(
    text="#dbe2ea",
    faint="#8f9bab",
    line="#262e39",
    panel="#151b23",
    accent=("#2b4577", "#4a7be0", "#9dbcff"),
    bad="#ff7b6e",
    warn="#e5aa3b",
    series=("#6f9bff", "#e9a23b", "#35c29a", "#de83c1", "#7cc4f0", "#c6ab5a", "#a68cf5"),
    rest="#5b6675",
)
FONT: Final = "Roboto, 'Noto Sans KR', 'Noto Sans CJK KR', system-ui, sans-serif"


def latency_bars(rows: Sequence[Figures], *, dark: bool) -> Options:
    """Return bars of p50, p95 and p99 of each row, with the first row on top."""
    colours = palette(dark=dark)
    percentiles = (("p50", "p50_ms"), ("p95", "p95_ms"), ("p99", "p99_ms"))
    series = [
        {
            "name": name,
            "type": "bar",
            "data": [round(getattr(row, field) or 0, 3) for row in rows],
            "itemStyle": {"color": colours.accent[number], "borderRadius": [0, 2, 2, 0]},
            "barMaxWidth": 7,
            "barGap": "15%",
        }
        for number, (name, field) in enumerate(percentiles)
    ]
    return _rows_of_bars([row.name for row in rows], series, colours, _DURATION)


def calls_over_time(
    moments: Iterable[Moment], *, bucket: Bucket, dark: bool, failures: bool = False
) -> Options:
    """Return stacked columns of the calls, or the failures, of the busiest agents."""
    colours = palette(dark=dark)
    totals: Counter[str] = Counter()
    columns: defaultdict[str, Counter[datetime]] = defaultdict(Counter)
    for moment in moments:
        number = moment.failures if failures else moment.calls
        totals[moment.agent_name] += number
        columns[moment.agent_name][moment.begins_at] += number
    times = sorted({time for column in columns.values() for time in column})
    busiest = [name for name, total in totals.most_common(len(colours.series)) if total]
    series = [
        _column(isolated(name, limit=28), columns[name], times, colour)
        for name, colour in zip(busiest, colours.series, strict=False)
    ]
    others: Counter[datetime] = Counter()
    for name in totals.keys() - set(busiest):
        others.update(columns[name])
    if others.total():
        series.append(_column(REST, others, times, colours.rest))
    return {
        **base_options(colours, _COUNT),
        "legend": legend_style(colours),
        "grid": {"left": 4, "right": 12, "top": 30, "bottom": 4, "containLabel": True},
        "xAxis": {
            "type": "time",
            **axis_style(colours, grid=False),
            **_reach(times, bucket),
        },
        "yAxis": _values(colours, _COUNT),
        "series": series,
    }


def histogram(bins: Sequence[Bin], *, dark: bool) -> Options:
    """Return the number of calls by duration; each bin is 1.6 times as wide as the one before."""
    colours = palette(dark=dark)
    options = base_options(colours, _COUNT)
    options["tooltip"][":formatter"] = "items => minerva.bin(items)"
    return {
        **options,
        "grid": {"left": 4, "right": 12, "top": 12, "bottom": 4, "containLabel": True},
        "xAxis": {
            "type": "category",
            "data": [each.low_ms for each in bins],
            **_labelled(axis_style(colours, grid=False), _DURATION),
        },
        "yAxis": _values(colours, _COUNT),
        "series": [
            {
                "name": "calls",
                "type": "bar",
                "barCategoryGap": "8%",
                "data": [each.calls for each in bins],
                "itemStyle": {"color": colours.accent[1], "borderRadius": [2, 2, 0, 0]},
            }
        ],
    }


def stacked_bars(
    names: Sequence[str],
    parts: Sequence[tuple[str, str, Sequence[float]]],
    *,
    dark: bool,
    durations: bool = False,
) -> Options:
    """Return a stacked bar for each name; a part has a name, a tone, and one value for each bar.

    `durations` shows the values as milliseconds, otherwise they are counts.
    """
    colours = palette(dark=dark)
    tones = {
        "bad": colours.bad,
        "warn": colours.warn,
        "calm": colours.rest,
        "accent": colours.accent[1],
        "strong": colours.accent[2],
        "other": colours.series[3],
        "muted": colours.faint,
    }
    series = [
        {
            "name": name,
            "type": "bar",
            "stack": "all",
            "barMaxWidth": 14,
            "data": [round(value, 3) for value in values],
            "itemStyle": {"color": tones[tone]},
        }
        for name, tone, values in parts
    ]
    return _rows_of_bars(names, series, colours, _DURATION if durations else _COUNT)


def _rows_of_bars(
    names: Sequence[str], series: Sequence[Options], colours: Palette, code: str
) -> Options:
    """Return bars that lie, with the first name on top."""
    return {
        **base_options(colours, code),
        "legend": legend_style(colours),
        "grid": {"left": 4, "right": 20, "top": 30, "bottom": 4, "containLabel": True},
        "xAxis": _values(colours, code),
        "yAxis": {
            "type": "category",
            "inverse": True,
            "data": [isolated(name, limit=24) for name in names],
            **axis_style(colours, grid=False),
        },
        "series": series,
    }


def _reach(times: Sequence[datetime], bucket: Bucket) -> Options:
    """Return both ends of a time axis, wide enough that a single column does not fill the chart."""
    step = _BUCKET_MS[bucket]
    first, last = (int(end(times).timestamp() * 1000) for end in (min, max))
    missing = max(_MIN_COLUMNS - (last - first) // step - 1, 0)
    return {"min": first - (missing // 2 + 1) * step, "max": last + (missing // 2 + 1) * step}


def _column(
    name: str, counts: Counter[datetime], times: Sequence[datetime], colour: str
) -> Options:
    """Return one agent's columns, with 0 where it had no call, because columns stack by index."""
    return {
        "name": name,
        "type": "bar",
        "stack": "all",
        "barMaxWidth": 22,
        "barMinWidth": 2,
        "data": [[int(time.timestamp() * 1000), counts[time]] for time in times],
        "itemStyle": {"color": colour},
    }


def _values(colours: Palette, code: str) -> Options:
    return {
        "type": "value",
        "splitNumber": 3,
        **({"minInterval": 1} if code == _COUNT else {}),
        **_labelled(axis_style(colours, grid=True), code),
    }


def _labelled(style: Options, code: str) -> Options:
    return {**style, "axisLabel": {**style["axisLabel"], ":formatter": code}}


def palette(*, dark: bool) -> Palette:
    """Return the colours of a theme."""
    return DARK if dark else LIGHT


def base_options(colours: Palette, code: str) -> Options:
    """Return the options of all charts: no motion at the start, and tooltips without HTML.

    `code` is the JavaScript that writes the values in tooltips.
    """
    return {
        "animationDuration": 0,
        "animationDurationUpdate": 250,
        "textStyle": {"fontFamily": FONT, "color": colours.text, "fontSize": 12},
        "tooltip": {
            "renderMode": "richText",  # drawn as text; never HTML
            "backgroundColor": colours.panel,
            "borderColor": colours.line,
            "textStyle": {"color": colours.text, "fontSize": 12},
            "confine": True,
            "trigger": "axis",
            "axisPointer": {"type": "shadow"},
            ":valueFormatter": code,
        },
    }


def axis_style(colours: Palette, *, grid: bool) -> dict[str, Any]:
    """Return the style of an axis; with `grid`, it draws fine lines behind the figures."""
    return {
        "axisLine": {"show": not grid, "lineStyle": {"color": colours.line}},
        "axisTick": {"show": False},
        "axisLabel": {"color": colours.faint, "fontSize": 11, "hideOverlap": True},
        "splitLine": {"show": grid, "lineStyle": {"color": colours.line}},
    }


def legend_style(colours: Palette) -> dict[str, Any]:
    """Return the style of a legend that stays on one line and scrolls."""
    return {
        "type": "scroll",
        "top": 0,
        "left": 0,
        "right": 0,
        "itemWidth": 10,
        "itemHeight": 10,
        "itemGap": 14,
        "icon": "roundRect",
        "textStyle": {"color": colours.faint, "fontSize": 11},
        "pageTextStyle": {"color": colours.faint},
        "pageIconColor": colours.faint,
        "pageIconInactiveColor": colours.line,
    }


def moments_table(moments: Sequence[Moment], look: Look) -> Markup:
    """Return a table of the newest moments of a chart over time, and say if some are left out."""
    shown = list(reversed(moments))[:ROWS]
    columns: list[Column[Moment]] = [
        Column("from", lambda row: look.time(row.begins_at), heads_row=True),
        Column("agent", lambda row: name_of(visible(row.agent_name))),
        figure("calls", lambda row: count(row.calls)),
        figure("failures", lambda row: count(row.failures)),
        figure("p95", lambda row: duration(row.p95_ms)),
    ]
    whole = table(columns, shown, caption="Calls over time, newest first")
    if len(moments) > ROWS:
        whole += tag("p", f"The newest {ROWS} of {len(moments):,} rows.", class_="nothing")
    return whole


def bins_table(bins: Sequence[Bin]) -> Markup:
    """Return a table of a distribution."""
    columns: list[Column[Bin]] = [
        Column("from", lambda row: duration(row.low_ms), numeric=True, heads_row=True),
        figure("to below", lambda row: duration(row.high_ms)),
        figure("calls", lambda row: count(row.calls)),
    ]
    return table(columns, bins, caption="Distribution of call durations")
