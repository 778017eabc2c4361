"""The annex of a report: the long lists."""

from collections.abc import Iterator

from minerva_governance.answers.finding_context import (
    TEXTS as STANDING,
    Standing,
    told_clauses,
    told_standing,
)
from minerva_governance.answers.report.blocks import Block, Cell, Row, Script, table
from minerva_governance.answers.report.body import Part
from minerva_governance.answers.report.document import PersonalColumn
from minerva_governance.answers.report.summary import TEXTS as REPORT_TEXTS
from minerva_governance.answers.report.wording import MARK, USES, Wording
from minerva_governance.core.detection.entity import label


def annex_of(words: Wording) -> Iterator[Part]:
    """Yield the parts of the annex in their order."""
    yield _inventory(words)
    yield _flows(words)
    yield _columns(words)
    yield _code(words)
    if words.document.migration is not None:
        script = Script(words.document.migration.sql)
        question = words.document.migration
        yield (
            words.text("migration"),
            [*words.decision(), words.text(f"migration_note.{question.state}"), script],
        )
    yield _inputs(words)
    found = words.document.docstrings
    if found is not None:
        percent = "-" if found.percent is None else f"{found.percent:.1f}"
        said = words.text("docstrings", total=found.total, covered=found.covered, percent=percent)
        yield words.text("docstrings_title"), [said]
    yield words.text("teams"), _teams(words)


def _inventory(words: Wording) -> Part:
    document = words.document
    certain = {each.target for each in document.inventory if not each.suspected}
    every = {each.target for each in document.inventory}
    counted = words.text(
        "inventory_count",
        seen=document.columns_looked_at,
        found=len(every),
        certain=len(certain),
        suspected=len(every - certain),
    )
    title = words.text("inventory", found=len(every))
    names = document.other_columns
    others = [words.text("other_columns", count=len(names), names=words.join(names))]
    if not document.inventory:
        return title, [counted, *(others if names else ())]
    rows = [_personal(words, each) for each in document.inventory]
    found = table("personal", words.row("inventory_header"), rows)
    note = words.text("inventory_note")
    return title, [f"{counted} {note}", found, *(others if names else ())]


def _personal(words: Wording, column: PersonalColumn) -> Row:
    sure = words.text("suspected" if column.suspected else "certain")
    values = words.text("matching", count=column.hits, total=column.sampled)
    if column.proved_by:
        values = words.text("proved_by", column=column.proved_by)
    elif column.declared:
        values = REPORT_TEXTS("not_seen", words.language)
    if column.has_no_shape:
        values = STANDING("no_shape", words.language, count=column.sampled)
    shown = ""
    if column.evidence:
        first = column.evidence[0]
        shown = words.text("row", row=first.row, shown=first.text)
    # Why a rule is open stands once, in the body.
    stands = Standing(column.standing, column.standing_rules, "", column.standing_open)
    return [
        Cell(column.target, kind="name"),
        label(column.entity, words.language),
        told_standing(stands, words.language),
        f"{sure} ({words.text(f'by.{column.by}')})",
        Cell(values, shown),
    ]


def _flows(words: Wording) -> Part:
    flows = words.document.flows
    title = words.text("flows", count=len(flows))
    rows: list[Row] = [
        [
            Cell(flow.name, kind="name"),
            label(flow.entity, words.language),
            words.text(f"sink.{flow.sink}", host=flow.destination).strip(),
            Cell(f"{flow.path}:{flow.line}", flow.via and words.text("via", via=flow.via)),
            words.text("suspected" if flow.suspected else "certain"),
            told_clauses("; ".join(map(str, flow.breaks)), words.language),
        ]
        for flow in flows
    ]
    return title, [table("flows", words.row("flows_header"), rows)] if rows else []


def _columns(words: Wording) -> Part:
    columns = words.document.columns
    if columns is None:
        return "", []
    rows: list[Row] = [
        [
            Cell(f"{each.table}.{each.column}", kind="name"),
            Cell(each.physical_name or words.text("no_name"), kind="name"),
            words.text(f"status.{each.status}"),
            Cell(each.domain or "", each.data_type or ""),
            each.subject_area or "",
            each.citation,
        ]
        for each in columns.items
    ]
    title = words.text("columns", total=columns.total)
    header = words.row("columns_header")
    return title, [words.text("columns_note"), table("standard", header, rows)]


def _code(words: Wording) -> Part:
    """Return the lines that use a column which is to be renamed, column by column."""
    code, columns = words.document.code, words.document.columns
    if code is None:
        return "", []
    groups: dict[tuple[str, str], list[str]] = {}
    for use in code.breaking:
        groups.setdefault((use.column, use.new_name), []).append(f"{use.path}:{use.line}")
    rows: list[Row] = [
        [Cell(old, kind="name"), Cell(new, kind="name"), Cell(str(len(places)), kind="number"),
         words.join(places, USES)]
        for (old, new), places in groups.items()
    ]  # fmt: skip
    lines = len({(use.path, use.line) for use in code.breaking})
    title = words.text("code", lines=lines)
    blocks: list[Block] = []
    if rows:
        note = words.text("code_note", lines=lines, uses=len(code.breaking))
        blocks += [note, table("uses", words.row("code_header"), rows)]
    used = {use.column.casefold() for use in code.breaking}
    left = [
        f"{each.table}.{each.column} → {each.physical_name}"
        for each in (columns.items if columns else ())
        if each.status == "renamed" and each.column.casefold() not in used
    ]
    if left:
        key = "unused_cut" if code.truncated else "unused"
        blocks.append(words.text(key, count=len(left), names=", ".join(left)))
    if code.unparsed:
        blocks.append(words.text("unparsed", names=", ".join(code.unparsed)))
    return title, blocks


def _inputs(words: Wording) -> Part:
    inputs = words.document.inputs
    rows: list[Row] = [
        [Cell(each.name, kind="name"), words.text(f"kind.{each.kind}"),
         Cell(words.text(f"standing.{each.standing}"), each.why),
         Cell(each.sha256[:MARK], kind="name")]
        for each in inputs
    ]  # fmt: skip
    title = words.text("files_title", count=len(inputs))
    return title, [table("files", words.row("files_header"), rows)] if rows else []


def _teams(words: Wording) -> list[Block]:
    """Return which part of the program gave what."""
    workers = words.document.workers
    rows: list[Row] = [
        [
            words.text(f"gave.{each.gave.replace('.', '_')}"),
            Cell("/".join(filter(None, (each.team, each.worker))), kind="name"),
            words.text(f"worker.{each.state}"),
        ]
        for each in workers
    ]
    is_bypassed = any(each.state == "bypassed" for each in workers)
    told = words.text("teams_text.bypassed" if is_bypassed else "teams_text")
    return [table("teams", words.row("teams_header"), rows), told]
