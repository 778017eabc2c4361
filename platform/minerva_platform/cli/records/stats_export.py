"""The figures of `minerva stats` for programs: one JSON object, or CSV for a spreadsheet."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from minerva_observability import SpanFilter
from minerva_observability.metrics import Figures, Totals
from minerva_observability.records import CURRENCY
from minerva_platform.cli.io.stream import one_line
from minerva_platform.text.csv_cells import csv_text

if TYPE_CHECKING:
    from minerva_observability.metrics import SourceSummary  # needs DuckDB


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsReport:
    """The question, and the figures of the records."""

    source: str
    by: str
    where: SpanFilter
    figures: tuple[Figures, ...]
    agents: tuple[Figures, ...]
    totals: Totals
    summary: "SourceSummary"
    not_read: tuple[str, ...] = ()
    """Columns that were left out. Their sums are unknown."""

    @property
    def is_empty(self) -> bool:
        """True if the question matches no run and no span."""
        return not (self.figures or self.agents or self.totals.runs or self.totals.unfinished)


def report_to_json(report: StatsReport) -> dict[str, Any]:
    """Return all figures, and the rows they leave out with the reason."""
    lines = report.summary.lines
    totals = report.totals
    return {
        "source": report.source,
        "by": report.by,
        "filter": _present(report.where),
        "totals": {
            **_known(_present(totals), report.not_read),
            "routing_calls_per_run": totals.routing_calls_per_run,
            "routing_ms_per_run": totals.routing_ms_per_run,
            "routing_share": totals.routing_share,
            "currency": CURRENCY,
        },
        "figures": [_known(each.to_json_dict(), report.not_read) for each in report.figures],
        "not_read": list(report.not_read),
        "files": report.summary.files,
        "duplicates": report.summary.duplicates,
        "unfinished_lines": report.summary.unfinished_files,
        "bad": {
            "total": lines.bad,
            "causes": dict(lines.causes),
            "lines": [{**bad._asdict(), "file": str(bad.file)} for bad in lines.bad_lines],
            "truncated": lines.truncated,
        },
    }


def figures_to_csv(report: StatsReport) -> str:
    """Return the figures as RFC 4180 has it, times in ms; no cell runs as a formula."""
    names = [field.name for field in fields(Figures)]
    rows = (_known(asdict(each), report.not_read) for each in report.figures)
    return csv_text(
        names, ([_shown(row.get(name)) for name in names] for row in rows), line_end="\r\n"
    )


def _shown(value: object) -> object:
    return one_line(value) if isinstance(value, str) else value


def _known(row: dict[str, Any], not_read: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in not_read}


def _present(value: SpanFilter | Totals) -> dict[str, Any]:
    return {
        name: each.isoformat() if isinstance(each, datetime) else each
        for name, each in asdict(value).items()
        if each is not None
    }
