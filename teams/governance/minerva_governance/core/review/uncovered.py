"""What was found and no rule of the policy is about: kinds of personal data, and where they go.

A rule is about a column if it asks how the data is kept from others: encrypted, not sent by code,
or mixed with enough people. That a notice names a column, that its name is the standard's, or that
its table is destroyed one day keeps it from nobody. Rules on code say nothing of a file's columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel

from minerva_governance.core.detection.entity import Entity, category
from minerva_governance.core.detection.inventory import PiiColumn, by_importance
from minerva_governance.core.policy.policy import Policy, Rule, Severity
from minerva_governance.core.policy.precedence import in_force
from minerva_governance.core.policy.sink_name import sink_name
from minerva_governance.core.predicates.rule_check import RuleCheck
from minerva_governance.core.review.finding import SEVERITIES, Reference
from minerva_governance.core.review.personal_flow import PersonalFlow, personal_flows
from minerva_governance.core.review.review import Review

_SEVERITY: Final[Mapping[str | None, Severity]] = {
    **dict.fromkeys(("health", "special", "unique_identifier", "financial", "credential"), "high"),
    **dict.fromkeys(("contact", "name", "location"), "medium"),
}
"""No rule gives one, so it is by how the law protects the kind; of all others it is low."""


class CoverageGap(BaseModel, frozen=True):
    """Personal data, or lines of code that send it, of which no rule says anything."""

    kind: Literal["data", "schema", "flow"]
    """Columns of data files, columns that schemas and code declare, or a line of code."""
    severity: Severity
    entities: tuple[Entity, ...]
    targets: tuple[str, ...]
    """The columns; of a flow the names that the code gives them."""
    sink: str = ""
    destination: str = ""
    suspected: bool = False
    """True if no value or code proves any of it."""
    places: tuple[Reference, ...] = ()


def find_coverage_gaps(review: Review, policies: Sequence[Policy]) -> tuple[CoverageGap, ...]:
    """Return the columns by kind, the most protected first, then the flows by place."""
    rules = [
        RuleCheck(review, policy, rule, requirement)
        for policy, rule in in_force(policies)
        for requirement in rule.requirements
    ]
    gaps = [*_columns(review, rules), *_flows(review, rules)]
    return tuple(sorted(gaps, key=lambda each: SEVERITIES.index(each.severity)))


def _columns(review: Review, rules: Sequence[RuleCheck]) -> Iterator[CoverageGap]:
    files = {scan.table for scan in review.scans if scan.is_dataset}
    groups: dict[tuple[Entity, bool], list[PiiColumn]] = {}
    for column in by_importance(review.columns):
        is_file = column.table in files
        if not any(_is_about(check, column, is_file=is_file) for check in rules):
            groups.setdefault((column.entity, is_file), []).append(column)
    for (entity, is_file), columns in groups.items():
        yield CoverageGap(
            kind="data" if is_file else "schema",
            severity=_severity(entity),
            entities=(entity,),
            targets=tuple(dict.fromkeys(each.target for each in columns)),
            suspected=all(each.suspected for each in columns),
            places=tuple(
                dict.fromkeys(Reference(source=each.source, line=each.line) for each in columns)
            ),
        )


def _severity(entity: Entity) -> Severity:
    return _SEVERITY.get(category(entity), "low")


def _is_about(check: RuleCheck, column: PiiColumn, *, is_file: bool) -> bool:
    argument, rule = check.requirement.argument, check.rule
    match check.requirement.predicate:
        case "encrypted":
            return column in check.personal_columns()
        case "k_anonymity" | "l_diversity":
            asked = (*sum(check.requirement.quasi_sets, ()), *argument.get("sensitive", ()))
            is_asked = column.column.casefold() in map(str.casefold, asked)
            return is_asked and check.covers(column.table, is_dataset=is_file)
        case "sink":
            return not is_file and _has_kind(rule, column.entity)
        case _:
            return False


def _has_kind(rule: Rule, entity: Entity) -> bool:
    return not rule.pii or entity in rule.pii


def _flows(review: Review, rules: Sequence[RuleCheck]) -> Iterator[CoverageGap]:
    groups: dict[tuple[str, int, str, str], list[PersonalFlow]] = {}
    for flow in personal_flows(review):
        if not any(_forbids(check, flow) for check in rules):
            place = (flow.path, flow.line, flow.sink, flow.destination)
            groups.setdefault(place, []).append(flow)
    for (path, line, sink, destination), flows in groups.items():
        entities = tuple(dict.fromkeys(flow.entity for flow in flows))
        severities: list[Severity] = [_severity(entity) for entity in entities]
        gravest = min(severities, key=SEVERITIES.index)
        yield CoverageGap(
            kind="flow",
            severity=gravest,
            entities=entities,
            targets=tuple(dict.fromkeys(flow.name for flow in flows)),
            sink=sink,
            destination=destination,
            suspected=all(flow.suspected for flow in flows),
            places=(Reference(source=path, line=line),),
        )


def _forbids(check: RuleCheck, flow: PersonalFlow) -> bool:
    """True if a rule speaks of what arrives there, whatever it comes to."""
    if check.requirement.predicate != "sink" or not _has_kind(check.rule, flow.entity):
        return False
    return flow.sink in map(sink_name, check.requirement.argument.get("names", ()))
