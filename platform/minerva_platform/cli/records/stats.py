"""`minerva stats`: slow agents, calls, the cost of routing, and bypasses."""

import glob
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from minerva_observability import SpanFilter
from minerva_observability.records import RUNS_FILE, parquet_files, record_files
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.stream import is_terminal, one_line, write_json, write_text
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.cli.records.figure_options import StatsOptions
from minerva_platform.cli.records.stats_export import StatsReport, figures_to_csv, report_to_json
from minerva_platform.cli.views.progress import say
from minerva_platform.cli.views.stats import TEXTS, count_text, draw_stats
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import MinervaError, RunError
from minerva_platform.text.command_hint import install_package_command, minerva_command
from minerva_platform.text.language import Language

By = Literal["agent", "node", "team", "arm", "model"]

LARGE_BYTES = 1_000_000_000
"""Bytes of records beyond which only the table's columns are read, with a notice to wait."""
_BESIDE = ("reason", "waited_ms", "prompt_tokens", "completion_tokens", "cost")
"""Columns that the text above the table also needs. Reading them takes 15 % more time."""


def show_stats(options: StatsOptions) -> None:
    """Print the figures that were asked for.

    Raises:
        MomentError: a time cannot be understood.
        RunError: there is no such source, it cannot be read, or nothing is installed to read it.
    """
    if options.as_json and options.as_csv:
        message = "Type either --json or --csv."
        raise RunError(message)
    language, report = reader_language(options.language), told_of(options)
    if options.as_json:
        write_json(report_to_json(report))
    elif options.as_csv:
        write_text(figures_to_csv(report).removesuffix("\n"))
    elif not report.is_empty:
        show(lambda width: draw_stats(report, width, language))
    if not options.as_json:
        _tell(report, language)


def told_of(options: StatsOptions, *, large_bytes: int = LARGE_BYTES) -> StatsReport:
    """Return the figures of the records; of `large_bytes` and more only those of the table.

    Raises:
        MomentError: a time cannot be understood.
        RunError: there is no such source, it cannot be read, or nothing is installed to read it.
    """
    where, language = _filter(options), reader_language(options.language)
    source = home_directory() if options.source is None else find_source(options.source)
    is_large = _is_large(source, large_bytes, language)
    beside = () if is_large else (*_BESIDE, "error_type", "error_message")
    return _read_figures(source, options.by.value, where, beside=beside)


def find_source(text: str) -> Path | str:
    """Return the file, folder or pattern that `text` names.

    Raises:
        RunError: nothing is there.
    """
    path = Path(text)
    if path.exists():
        return path
    is_pattern = glob.has_magic(text)
    if is_pattern and (record_files(text) or parquet_files(text)):
        return text
    what = "No file of records matches" if is_pattern else "There is no"
    message = (
        f"{what} {one_line(text)}. --source takes a file ({RUNS_FILE}), a folder with all below it,"
        " or a pattern in quotes ('hosts/*/runs*.jsonl')."
    )
    raise RunError(message)


def _filter(options: StatsOptions) -> SpanFilter:
    now = datetime.now(UTC)
    times = {
        name: None if text is None else text_to_moment(text, option=f"--{name}", now=now)
        for name, text in (("since", options.since), ("until", options.until))
    }
    since, until = times["since"], times["until"]
    if since and until and since >= until:
        message = f"--until {options.until} is not after --since {options.since}."
        raise RunError(message)
    asked: dict[str, Any] = {one.name: getattr(options, one.name) for one in fields(SpanFilter)}
    asked |= times
    return SpanFilter(**asked)


def _is_large(source: Path | str, large_bytes: int, language: Language) -> bool:
    """True if the lines take long to read. A person at a terminal gets a notice."""
    sizes = [path.stat().st_size for path in record_files(source) if path.exists()]
    is_large = sum(sizes) >= large_bytes
    if is_large and is_terminal(sys.stderr):
        say(TEXTS("reading", language, size=sum(sizes) / 1e9, count=len(sizes)))
    return is_large


def _read_figures(
    source: Path | str, by: By, where: SpanFilter, *, beside: tuple[str, ...]
) -> StatsReport:
    """Return the figures. An OS thread reads them, so that Ctrl-C need not wait for DuckDB."""
    try:
        from minerva_observability import Metrics, SpanStore  # noqa: PLC0415  # an extra
        from minerva_observability.metrics import SpanStoreError  # noqa: PLC0415  # an extra
        from minerva_observability.metrics.grouping import columns_for  # noqa: PLC0415  # as above
    except ModuleNotFoundError as error:
        install = install_package_command("minerva-observability[dashboard]")
        message = f"To add up records needs DuckDB, which is not installed here. Type: {install}"
        raise RunError(message) from error

    def ask(store: SpanStore) -> StatsReport:
        with store:
            store.refresh()
            metrics = Metrics(store, where)
            return StatsReport(
                source=str(source),
                by=by,
                where=where,
                figures=metrics.figures(by),
                agents=metrics.figures("agent"),
                totals=metrics.totals(),
                summary=store.summary,
                not_read=tuple(
                    "waits_ms" if name == "reason" else name
                    for name in _BESIDE
                    if name not in store.columns
                ),
            )

    asker, opened = ThreadPoolExecutor(1), list[SpanStore]()
    try:
        opened.append(SpanStore(source, columns=(*columns_for(by, where), *beside)))
        return asker.submit(ask, opened[0]).result()
    except KeyboardInterrupt:
        for store in opened:
            store.abandon()
        raise
    except (OSError, SpanStoreError) as error:
        message = f"{one_line(str(source))} cannot be read: {one_line(str(error))}"
        raise RunError(message) from error
    finally:
        asker.shutdown(wait=False)


def _tell(report: StatsReport, language: Language) -> None:
    """Print notices about what the figures leave out."""
    found, source = report.summary, report.source
    if not found.files:
        say(TEXTS("nothing", language, source=source, command=minerva_command()))
        return
    if report.is_empty:
        say(TEXTS("none_of_those", language, source=source))
    elif not report.figures:
        say(TEXTS("none_by", language, by=report.by, source=source))
    if report.not_read and not report.is_empty:
        say(TEXTS("not_read", language, command=f"{minerva_command()} compact"))
    causes = ", ".join(f"{count} {cause}" for cause, count in found.lines.causes.items())
    notes = (
        count_text("files", found.files, language),
        count_text("bad", found.lines.bad, language, causes=causes),
        count_text("last_lines", found.unfinished_files, language),
        count_text("twice", found.duplicates, language),
    )
    say("; ".join(filter(None, notes)))


_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class MomentError(MinervaError):
    """An option for a time got another value."""

    def __init__(self, option: str, text: str) -> None:
        self.option, self.text = option, text
        super().__init__(
            f"{option} `{one_line(text)}` is no time that could be meant. Type how long ago: 30m,"
            " 24h, 7d; or when: 2026-01-31, 2026-01-31T09:30 (your clock), 2026-01-31T09:30Z (UTC)."
        )


def text_to_moment(text: str, *, option: str, now: datetime) -> datetime:
    """Return the time that `text` means. Without a zone it is in this machine's zone.

    Raises:
        MomentError: it is no time.
    """
    ago = _AGO.fullmatch(text.strip())
    try:
        if ago is not None:
            return now - timedelta(**{_UNITS[ago[2]]: float(ago[1])})
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError) as error:
        raise MomentError(option, text) from error
