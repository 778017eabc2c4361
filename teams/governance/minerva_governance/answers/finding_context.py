"""What a reader is told of a column, a place and a title beside the finding itself."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.policy import Rule
from minerva_governance.core.review.finding import Finding
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.answers", "standing")
Status = Literal["fail", "waived", "not_evaluated", "pass", "not_asked"]
_ORDER: Final[tuple[Status, ...]] = ("fail", "waived", "not_evaluated", "pass")
_CLAUSE: Final = re.compile(r"제(\d+)조(?:의(\d+))? (\d+)(?= “|\))")
"""How a finding names an item of an article, before its words: `제4조 1 “…”`."""
_SINK: Final = re.compile(r"(:\d+) \((log|print|exception)\)")
"""Where a value goes, behind the line of code: `app/a.py:3 (log)`."""
_HANGUL: Final = re.compile(r"[가-힣]")
_ENGLISH: Final = re.compile(r"[A-Za-z]{2,}\s+[A-Za-z]{2,}")


class Standing(NamedTuple):
    """How a personal column stands with the rules: its worst answer, whose that is, and why."""

    status: Status
    rules: tuple[str, ...] = ()
    why: str = ""
    """The reasons of what is not evaluated."""
    still_open: tuple[str, ...] = ()
    """Other rules that are not evaluated."""


def standings(
    columns: Iterable[PiiColumn], findings: Sequence[Finding], rules: Sequence[Rule]
) -> dict[str, Standing]:
    """Return how each column stands, by its target; names that are no standard say nothing here."""
    naming = {
        rule.id
        for rule in rules
        if any(each.predicate == "standard_name" for each in rule.requirements)
    }
    by_target: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.rule_id in naming:
            continue
        # What columns make together in a table is about each of them.
        targets = [f"{finding.target}.{each}" for each in finding.columns] or [finding.target]
        for target in targets:
            by_target.setdefault(target.casefold(), []).append(finding)
    return {column.target: _standing(column, by_target) for column in columns}


def _standing(column: PiiColumn, by_target: Mapping[str, Sequence[Finding]]) -> Standing:
    own = by_target.get(column.target.casefold(), ())
    # Code knows a column by its name alone, and what was found there is about the declared one.
    in_code = by_target.get(column.column.casefold(), ()) if column.declared else ()
    found = [*own, *in_code]
    for status in _ORDER:
        answers = [each for each in found if each.status == status]
        if answers:
            ids = _ids(answers)
            open_ = [each for each in found if each.status == "not_evaluated"]
            reasons = dict.fromkeys(each.reason for each in open_ if each.reason)
            others = () if status == "not_evaluated" else _ids(open_)
            return Standing(status, ids, " ".join(reasons), others)
    return Standing("not_asked")


def _ids(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.rule_id for each in findings))


def told_standing(standing: Standing, language: Language) -> str:
    """Return it as a reader sees it: `violates PII-ENC-01`."""
    rules = ", ".join(standing.rules)
    told = TEXTS(f"standing.{standing.status}", language, rules=rules)
    open_ = ", ".join(standing.still_open)
    if open_:
        told = f"{told}; {TEXTS('standing.not_evaluated', language, rules=open_)}"
    is_open = standing.status == "not_evaluated" or open_
    return f"{told}. {standing.why}" if is_open and standing.why else told


def place_of(finding: Finding, rule: Rule | None, language: Language) -> str:
    """Return where a finding is, in words where it is about no single place."""
    if finding.target != "*":
        return finding.target
    kind = rule.kind if rule is not None else "column"
    return TEXTS("place.libraries" if kind == "dependency" else "place.all", language)


def why_open(finding: Finding) -> str:
    """Return why a finding is not evaluated, after what was found all the same."""
    if not finding.evidence or finding.evidence in finding.reason:
        return finding.reason
    return f"{finding.evidence}. {finding.reason}"


def quoted(text: str, language: Language) -> str:
    """Return a text of the policy, marked as a quotation where it is in the other language."""
    is_korean = bool(_HANGUL.search(text))
    is_foreign = is_korean if language == "en" else not is_korean and bool(_ENGLISH.search(text))
    return TEXTS("quoted", language, text=text) if is_foreign else text


def told_clauses(text: str, language: Language) -> str:
    """Return `text` with the items of articles named in words: `제4조 1` -> `제4조 1번`."""

    def describe(match: re.Match[str]) -> str:
        article = f"{match[1]}-{match[2]}" if match[2] else match[1]
        return TEXTS("clause", language, original=match[0], article=article, item=match[3]).strip()

    return _CLAUSE.sub(describe, text)


def told_sinks(text: str, language: Language) -> str:
    """Return `text` with where a value goes in words: `app/a.py:3 (print)` -> `(on the screen)`."""
    return _SINK.sub(lambda match: f"{match[1]} ({TEXTS(f'sink.{match[2]}', language)})", text)
