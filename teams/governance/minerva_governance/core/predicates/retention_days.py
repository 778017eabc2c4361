"""`retention_days`: the rule, the notice and the schema agree how long data is kept.

`max` is a limit: whatever states a longer period breaks it, and a shorter one meets it. `min` asks
for a period at least, and a bare number for just that many days. An end that is no number of days
("until you leave") is quoted and not evaluated. Where the rows of a table are there, their dates
say whether they are past the limit (`kept_rows.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_governance.core.predicates.kept_rows import kept_rows, of_rows, with_rows
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, told_place
from minerva_governance.core.review.finding import Finding, Promise, Reference
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.retention_words import exception, kept_periods, plain_periods


@dataclass(frozen=True)
class _Period:
    """Who states a period, how long, and the words."""

    who: str
    days: tuple[int, ...]
    plain: tuple[int, ...]
    """Those of `days` that hold without the exception."""
    unclear: str
    exception: str
    """What lets the data be kept longer all the same."""
    quote: str
    place: Reference
    clause: str = ""
    """The clause of the notice; empty for what the schema states."""

    @property
    def quotation(self) -> str:
        """Its words with the line where they stand."""
        return f"“{self.quote}”{told_place(self.place)}"

    @property
    def promise(self) -> Promise | None:
        """What it promises to the people, if a notice states it."""
        if not self.clause or self.place.line is None:
            return None
        return Promise(
            kind="retention",
            clause=self.clause,
            quote=self.quote,
            source=self.place.source,
            line=self.place.line,
        )

    def __str__(self) -> str:
        return f"{self.who}: {', '.join(map(str, self.days))}"


def retention_days(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each table of the rule's tag, and its rows; without tables, for the tag itself."""
    tag = check.rule.tag
    notice_periods = [
        _clause_to_period(check, clause)
        for clause in check.review.clauses
        if clause.periods or clause.unclear_period or clause.exception
    ]
    tables = [
        (table, Reference(source=schema.source, line=table.line, quote=table.comment))
        for schema in check.review.schemas
        for table in schema.tables
        if check.covers(table.name, is_dataset=False)
    ]
    rows = kept_rows(check, [table.name for table, _ in tables])
    for table, place in tables:
        kept = kept_periods(table.comment)
        own = () if table.retention_days is None else (table.retention_days,)
        days, plain = (*kept.days, *own), (*plain_periods(table.comment), *own)
        quote = "; ".join(filter(None, (table.comment, table.retention_quote)))
        who = TEXTS("retention_days.schema", check.language)
        schema_period = _Period(
            who, days, plain, kept.unclear, exception(table.comment), quote, place
        )
        finding = _judge(
            check, table.name, schema_period if days or kept.unclear else None, notice_periods
        )
        yield with_rows(check, finding, [one for one in rows if one.table == table.name])
    yield from of_rows(check, [one for one in rows if not one.table])
    if tables:
        return
    # Each of several notices speaks for itself: one over the limit breaks no other's promise.
    by_notice: dict[str, list[_Period]] = {}
    for each in notice_periods:
        by_notice.setdefault(each.place.source, []).append(each)
    if len(by_notice) > 1:
        for name, periods in by_notice.items():
            yield _without_tables(check, name, periods)
    else:
        yield _without_tables(check, tag or "*", notice_periods)


def _clause_to_period(check: RuleCheck, clause: Clause) -> _Period:
    key = "retention_days.hidden_notice" if clause.is_hidden else "retention_days.notice"
    return _Period(
        TEXTS(key, check.language, clause=clause.id),
        clause.periods,
        tuple(each for each in clause.periods if each not in clause.excepted_periods),
        clause.unclear_period,
        clause.exception,
        clause.text,
        Reference(source=clause.source, line=clause.line, quote=clause.text),
        "" if clause.is_hidden else clause.id,
    )


def _without_tables(check: RuleCheck, target: str, notice_periods: Sequence[_Period]) -> Finding:
    """Judge the notice alone: it may break the rule; that tables keep it was not seen.

    Where tables were seen and none carries the rule's tag, the notice may be about those tables.
    """
    finding = _judge(check, target, None, notice_periods)
    if finding.status == "fail" and any(schema.tables for schema in check.review.schemas):
        reason = TEXTS("retention_days.no_tagged_table", check.language, evidence=finding.evidence)
        return check.not_evaluated(target, reason, citations=finding.citations)
    # A notice alone can break a rule, but not meet it: tables may keep data longer.
    if finding.status != "pass":
        return finding
    reason = TEXTS("retention_days.no_table", check.language, evidence=finding.evidence)
    return check.not_evaluated(target, reason, citations=finding.citations)


def _judge(
    check: RuleCheck, target: str, schema_period: _Period | None, notice_periods: Sequence[_Period]
) -> Finding:
    rule = check.rule
    periods = [*([schema_period] if schema_period else []), *notice_periods]
    cited = (
        Reference(source=rule.source, line=rule.line, quote=rule.title),
        *(each.place for each in periods),
    )
    exceptions = _quote_exceptions(check, periods)
    conflicts = list(_too_long(check, periods))
    # Where an exception lets data be kept longer, a period may be neither too short nor a promise.
    unkept = [*_too_short(check, periods), *_beyond_promise(check, schema_period, notice_periods)]
    open_conflicts = [text for text, _ in unkept]
    breaks = tuple(dict.fromkeys(filter(None, (one.promise for _, one in unkept))))
    conflicts += [] if exceptions else open_conflicts
    if conflicts:
        evidence = "; ".join(dict.fromkeys([*conflicts, *([exceptions] if exceptions else [])]))
        fields = {"evidence": evidence, "citations": cited, "breaks": breaks}
        return check.finding("fail", target, count=1, total=1, **fields)
    reason = exceptions or _unknown(check, schema_period, periods)
    if reason:
        evidence = "; ".join(dict.fromkeys(open_conflicts))
        fields = {"evidence": evidence, "citations": cited, "breaks": breaks}
        return check.not_evaluated(target, reason, must_decide=bool(unkept), **fields)
    limits = " ".join(f"{key}={days}" for key, days in check.requirement.argument.items())
    evidence = ", ".join([f"{rule.id} {limits}", *map(str, periods)])
    return check.pass_finding(target, evidence=evidence, total=1, citations=cited)


def _quote_exceptions(check: RuleCheck, periods: Sequence[_Period]) -> str:
    """Return the words that let data be kept longer than stated, or ""."""
    words = "; ".join(
        f"{each.who}: “{each.exception}”{told_place(each.place)}"
        for each in periods
        if each.exception
    )
    return TEXTS("retention_days.exception", check.language, words=words) if words else ""


def _too_long(check: RuleCheck, periods: Sequence[_Period]) -> Iterator[str]:
    """Give the periods longer than `max` that are stated without an exception."""
    rule, language = check.rule, check.language
    longest = check.requirement.argument.get("max")
    for each in periods:
        too_long = [days for days in each.plain if longest is not None and days > longest]
        if too_long:
            yield TEXTS(
                "retention_days.too_long",
                language,
                who=each.who,
                days=max(too_long),
                rule=rule.id,
                limit=longest,
                quote=each.quotation,
            )


def _too_short(check: RuleCheck, periods: Sequence[_Period]) -> Iterator[tuple[str, _Period]]:
    """Give the longest of the stated periods, with a sentence, if all are below `min`."""
    rule, language = check.rule, check.language
    least = check.requirement.argument.get("min")
    known = [each for each in periods if each.days]
    if least is None or not known:
        return
    most = max(known, key=lambda each: max(each.days))
    if max(most.days) < least:
        text = TEXTS(
            "retention_days.too_short",
            language,
            rule=rule.id,
            limit=least,
            who=most.who,
            days=max(most.days),
            quote=most.quotation,
        )
        yield text, most


def _beyond_promise(
    check: RuleCheck, schema_period: _Period | None, notice_periods: Sequence[_Period]
) -> Iterator[tuple[str, _Period]]:
    """Give the longest period of the notice, with a sentence, if the schema keeps data longer."""
    known = [each for each in notice_periods if each.days]
    if schema_period is None or not schema_period.days or not known:
        return
    longest = max(known, key=lambda each: max(each.days))
    kept, days = max(schema_period.days), max(longest.days)
    if kept > days:
        text = TEXTS(
            "retention_days.beyond_promise",
            check.language,
            kept=kept,
            who=longest.who,
            days=days,
            quote=longest.quotation,
        )
        yield text, longest


def _unknown(check: RuleCheck, schema_period: _Period | None, periods: Sequence[_Period]) -> str:
    """Return why nothing can be said, or ""."""
    if not any(each.days or each.unclear or each.exception for each in periods):
        return TEXTS("retention_days.not_stated", check.language)
    unclear = [f"{each.who}: “{each.unclear}”" for each in periods if each.unclear]
    if unclear:
        return TEXTS("retention_days.unclear", check.language, words="; ".join(unclear))
    least = check.requirement.argument.get("min")
    kept = max(schema_period.days) if schema_period else least
    stating = [each for each in periods if each.days]
    short = [each.who for each in stating if kept is not None and min(each.days) < kept]
    if short:
        names = ", ".join(dict.fromkeys(short))
        return TEXTS("retention_days.several", check.language, names=names)
    return ""
