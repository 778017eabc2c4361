"""What `minerva glossary` prints: every row accounted for, every cut list with its total."""

from collections.abc import Iterable, Sequence
from typing import Any

from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.importing.report import ImportReport
from minerva_data.core.store.search import Hit
from minerva_data.core.store.store import Edition
from minerva_platform.cli_kit import printable, write_text

_MAX_NAMES = 20


def show_report(report: ImportReport) -> None:
    """Print what became of each row of a file."""
    lines = [
        f"{report.glossary} {report.edition} ← {report.file}, {report.format}"
        f" ({report.seconds:,.1f} s)",
        f"{report.read:,} rows read: {report.kept:,} kept ({report.added:,} added,"
        f" {report.updated:,} updated, {report.unchanged:,} unchanged),"
        f" {report.repeated:,} repeated, {report.rejected:,} rejected",
    ]
    if report.kinds:
        kept = ", ".join(f"{count:,} {kind}s" for kind, count in report.kinds.items())
        lines.append(f"kept: {kept}")
    if report.learned_words or report.learned_domains:
        lines.append(
            f"learned from the terms: {report.learned_words:,} words,"
            f" {report.learned_domains:,} domains"
        )
    if report.removed:
        lines.append(f"{report.removed:,} entries are gone: this file held them before")
    if report.retired_names:
        names = ", ".join(report.retired_names[:_MAX_NAMES])
        beyond = len(report.retired_names) - _MAX_NAMES
        more = f" and {beyond:,} more" if beyond > 0 else ""
        lines.append(f"{len(report.retired_names)} retired, recognised: {names}{more}")
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"rejected: {place}: {reason}" for place, reason in report.shown]
    if report.rejected > len(report.shown):
        lines.append(f"rejected: {report.rejected - len(report.shown):,} more rows, by reason:")
        lines += [f"  {count:,} × {reason}" for reason, count in report.reasons.most_common(10)]
    _print(lines)


def show_editions(editions: Sequence[Edition], answering: Sequence[Edition | None]) -> None:
    """Print the editions, and which of them answer."""
    lines: list[str] = []
    for one in editions:
        counts = ", ".join(f"{count:,} {kind}s" for kind, count in one.entries.items())
        marks = "".join(
            (
                f"; {one.retired_count:,} retired" if one.retired_count else "",
                f"; {one.learned_count:,} learned" if one.learned_count else "",
            )
        )
        files = ", ".join(dict.fromkeys(file for file, _ in one.files))
        lines.append(f"{one.glossary}  {one.kind}  {one.edition}  {counts}{marks}  ← {files}")
    order = " > ".join(f"{e.glossary} {e.edition}" if e else SEED_NAME for e in answering)
    _print([*lines, f"answering: {order}"])


def show_hits(text: str, hits: Sequence[Hit]) -> None:
    """Print what a search found."""
    if not hits:
        _print([f"No entry of the glossaries that answer is like `{text}`."])
    for hit in hits:
        marks = f"{', retired' if hit.is_retired else ''}{', learned' if hit.is_learned else ''}"
        place = " ".join(filter(None, (hit.file, hit.sheet, f"row {hit.row}")))
        entry = f"{hit.score:.2f}  {hit.name}  {_hit_text(hit)}  {hit.kind}{marks}"
        _print([f"{entry}  ({hit.glossary} {hit.edition}: {place})"])


def edition_to_json(edition: Edition) -> dict[str, Any]:
    """Return an edition as JSON."""
    return {
        "glossary": edition.glossary,
        "kind": edition.kind,
        "edition": edition.edition,
        "newest": edition.is_newest,
        "imported_at": edition.imported_at,
        "files": [{"file": file, "sha256": sha256} for file, sha256 in edition.files],
        "entries": edition.entries,
        "retired": edition.retired_count,
        "learned": edition.learned_count,
    }


def hit_to_json(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON."""
    return {
        "name": hit.name,
        "kind": hit.kind,
        "score": hit.score,
        "retired": hit.is_retired,
        "learned": hit.is_learned,
        "glossary": hit.glossary,
        "edition": hit.edition,
        "file": hit.file,
        "sheet": hit.sheet,
        "row": hit.row,
        **{name: value for name, value in hit.body.items() if value not in (None, "", [])},
    }


def _hit_text(hit: Hit) -> str:
    body = hit.body
    said = body.get("physical_name") or body.get("abbreviation") or body.get("data_type")
    return str(said or "+".join(body.get("target", ())) or body.get("english", ""))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        write_text(printable(line))
