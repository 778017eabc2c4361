"""`sink`: personal values flow into a log, a file, another service, or another forbidden sink."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.unread_call import ALL, UnreadCall
from minerva_governance.core.policy.sink_name import sink_name
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck, told_promises
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.notice_claims import promises_in
from minerva_governance.core.review.personal_flow import broken_by, entities_of
from minerva_governance.core.review.review import CodeSearch, CodeUse

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
        if _is_meant(check, entities_of(check.review, use)):
            by_column.setdefault(use.name.upper(), []).append(use)
    forbidden = {"", *map(sink_name, check.requirement.argument.get("names", ()))}
    unread: dict[str, list[UnreadCall]] = {}
    for call in code.unread_calls or ():
        entity = check.review.entity_of_name(call.name)
        is_meant = call.name == ALL or _is_meant(check, [entity] if entity else [])
        if call.sink in forbidden and is_meant:
            unread.setdefault(call.name.upper(), []).append(call)
    of_all = unread.pop(ALL, [])
    for name in dict.fromkeys((*by_column, *unread)):
        answer = _sink_of(check, name, by_column.get(name, []), truncated=code.truncated)
        yield _with_unread(check, answer, [*unread.get(name, ()), *of_all])
    if not (by_column or unread):
        yield _with_unread(check, _without_use(check, code), of_all)


def _is_meant(check: RuleCheck, entities: Sequence[Entity]) -> bool:
    return bool(entities) and (not check.rule.pii or not set(check.rule.pii).isdisjoint(entities))


def _without_use(check: RuleCheck, code: CodeSearch) -> Finding:
    """Pass if all code was read, and it is known what is personal: nothing of it is in the code."""
    total, text = len(code.uses), TEXTS("sink.no_use", check.language)
    is_whole = not code.truncated and not check.unreviewed_parts()
    if code.unread_calls is not None and is_whole and check.review.columns_seen:
        return check.finding("pass", "code", evidence=text, total=total)
    return check.not_evaluated("code", text, total=total)


def _with_unread(check: RuleCheck, answer: Finding, calls: Sequence[UnreadCall]) -> Finding:
    """Return the answer, not evaluated where a value goes to code that nobody read."""
    if not calls or answer.status == "fail":
        return answer
    first = calls[:_MAX_SHOWN_USES]
    places = ", ".join(f"{one.path}:{one.line} ({one.callee})" for one in first)
    if len(calls) > len(first):
        places += TEXTS("sink.more", check.language, count=len(calls) - len(first))
    reason = TEXTS("sink.unread", check.language, places=mask_text(places))
    changes = {
        "status": "not_evaluated",
        "reason": " ".join(filter(None, (answer.reason, reason))),
        "evidence": "",
        "must_decide": True,
        "citations": (
            *answer.citations,
            *(Reference(source=one.path, line=one.line) for one in first),
        ),
    }
    return answer.model_copy(update=changes)


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
