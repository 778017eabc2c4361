"""`sink`: personal values flow into a log, a file, another service, or another forbidden sink."""

from collections.abc import Iterator

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.sink_name import sink_name
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, told_promises
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice_claims import promises_in
from minerva_governance.core.review.personal_flow import broken_by, entities_of
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
        entities = entities_of(check.review, use)
        if entities and (not check.rule.pii or not set(check.rule.pii).isdisjoint(entities)):
            by_column.setdefault(use.name.upper(), []).append(use)
    if not by_column:
        reason = TEXTS("sink.no_use", check.language)
        yield check.not_evaluated("code", reason, total=len(code.uses))
    for name, uses in by_column.items():
        yield _sink_of(check, name, uses, truncated=code.truncated)


def _sink_of(check: RuleCheck, name: str, uses: list[CodeUse], *, truncated: bool) -> Finding:
    forbidden = {sink_name(sink) for sink in check.requirement.argument.get("names", ())}
    reaching = [use for use in uses if use.sink in forbidden]
    leaks = [use for use in reaching if not use.suspected]
    numbers = {"count": len(leaks), "total": len(uses), "sampled": truncated}
    if leaks:
        evidence, places = _describe_places(check, leaks)
        promised = tuple(dict.fromkeys(
            promise
            for use in leaks
            for entity in entities_of(check.review, use)
            for promise in broken_by(promises_in(check.review.clauses), use, entity)
        ))  # fmt: skip
        if promised:
            evidence += told_promises(check, promised)
            places = (*places, *(promise.place for promise in promised))
        fields = {"evidence": evidence, "citations": places, "breaks": promised}
        return check.finding("fail", name, **fields, **numbers)
    if reaching:
        evidence, places = _describe_places(check, reaching)
        reason = TEXTS("sink.suspected", check.language, places=evidence)
        return check.not_evaluated(name, reason, citations=places, must_decide=True, **numbers)
    if truncated:
        return check.not_evaluated(name, TEXTS("sink.cut", check.language), **numbers)
    unreviewed = check.unreviewed_parts()
    if unreviewed:
        files = ", ".join(part.name for part in unreviewed[:_MAX_SHOWN_FILES])
        reason = TEXTS("sink.unsearched", check.language, files=files)
        return check.not_evaluated(name, reason, **numbers)
    evidence = TEXTS("sink.clean", check.language, count=len(uses))
    return check.finding("pass", name, evidence=evidence, **numbers)


def _describe_places(check: RuleCheck, uses: list[CodeUse]) -> tuple[str, tuple[Reference, ...]]:
    """Return the places in words, masked, and as references."""
    shown = uses[:_MAX_SHOWN_USES]
    evidence = ", ".join(f"{use.path}:{use.line} ({_describe_sink(use)})" for use in shown)
    if len(uses) > len(shown):
        evidence += TEXTS("sink.more", check.language, count=len(uses) - len(shown))
    places = tuple(
        Reference(source=use.path, line=use.line, quote=mask_text(use.snippet)) for use in shown
    )
    return mask_text(evidence), places


def _describe_sink(use: CodeUse) -> str:
    """Return `http api.example.com`, `log`: the sink, and where it leads."""
    return f"{use.sink} {use.destination}" if use.destination else str(use.sink)
