"""What a report says, in the order in which it is read: a first page, the body, the annex."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from string import ascii_uppercase

from minerva_governance.answers.report.annex import annex_of
from minerva_governance.answers.report.blocks import Block, Contents, Row, Section, Table, table
from minerva_governance.answers.report.body import body_of, unread
from minerva_governance.answers.report.build import APART, GRAVE
from minerva_governance.answers.report.document import (
    AppliedPolicy,
    Document,
    Input,
    NoRule,
    ReportFinding,
)
from minerva_governance.answers.report.wording import MARK, Wording
from minerva_governance.core.review.finding import SEVERITIES

_Parts = Callable[[Wording], Iterator[tuple[str, list[Block]]]]
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MAX_FILES = 3
"""Files of one kind in one folder that the first page names one by one."""


def contents_of(document: Document, *, limit: int | None) -> Contents:
    """Return the contents; lists inside of a cell are cut to `limit` names and say so."""
    words = Wording(document, limit)
    return Contents(
        title=words.text("title"),
        facts=tuple(_facts(words)),
        notes=tuple(_notes(words)),
        opening=document.opening,
        front=tuple(_front(words)),
        body=_number_sections(words, body_of, map(str, count(1))),
        annex=_number_sections(words, annex_of, iter(ascii_uppercase)),
    )


def _number_sections(words: Wording, parts: _Parts, marks: Iterator[str]) -> tuple[Section, ...]:
    """Return the parts that hold something, marked one after the other."""
    held = ((title, blocks) for title, blocks in parts(words) if blocks)
    return tuple(Section(next(marks), title, tuple(blocks)) for title, blocks in held)


def _facts(words: Wording) -> Iterator[tuple[str, str]]:
    """Yield what was reviewed, when, by which policy and notice; what nobody said is left out."""
    document = words.document
    if document.attached:
        yield words.text("fact.attached"), ", ".join(document.attached)
    yield words.text("fact.day"), document.reviewed_on.isoformat()
    decision = list(words.decision())
    if decision:
        yield words.text("fact.decision"), " ".join(decision)
    policies = [_policy(words, policy) for policy in document.policies]
    yield words.text("fact.policy"), "; ".join(policies) or words.text("nothing")
    owners = dict.fromkeys(policy.owner for policy in document.policies if policy.owner)
    if owners:
        yield words.text("fact.owner"), ", ".join(owners)
    notices = [f"{words.quote(each.title)} ({each.source})" if each.title else each.source
               for each in document.notices]  # fmt: skip
    yield words.text("fact.notice"), "; ".join(notices) or words.text("nothing")


def _policy(words: Wording, policy: AppliedPolicy) -> str:
    """Return a policy's id, version, file and the beginning of the file's SHA-256."""
    version = words.text("version", version=policy.version) if policy.version else ""
    mark = words.text("sha256", sha256=policy.sha256[:MARK]) if policy.sha256 else ""
    said = ", ".join(filter(None, (version, policy.source, mark)))
    return f"{policy.id} ({said})" if said else policy.id


def _notes(words: Wording) -> Iterator[str]:
    document = words.document
    for mistake in document.mistakes:
        yield words.text("mistake", text=mistake)
    if document.baseline:
        yield words.text("baseline")


def _front(words: Wording) -> Iterator[Section]:
    """Yield who must act, and what was read: the first page beside the opening."""
    rows = list(_who(words))
    if rows:
        header = words.row("who_header")
        blocks: list[Block] = [table("who", header, rows)]
        gaps = len(words.document.uncovered)
        open_ = sum(each.status == "not_evaluated" and each.predicate not in APART
                    for each in words.document.findings)  # fmt: skip
        if gaps and open_:
            blocks.append(words.text("who_note", open=open_, gaps=gaps))
        yield Section("", words.text("who"), tuple(blocks))
    inputs = _input_table(words)
    if inputs.rows:
        yield Section("", words.text("inputs"), (inputs,))


def _who(words: Wording) -> Iterator[Row]:
    """Yield for each role how many findings it has to mend and to find out, the gravest first."""
    acting: dict[str, list[ReportFinding | NoRule]] = {}
    findings = [each for each in words.document.findings if each.predicate not in APART]
    open_ = [each for each in findings if each.status in {"fail", "not_evaluated"}]
    every: list[ReportFinding | NoRule] = [*open_, *words.document.uncovered]
    for each in sorted(every, key=lambda one: SEVERITIES.index(one.severity)):
        acting.setdefault(each.who, []).append(each)
    for who, found in acting.items():
        mend = [each for each in found if isinstance(each, ReportFinding) and each.status == "fail"]
        grave = sum(each.severity in GRAVE for each in mend)
        key = "mend_grave" if grave else "count"
        yield [
            who,
            words.text(key, count=len(mend), grave=grave),
            words.text("count", count=len(found) - len(mend)),
            _SENTENCE_END.split(next(iter(mend), found[0]).how, maxsplit=1)[0],
        ]


def _input_table(words: Wording) -> Table:
    """Return what was not read, read in part, and read; the reasons stand in the body."""
    files, rest = unread(words.document)
    rows: list[Row] = []
    for standing in ("not_read", "partly", "read"):
        mine = [each for each in words.document.inputs if each.standing == standing]
        if mine and standing == "read":
            said = "; ".join(_of_kind(words, mine))
        else:
            said = words.join(
                (f"{each.name}: {files[each.name][0].rstrip('.')}" for each in mine), mark="; "
            )
        if mine:
            name = words.text(f"standing.{standing}")
            rows.append([words.text("of_table", table=name, count=len(mine)), said])
    if rest:
        rows.append([words.text("besides"), words.join(rest, mark=" ")])
    return table("inputs", words.row("inputs_header"), rows)


def _of_kind(words: Wording, inputs: list[Input]) -> Iterator[str]:
    """Yield `data export.csv`; many files of one kind and folder are counted."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for each in inputs:
        folder = each.name.rpartition("/")[0]
        kinds.setdefault(each.kind, {}).setdefault(folder, []).append(each.name)
    for kind, folders in kinds.items():
        told: list[str] = []
        for folder, names in folders.items():
            if len(names) > _MAX_FILES and words.limit is not None:
                count = words.text("files", count=len(names))
                told.append(f"{folder}/ ({count})" if folder else count)
            else:
                told += names
        yield f"{words.text(f'kind.{kind}')} {words.join(told)}"
