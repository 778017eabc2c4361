"""What `minerva eval` shows: figures, groups, a confusion table, and each wrong request."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from minerva_platform.cli.io.escape import harmless
from minerva_platform.evaluation.figures import Figures, Share, Verdict, confusion, groups_of, tally
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.training", "eval")

_MAX_TEXT: Final = 400
"""Characters of a wrong request, or of a part of it, that are shown."""


def draw(verdicts: Sequence[Verdict], *, file: Path, is_run: bool, language: Language) -> Group:
    """Return all that is shown of `verdicts`."""
    return Group(
        Text(harmless(str(file)), "bold cyan", overflow="fold"),
        Text(TEXTS("ran" if is_run else "planned", language, count=len(verdicts))),
        *_figure_lines(verdicts, language),
        Text(""),
        _group_table(verdicts, language),
        Text(""),
        _confusion_table(verdicts, language),
        *_wrong_lines(verdicts, language),
    )


def _figure_lines(verdicts: Sequence[Verdict], language: Language) -> Iterator[RenderableType]:
    figures, table = tally(verdicts), _grid()
    for name in (field.name for field in fields(Figures)):
        share: Share = getattr(figures, name)
        if share.of:
            count = TEXTS("count", language, count=share.count, of=share.of)
            table.add_row(TEXTS(f"figure.{name}", language), _number(share), count)
    yield Padding(table, (0, 0, 0, 2))
    unjudged = sum(len(v.case.facts) for v in verdicts if v.outcome.answer is None)
    failed = sum(verdict.outcome.status == "failed" for verdict in verdicts)
    if unjudged:
        yield Text(f"  {TEXTS('facts_unjudged', language, count=unjudged)}", "dim")
    if failed:
        yield Text(f"  {TEXTS('failed', language, count=failed)}", "yellow")


def _group_table(verdicts: Sequence[Verdict], language: Language) -> Table:
    table = _grid(TEXTS.row("groups", language))
    for name, groups in groups_of(verdicts).items():
        for number, (key, several) in enumerate(groups.items()):
            figures = tally(several)
            title = TEXTS(f"group.{name}", language) if number == 0 else ""
            shares = map(_number, (figures.right, figures.exact, figures.recall))
            table.add_row(title, harmless(key), f"{len(several):,}", *shares)
    return table


def _confusion_table(verdicts: Sequence[Verdict], language: Language) -> Table:
    table = _grid(TEXTS.row("confusion", language))
    for expected, asked, count in confusion(verdicts):
        style = "" if expected == asked else "yellow"
        names = (_names(expected, language), _names(asked, language))
        table.add_row(*(Text(text, style) for text in (*names, f"{count:,}")))
    return table


def _wrong_lines(verdicts: Sequence[Verdict], language: Language) -> Iterator[RenderableType]:
    wrong = [verdict for verdict in verdicts if not verdict.is_right]
    if wrong:
        yield Text("")
        yield Text(TEXTS("wrong", language, count=len(wrong)), "bold")
    for verdict in wrong:
        where = verdict.case.where.rpartition(":")[2]
        yield Text("")
        yield Text(f"{harmless(verdict.case.id)}:{where} ", "cyan").append(
            _short(verdict.case.text), "default"
        )
        yield Padding(_wrong_table(verdict, language), (0, 0, 0, 2))


def _wrong_table(verdict: Verdict, language: Language) -> Table:
    case, outcome, table = verdict.case, verdict.outcome, _grid()
    for key, teams, workers in (
        ("expected", case.teams, case.workers),
        ("asked", outcome.teams, sorted(outcome.workers)),
    ):
        inner = f" ({', '.join(workers)})" if workers else ""
        table.add_row(TEXTS(key, language), f"{_names(sorted(teams), language)}{inner}")
    for decision in outcome.decisions:
        ranked = sorted(decision.scores.items(), key=lambda item: -item[1])
        if ranked:
            said = "  ".join(f"{name} {score:.2f}" for name, score in ranked)
            if decision.margin is not None:
                said += f"  {TEXTS('margin', language, margin=decision.margin)}"
            table.add_row(TEXTS("scores", language), f"{decision.path}: {said}")
    for part in outcome.unserved:
        table.add_row(TEXTS("unserved", language), _short(part))
    for fact in verdict.missing_facts:
        table.add_row(TEXTS("missing", language), _short(fact))
    return table


def _grid(header: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=bool(header), header_style="dim")
    for title in header or ("", "", ""):
        table.add_column(title, overflow="fold")
    return table


def _names(names: Iterable[str], language: Language) -> str:
    return ", ".join(names) or TEXTS("nobody", language)


def _number(share: Share) -> str:
    return "" if share.value is None else f"{share.value:.3f}"


def _short(text: str) -> str:
    shown = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
    return harmless(shown)
