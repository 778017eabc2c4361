"""Figures in words, names that stay names, addresses that stay addresses."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from minerva_observability import SpanFilter
from minerva_observability.dashboard.server.address import View, fitting_bucket
from minerva_observability.dashboard.widgets.markup import Column, name_of, table, tag
from minerva_observability.dashboard.widgets.text import (
    count,
    duration,
    isolated,
    money,
    percent,
    quantity,
    rate,
    visible,
)

NOW = datetime(2025, 1, 31, 9, 30, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (None, "–"),
        (0, "0 ms"),
        (0.87, "870 µs"),
        (1, "1.00 ms"),
        (12.44, "12.4 ms"),
        (999, "999 ms"),
        (1_240, "1.24 s"),
        (59_900, "59.9 s"),
        (185_000, "3 min 05 s"),
        (3_600_000, "1 h 00 min"),
        (7_500_000, "2 h 05 min"),
        (90_000_000, "1 d 01 h"),
    ],
)
def test_durations_read_as_people_say_them(ms: float | None, words: str) -> None:
    """Three digits, with the unit that fits."""
    assert duration(ms) == words


def test_figures_have_separators_and_units() -> None:
    """What is not zero never reads as zero; what is unknown is a dash."""
    assert count(1_234_567) == "1,234,567"
    assert (quantity(1, "run"), quantity(2, "run")) == ("1 run", "2 runs")
    assert [rate(each) for each in (None, 3, 2.44)] == ["–", "3", "2.4"]
    assert [percent(each) for each in (0, 0.0004, 0.014, 1)] == ["0 %", "< 0.1 %", "1.4 %", "100 %"]
    sums = (None, 0, 0.00001, 0.042, 1_018.7)
    assert [money(each) for each in sums] == [
        "–",
        *("0.00 USD", "< 0.0001 USD", "0.0420 USD", "1,018.70 USD"),
    ]
    assert money(None, 1) == "– + 1 unpriced call"
    assert money(2.5, 3) == "2.50 USD + 3 unpriced calls"


def test_invisible_characters_are_spelled_out() -> None:
    """So a name can neither turn the line around nor look like another one."""
    assert visible("a\u202eb\u200b\x00\u2066") == "a\\u202eb\\u200b\\u0000\\u2066"
    assert visible("한글 العربية") == "한글 العربية"
    assert visible("n" * 10_000, limit=10) == "nnnnnnnnn…"
    assert isolated("العربية") == "\u2068العربية\u2069"


def test_whatever_is_put_into_markup_is_escaped() -> None:
    """Text, attributes, cells: nothing of a record becomes an element."""
    evil = "\"><img src=x onerror='1'>"

    assert tag("p", evil) == "<p>&#34;&gt;&lt;img src=x onerror=&#39;1&#39;&gt;</p>"
    assert "<img" not in tag("a", name_of(evil), title=evil, href=evil)
    column: Column[str] = Column(title=evil, cell=str, hint=evil)
    assert "<img" not in table([column], [evil], caption=evil)


def test_an_address_says_what_a_view_says() -> None:
    """And back: nothing is lost, nothing that is usual is said."""
    view = View(since="24h", team="a&b=c/ü", search='"x"', order="slowest", page=3, bucket="day")
    query = view.to_query()

    assert View().to_query() == ""
    assert query.startswith("?since=24h&team=a%26b%3Dc%2F%C3%BC&search=%22x%22")
    given = {"since": "24h", "team": "a&b=c/ü", "search": '"x"', "order": "slowest"}
    assert View.from_query({**given, "page": "3", "bucket": "day"}) == view


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("since", "yesterday"),
        ("until", "1y"),
        ("since", "2025-13-01"),
        ("order", "best"),
        ("page", "0"),
        ("page", "1e9"),
        ("bucket", "year"),
    ],
)
def test_what_is_not_understood_is_named(name: str, text: str) -> None:
    """The rest holds, nothing is guessed."""
    view = View.from_query({name: text, "team": "data"})

    assert replace(view, problems=()) == View(team="data")
    assert view.problems[0].startswith(f"{name}={text} is n")


def test_a_span_of_time_begins_at_a_whole_minute() -> None:
    """Then all who ask within a minute ask the same, and one answer serves them."""
    asked = View(since="1h", until="2025-01-31T09:00+09:00", agent="x").to_filter(NOW)

    begin = datetime(2025, 1, 31, 8, 30, tzinfo=UTC)
    assert asked == SpanFilter(
        since=begin, until=datetime.fromisoformat("2025-01-31T00:00Z"), agent="x"
    )


def test_columns_of_a_chart_fit_its_time() -> None:
    """Minutes for hours, hours for days, days for months."""
    spans = (timedelta(hours=1), timedelta(days=2), timedelta(days=90))

    assert [fitting_bucket(NOW - span, NOW) for span in spans] == ["minute", "hour", "day"]
    assert fitting_bucket(None, None) == "minute"
