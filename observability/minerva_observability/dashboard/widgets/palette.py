"""The colours of charts, for the dark and the light theme. No style sheet reaches into a chart."""

from typing import Any, Final, NamedTuple


class Palette(NamedTuple):
    """The colours of one theme."""

    text: str
    muted: str
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
    muted="#5a6675",
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
    muted="#8f9bab",
    line="#262e39",
    panel="#151b23",
    accent=("#2b4577", "#4a7be0", "#9dbcff"),
    bad="#ff7b6e",
    warn="#e5aa3b",
    series=("#6f9bff", "#e9a23b", "#35c29a", "#de83c1", "#7cc4f0", "#c6ab5a", "#a68cf5"),
    rest="#5b6675",
)
FONT: Final = "Roboto, 'Noto Sans KR', 'Noto Sans CJK KR', system-ui, sans-serif"


def palette(*, dark: bool) -> Palette:
    """Return the colours of a theme."""
    return DARK if dark else LIGHT


def base_options(colours: Palette) -> dict[str, Any]:
    """Return the options of all charts: no motion at the start, and tooltips without HTML."""
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
        },
    }


def axis_style(colours: Palette, *, grid: bool) -> dict[str, Any]:
    """Return the style of an axis; with `grid`, it draws fine lines behind the figures."""
    return {
        "axisLine": {"show": not grid, "lineStyle": {"color": colours.line}},
        "axisTick": {"show": False},
        "axisLabel": {"color": colours.muted, "fontSize": 11, "hideOverlap": True},
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
        "textStyle": {"color": colours.muted, "fontSize": 11},
        "pageTextStyle": {"color": colours.muted},
        "pageIconColor": colours.muted,
        "pageIconInactiveColor": colours.line,
    }
