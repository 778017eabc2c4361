"""`sink`: personal values flow into a log or a print."""

from collections.abc import Iterator

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.review import CodeUse

_MAX_SHOWN_USES = 20
_MAX_SHOWN_FILES = 5


def sink(check: RuleCheck) -> Iterator[Finding]:
    """Answer whether personal values flow into one of the forbidden sinks in the code."""
    code = check.review.code
    if code is None:
        yield check.not_evaluated("code", TEXTS("sink.no_search", check.language))
        return
    by_column: dict[str, list[CodeUse]] = {}
    for use in code.uses:
        entity = check.review.entity_of_name(use.name)
        if entity is not None and (not check.rule.pii or entity in check.rule.pii):
            by_column.setdefault(use.name.upper(), []).append(use)
    if not by_column:
        reason = TEXTS("sink.no_use", check.language)
        yield check.not_evaluated("code", reason, total=len(code.uses))
    for name, uses in by_column.items():
        yield _sink_of(check, name, uses, truncated=code.truncated)


def _sink_of(check: RuleCheck, name: str, uses: list[CodeUse], *, truncated: bool) -> Finding:
    forbidden = set(check.requirement.argument.get("names", ()))
    leaks = [use for use in uses if use.sink in forbidden]
    numbers = {"count": len(leaks), "total": len(uses), "sampled": truncated}
    if leaks:
        shown = leaks[:_MAX_SHOWN_USES]
        evidence = ", ".join(f"{use.path}:{use.line} ({use.sink})" for use in shown)
        if len(leaks) > len(shown):
            evidence += TEXTS("sink.more", check.language, count=len(leaks) - len(shown))
        places = tuple(
            Reference(source=use.path, line=use.line, quote=mask_text(use.snippet)) for use in shown
        )
        return check.finding(
            "fail", name, evidence=mask_text(evidence), citations=places, **numbers
        )
    if truncated:
        return check.not_evaluated(name, TEXTS("sink.cut", check.language), **numbers)
    unreviewed = check.unreviewed()
    if unreviewed:
        files = ", ".join(part.name for part in unreviewed[:_MAX_SHOWN_FILES])
        reason = TEXTS("sink.unsearched", check.language, files=files)
        return check.not_evaluated(name, reason, **numbers)
    evidence = TEXTS("sink.clean", check.language, count=len(uses))
    return check.finding("pass", name, evidence=evidence, **numbers)
