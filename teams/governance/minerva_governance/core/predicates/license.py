"""`license`: no library is under a licence that the rule forbids.

A licence that is not known makes the answer `not_evaluated`, or `fail` where the rule says
`unknown: fail`. Licences are not legal facts: the texts come from locks and metadata.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from minerva_governance.core.dependencies.dependency import Dependency
from minerva_governance.core.dependencies.spdx import is_available, judge, spdx, unknown_ids
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding, Reference


def license_allowed(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each library that the manifests name."""
    dependencies, language = check.review.dependencies, check.language
    if not dependencies.manifests:
        yield check.not_evaluated("*", TEXTS("license.no_manifest", language))
        return
    lists = ", ".join(dependencies.manifests)
    if not is_available():
        yield check.not_evaluated(lists, TEXTS("license.no_extra", language))
        return
    names: list[str] = check.requirement.argument["names"]
    strange = unknown_ids(names)
    for name in strange:
        yield check.not_evaluated(lists, TEXTS("license.no_id", language, name=name))
    if not dependencies.libraries and not check.unreviewed_parts():
        yield check.pass_finding(lists, evidence=TEXTS("license.none", language))
    known = [name for name in names if name not in strange]
    for library in dependencies.libraries:
        yield _judge_library(check, library, known, may_pass=not strange)


def _judge_library(
    check: RuleCheck, library: Dependency, forbidden: Sequence[str], *, may_pass: bool
) -> Finding:
    language = check.language
    place = Reference(source=library.source, line=library.line, quote=library.target)
    facts: dict[str, Any] = {"total": 1, "citations": (place,)}
    expression = spdx(library.licence)
    if expression is None:
        key = "license.unclear" if library.licence else "license.not_stated"
        reason = TEXTS(key, language, text=library.licence)
        if check.requirement.argument.get("unknown") == "fail":
            return check.finding("fail", library.target, evidence=reason, count=1, **facts)
        return check.not_evaluated(library.target, reason, **facts)
    match judge(expression, forbidden):
        case "forbidden":
            evidence = TEXTS("license.forbidden", language, expression=expression)
            return check.finding("fail", library.target, evidence=evidence, count=1, **facts)
        case "excepted":
            reason = TEXTS("license.excepted", language, expression=expression)
            return check.not_evaluated(library.target, reason, **facts)
        case "allowed" if may_pass:
            return check.pass_finding(library.target, evidence=expression, **facts)
        case "allowed":
            names = ", ".join(unknown_ids(check.requirement.argument["names"]))
            reason = TEXTS("license.no_id", language, name=names)
            return check.not_evaluated(library.target, reason, **facts)
