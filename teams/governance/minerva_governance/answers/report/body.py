"""The body of a report: who has to do what, what was not looked at, what is open, the results."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.answers.finding_context import told_clauses, why_open
from minerva_governance.answers.report.blocks import Block, Cell, Items, Row, table
from minerva_governance.answers.report.build import APART, TEXTS as DOCUMENT_TEXTS
from minerva_governance.answers.report.document import Document, Input, NoRule, ReportFinding
from minerva_governance.answers.report.summary import describe_gap
from minerva_governance.answers.report.wording import Wording
from minerva_governance.core.detection.entity import label
from minerva_governance.core.review.finding import SEVERITIES

_MAX_EVIDENCE: Final = 3
_MAX_PLACES: Final = 6
Part = tuple[str, list[Block]]
"""A title with its blocks; without blocks it is left out."""


def body_of(words: Wording) -> Iterator[Part]:
    """Yield the parts of the body in their order."""
    document, text = words.document, words.text
    if document.since is not None:
        yield text("since"), _since(words)
    yield _to_do(words, "to_do", is_apart=False)
    decide = list(_to_decide(words))
    if decide:
        header = words.row("decide_header")
        count = len(_deciding(document)) + len(document.uncovered)
        yield text("decide", count=count), [table("todo", header, decide)]
    broken = list(_broken_promises(words))
    if broken:
        header = words.row("broken_header")
        yield text("broken", count=len(broken)), [table("broken", header, broken)]
    yield text("not_looked_at"), _not_looked_at(words)
    unknown = list(_unknown(words))
    if unknown:
        total, decided = document.counts["not_evaluated"], len(_deciding(document))
        blocks: list[Block] = [table("open", words.row("unknown_header"), unknown)]
        if decided:
            blocks.insert(0, text("unknown_rest", total=total, decide=decided))
        yield text("unknown", count=total - decided), blocks
    waived = list(_waived_findings(words))
    if waived:
        count = document.counts["waived"]
        header = words.row("waived_header")
        yield text("waived", count=count), [table("waived", header, waived)]
    yield text("rules", total=document.total), _rules(words)
    yield text("persons"), _persons(words)
    if any(each.status == "fail" and each.predicate in APART for each in document.findings):
        yield _to_do(words, "apart", is_apart=True)
    yield text("renames"), _renames(words)


def _since(words: Wording) -> list[Block]:
    since = words.document.since
    if since is None:
        return []
    figures = since.model_dump(exclude={"mended_findings"})
    blocks: list[Block] = [DOCUMENT_TEXTS("since", words.language, **figures)]
    return [*blocks, Items(since.mended_findings)] if since.mended_findings else blocks


def _deciding(document: Document) -> list[ReportFinding]:
    """Return what was found and only a person can settle."""
    return [
        each for each in document.findings if each.status == "not_evaluated" and each.must_decide
    ]


def _to_do(words: Wording, title: str, *, is_apart: bool) -> Part:
    """Return the broken rules on privacy, or those that stand apart, the gravest first."""
    broken = [
        each
        for each in words.document.findings
        if each.status == "fail" and (each.predicate in APART) == is_apart
    ]
    rows = [_action(words, group) for group in _group_findings(broken)]
    blocks: list[Block] = [table("todo", words.row("to_do_header"), rows)] if rows else []
    return words.text(title, count=len(broken)), blocks or [words.text("nothing")]


def _to_decide(words: Wording) -> Iterator[Row]:
    """Yield what a person has to decide: periods in conflict, and what no rule is about."""
    rows = [
        (_rank(group), _action(words, group))
        for group in _group_findings(_deciding(words.document))
    ]
    gaps: dict[tuple[str, ...], list[NoRule]] = {}
    for each in words.document.uncovered:
        line = str(each.places[:1]) if each.kind == "flow" else ""
        key = (each.kind, each.severity, str(each.suspected), line, each.destination)
        gaps.setdefault(key, []).append(each)
    rows += [
        (SEVERITIES.index(group[0].severity), _no_rule(words, group)) for group in gaps.values()
    ]
    yield from (row for _, row in sorted(rows, key=lambda pair: pair[0]))


def _group_findings(findings: Iterable[ReportFinding]) -> list[list[ReportFinding]]:
    """Return the findings, the gravest first; targets with the same evidence share a group.

    So do all targets of a rule of low severity: a schema breaks one in every column.
    """
    groups: dict[tuple[str, str, str, str], list[ReportFinding]] = {}
    for each in findings:
        is_name = each.severity == "low"
        key = (each.policy, each.rule_id, "" if is_name else each.evidence, each.reason)
        groups.setdefault(key, []).append(each)
    return sorted(groups.values(), key=_rank)


def _action(words: Wording, group: Sequence[ReportFinding]) -> Row:
    """Return the row of findings that one person mends or decides in one way."""
    first = group[0]
    cited = (f"{one.source}:{one.line}" for one in first.citations if one.line)
    # A promise of the notice is quoted with its place beside what breaks it.
    said = f"{first.evidence} {first.reason}"
    places = [one for one in dict.fromkeys(cited) if f"({one})" not in said]
    return [
        words.severity(first.severity, words.text("places", count=len(group))),
        Cell(_targets(words, group), words.join(places, limit=_MAX_PLACES)),
        Cell(f"{words.quote(first.title)} ({words.rule(first)})", _evidence(words, group)),
        Cell(first.who, _state(words, group)),
        first.how.replace(first.target, _these(words, group)),
    ]


def _no_rule(words: Wording, gaps: Sequence[NoRule]) -> Row:
    """Return the row of columns, or of a line of code, that no rule is about."""
    first = gaps[0]
    targets = tuple(dict.fromkeys(target for each in gaps for target in each.targets))
    places = tuple(dict.fromkeys(place for each in gaps for place in each.places))
    lines = [f"{place.source}:{place.line}" for place in places if place.line is not None]
    every = first.model_copy(
        update={
            "entities": tuple(dict.fromkeys(kind for each in gaps for kind in each.entities)),
            "targets": (_join_names(words, targets),),
            "places": places[:1],
        }
    )
    return [
        words.severity(first.severity, words.text("places", count=len(gaps))),
        Cell(words.by_table(targets), words.join(lines, limit=_MAX_EVIDENCE)),
        Cell(words.text("no_rule"), describe_gap(every, words.language)),
        first.who,
        first.how.replace(", ".join(first.targets), _join_names(words, targets)),
    ]


def _state(words: Wording, group: Sequence[ReportFinding]) -> str:
    """Return what of the group is new beside an earlier review."""
    new = sum(each.state == "new" for each in group)
    return words.text("new", count=new) if new else ""


def _targets(words: Wording, group: Sequence[ReportFinding]) -> str:
    """Return where it is; of one column also what it holds."""
    if len(group) > 1:
        return words.by_table([each.place for each in group])
    place = group[0].place
    held = [
        label(each.entity, words.language)
        for each in words.document.inventory
        if place in {each.target, each.column}
    ]
    return f"{place} ({held[0]})" if held else place


def _these(words: Wording, group: Sequence[ReportFinding]) -> str:
    return _join_names(words, tuple(dict.fromkeys(each.target for each in group)))


def _join_names(words: Wording, names: Sequence[str]) -> str:
    """Return a few names, or how many there are: all of them stand beside."""
    if len(names) <= _MAX_EVIDENCE:
        return ", ".join(names)
    return words.text("these", count=len(names))


def _evidence(words: Wording, group: Sequence[ReportFinding]) -> str:
    """Return what was found; of many different ones the first three as examples."""
    said = dict.fromkeys(f"{each.evidence} {each.reason}".strip() for each in group)
    if words.limit is None or len(said) <= _MAX_EVIDENCE:
        return "; ".join(said)
    return words.text("for_example", examples="; ".join(list(said)[:_MAX_EVIDENCE]))


def _broken_promises(words: Wording) -> Iterator[Row]:
    """Yield what the notice promises, what does not keep it, who acts, and how."""
    broken: dict[str, dict[str, str]] = {}
    for flow in words.document.flows:
        for promise in flow.breaks:
            place = f"{flow.path}:{flow.line}"
            sink = words.text(f"sink.{flow.sink}", host=flow.destination).strip()
            kind = label(flow.entity, words.language)
            line = words.text("goes", place=place, name=flow.name, kind=kind, sink=sink)
            broken.setdefault(str(promise), {})[line] = flow.name
    for said, lines in broken.items():
        names = ", ".join(dict.fromkeys(lines.values()))
        yield [
            told_clauses(said, words.language),
            words.join(lines, mark="; "),
            DOCUMENT_TEXTS("who.sink", words.language),
            DOCUMENT_TEXTS("how.sink", words.language, target=names),
        ]
    # What data, schema or rule break; of code the flows are named above.
    told: dict[tuple[str, ...], list[ReportFinding]] = {}
    for each in words.document.findings:
        for promise in each.breaks if each.predicate != "sink" else ():
            how = each.how.replace(each.target, "")
            told.setdefault((str(promise), each.rule_id, each.who, how), []).append(each)
    for (said, _, who, _), group in told.items():
        yield [
            told_clauses(said, words.language),
            words.join(f"{each.place} ({words.rule(each)})" for each in group),
            who,
            group[0].how.replace(group[0].target, _these(words, group)),
        ]


def unread(document: Document) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return why each file was not read, or in part, and what else was not looked at."""
    names = {each.name: each.why for each in document.inputs if each.standing != "read"}
    why: dict[str, dict[str, None]] = {name: {} for name in names}
    rest: list[str] = []
    for sentence in document.not_looked_at:
        name, _, reason = sentence.partition(": ")
        of = name if name in names else name.rpartition(":")[0]
        if of in names:
            why[of][reason] = None
        else:
            rest.append(sentence)
    told = {name: tuple(said) or (names[name],) for name, said in why.items()}
    return told, (*rest, *document.missing.values())


def _not_looked_at(words: Wording) -> list[Block]:
    """Return the files that were not read, with who acts, and what no review of this kind sees."""
    files, rest = unread(words.document)
    inputs = {each.name: each for each in words.document.inputs}
    rows = [_unread(words, inputs[name], reasons) for name, reasons in files.items()]
    blocks: list[Block] = [table("unread", words.row("unread_header"), rows)] if rows else []
    if rows and rest:
        blocks.append(words.text("besides"))
    return [*blocks, Items(rest)] if rest else blocks


def _unread(words: Wording, one: Input, reasons: Sequence[str]) -> Row:
    is_prose = one.kind == "other"
    return [
        Cell(one.name, words.text(f"standing.{one.standing}")),
        " ".join(map(words.sentence, reasons)),
        DOCUMENT_TEXTS(f"who_unread.{one.kind}", words.language),
        words.text("look_yourself") if is_prose
        else DOCUMENT_TEXTS("how_unread", words.language, target=one.name),
    ]  # fmt: skip


def _unknown(words: Wording) -> Iterator[Row]:
    """Yield what is open: a row a rule and reason, and one for a file that several rules need."""
    files, _ = unread(words.document)
    groups: dict[tuple[str, str], list[ReportFinding]] = {}
    for each in words.document.findings:
        if each.status == "not_evaluated" and not each.must_decide:
            is_file = each.target in files
            key = ("", each.target) if is_file else (words.rule(each), why_open(each))
            groups.setdefault(key, []).append(each)
    ranked = sorted(groups.values(), key=_rank)
    for group in ranked:
        first = min(group, key=lambda one: SEVERITIES.index(one.severity))
        count = words.text("places", count=len(group))
        severity = DOCUMENT_TEXTS(f"severity.{first.severity}", words.language)
        yield [
            Cell(words.join(map(words.rule, group)), f"{severity}, {count}"),
            words.join(each.place for each in group),
            " ".join(map(words.sentence, files.get(first.target) or _whys(group))),
            first.who,
            first.how.replace(first.target, _these(words, group)),
        ]


def _whys(group: Sequence[ReportFinding]) -> list[str]:
    """Return what was found all the same, then why nothing could be decided."""
    parts = [f"{one.evidence}." if one.evidence and one.evidence not in one.reason else ""
             for one in group]  # fmt: skip
    return list(dict.fromkeys(filter(None, (*parts, *(one.reason for one in group)))))


def _rank(group: Sequence[ReportFinding]) -> int:
    return min(SEVERITIES.index(each.severity) for each in group)


def _waived_findings(words: Wording) -> Iterator[Row]:
    groups: dict[tuple[str, ...], list[ReportFinding]] = {}
    for each in words.document.findings:
        if each.status == "waived":
            until = each.until.isoformat() if each.until else ""
            reason = each.reason.removesuffix(f" ({each.who})")
            groups.setdefault((words.rule(each), until, reason, each.who), []).append(each)
    for (rule, until, reason, who), group in groups.items():
        yield [
            Cell(rule, words.text("places", count=len(group))),
            words.join(each.place for each in group),
            Cell(words.quote(reason)),
            who,
            Cell(until, group[0].how),
        ]


def _rules(words: Wording) -> list[Block]:
    rows: list[Row] = [
        [
            Cell(words.rule(rule), kind="name"),
            Cell(words.quote(rule.title), _origin(words, rule.title_other, rule.authority)),
            words.severity(rule.severity),
            *(
                Cell(str(count), kind="number")
                for count in (rule.fail, rule.waived, rule.not_evaluated, rule.passed, rule.total)
            ),
        ]
        for rule in sorted(words.document.rules, key=lambda one: SEVERITIES.index(one.severity))
    ]
    counts = words.document.counts
    figures = (*(counts[key] for key in ("fail", "waived", "not_evaluated", "pass")),
               words.document.total)  # fmt: skip
    total: Row = [Cell(""), Cell(words.text("total")), Cell(""),
             *(Cell(str(count), kind="number") for count in figures)]  # fmt: skip
    return [table("rules", words.row("rules_header"), [*rows, total])] if rows else []


def _origin(words: Wording, other: str, authority: Sequence[str]) -> str:
    """Return a rule's title in the other language, and the laws it names, marked as quotations."""
    laws = words.quote(", ".join(authority)) if authority else ""
    told = words.text("authority", titles=laws) if laws else ""
    return ". ".join(filter(None, (words.quote(other) if other else "", told)))


def _persons(words: Wording) -> list[Block]:
    """Return whether people can be told apart, and where an impact assessment may be due."""
    document = words.document
    rows: list[Row] = []
    for each in document.findings:
        if "k" in each.measures and each.status == "fail":
            said = words.sentence(each.evidence)
            rows.append([f"{each.place} ({words.rule(each)})", said, each.who, each.how])
    officer = DOCUMENT_TEXTS("who.impact", words.language)
    how = DOCUMENT_TEXTS("how.impact", words.language)
    rows.extend([words.text("impact"), hint.text, officer, how] for hint in document.impact)
    return [table("persons", words.row("persons_header"), rows)] if rows else []


def _renames(words: Wording) -> list[Block]:
    """Return what the standard names come to, with who acts; the annex has the lists."""
    document = words.document
    if document.columns is None:
        return []
    blocks: list[Block] = [
        words.text("columns_count", **document.columns.model_dump(exclude={"items"}))
    ]
    rows: list[Row] = []

    def ask(key: str, what: str) -> None:
        rows.append(
            [what, *(DOCUMENT_TEXTS(f"{part}.{key}", words.language) for part in ("who", "how"))]
        )

    asked = document.migration
    if asked is not None:
        answer = " ".join(words.decision()) or DOCUMENT_TEXTS(
            "migration.asks", words.language, count=asked.renames
        )
        ask("migration" if asked.state == "asked" else f"migration.{asked.state}", answer)
        if asked.waived:
            about = {"count": len(asked.waived), "names": ", ".join(asked.waived)}
            ask("rename_waived", DOCUMENT_TEXTS("migration.waived", words.language, **about))
        for warning in asked.warnings:
            ask("types", warning)
    code = document.code
    if code is not None and code.breaking:
        figures = {"uses": len(code.breaking), "lines": code.lines, "files": code.files}
        ask("code", words.text("code_count", **figures))
    return [*blocks, table("renames", words.row("renames_header"), rows)] if rows else blocks
