"""The output of `minerva code`: a line for each place, and the total of every cut list."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from minerva_insilico.answers.findings import nothing_text
from minerva_insilico.answers.uses import as_text, summary_of_uses, why_of_use
from minerva_insilico.commands.incomplete import page_to_json, write_answer
from minerva_insilico.core.facts.language import PYTHON
from minerva_insilico.core.fields.elsewhere import Elsewhere
from minerva_insilico.core.fields.usage import JudgedUses
from minerva_insilico.core.fields.verdict import BY_NAME
from minerva_insilico.core.index.index import Hit, Page
from minerva_insilico.core.index.indexer import Indexed
from minerva_insilico.core.index.tally import Tally
from minerva_insilico.core.queries.search import SearchMode, hit_of_use
from minerva_platform.cli_kit import printable, write_text

_MAX_PROBLEMS_SHOWN = 20


def show_indexed(report: Indexed, *, as_json: bool) -> None:
    """Print what an index holds and what could not be read."""
    if as_json:
        write_answer(
            {
                "root": str(report.root),
                "database": str(report.database),
                "files": report.files,
                "parsed": report.parsed,
                "read": report.read,
                "unchanged": report.unchanged,
                "removed": report.removed,
                "failed": [{**asdict(item), "error": item.error} for item in report.failed],
                "skipped": [{"path": i.path, "reason": i.error} for i in report.skipped],
                "ignored": report.ignored,
                "languages": [{**asdict(tally), "hint": tally.hint} for tally in report.languages],
            }
        )
        return
    _print(
        [
            f"{report.parsed:,} of {report.files:,} Python files parsed"
            f" ({report.read:,} files read now, {report.unchanged:,} unchanged,"
            f" {report.removed:,} gone)",
            *(_counts(tally) for tally in report.languages if tally.language != PYTHON),
            *([f"{report.ignored:,} left out by .gitignore"] if report.ignored else []),
            *_problems(
                "not parsed",
                [(_place(item.path, item.line), item.error) for item in report.failed],
            ),
            *_problems("not read", [(item.path, item.error) for item in report.skipped]),
        ]
    )


def show_hits(page: Page[Hit], mode: SearchMode, *, as_json: bool) -> None:
    """Print results, one a line, and how many there are in all."""
    if as_json:
        write_answer(page_to_json(page.total, [asdict(hit) for hit in page.items]))
        return
    cut = [f"Shown: {page.shown:,} of {page.total:,}."] if page.truncated else []
    nothing = [] if page.total else [nothing_text(mode, "en")]
    _print([*(_line(hit) for hit in page.items), *cut, *nothing])


def show_uses(
    answers: Sequence[JudgedUses],
    elsewhere: Sequence[Elsewhere],
    python_files: int,
    *,
    limit: int,
    lists: bool,
    as_json: bool,
) -> None:
    """Print uses, certain ones first, then what was left out, and what is no Python."""
    uses = sorted((use for one in answers for use in one.uses), key=lambda use: use.score < 1)
    others = [use for one in answers for use in one.left_out]
    hits = [hit_of_use(use) for use in uses[:limit]]
    left_out = [hit_of_use(use) for use in others[:limit]] if lists else []
    texts = [hit for one in elsewhere for hit in one.lines.items]
    reasons = Counter(use.reason for use in others)
    if as_json:
        files = {name: count for one in elsewhere for name, count in one.files.items()}
        unread = max((one.unread for one in elsewhere), default=0)
        write_answer(
            {
                **page_to_json(len(uses), [asdict(hit) for hit in hits]),
                "certain": sum(use.score == 1 for use in uses),
                "left_out": {"total": len(others), "reasons": reasons}
                | ({"hits": [asdict(hit) for hit in left_out]} if lists else {}),
                "as_text": {
                    **page_to_json(
                        sum(one.lines.total for one in elsewhere), [asdict(hit) for hit in texts]
                    ),
                    "files": files,
                    "unread": unread,
                },
            }
        )
        return
    note = [f"Shown: {len(hits):,} of {len(uses):,}."] if len(hits) < len(uses) else []
    summary = summary_of_uses(uses, others, "en")
    _print(
        [
            *(_line(hit) for hit in hits),
            *note,
            *([] if uses else [nothing_text("field_uses", "en")]),
            f"{summary} Looked at: {python_files:,} Python files.",
            *(_line(hit) for hit in left_out),
            *(said for one in elsewhere for said in [as_text(one, "en")]),
            *(_line(hit) for hit in texts),
        ]
    )


def _line(hit: Hit) -> str:
    """Return `path:line: why symbol → target: code`, as editors and people take it."""
    names = " → ".join(name for name in (hit.symbol, hit.target) if name)
    further = f" +{hit.depth}" if hit.depth else ""
    is_judged = hit.reason not in {"", BY_NAME.reason}
    certainty = f"{why_of_use(hit.score, hit.reason, 'en')}: " if is_judged else ""
    said = " ".join(part for part in (f"{hit.why}{further}", names) if part)
    return f"{_place(hit.path, hit.line)}: {certainty}{said}: {hit.snippet}"


def _counts(tally: Tally) -> str:
    if tally.hint:
        return f"{tally.language}: {tally.files:,} not parsed, text alone; else: {tally.hint}"
    return f"{tally.language}: {tally.parsed:,} of {tally.files:,} parsed"


def _problems(title: str, items: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"{title}: {place}: {reason}" for place, reason in items[:_MAX_PROBLEMS_SHOWN]]
    left = len(items) - len(lines)
    return [*lines, *([f"{title}: {left:,} more; --json has them all"] if left else [])]


def _place(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        write_text(printable(line.replace("\n", " ")))
