"""`sink`: do personal values flow into a log or a print."""

from collections.abc import Iterator

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.predicates.question import Question
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.review.review import CodeUse

_SHOWN_USES = 20
_SHOWN_FILES = 5


def sink(question: Question) -> Iterator[Finding]:
    """Answer whether personal values flow into one of the forbidden sinks in the code."""
    say = question.say
    code = question.review.code
    if code is None:
        reason = say(
            "코드 검색 결과가 없습니다. 코드 디렉터리를 함께 주고 코드 점검도 요청하세요.",
            "no search of the code was handed over; attach the code directory and ask for its "
            "uses of columns as well.",
        )
        yield question.not_evaluated("code", reason)
        return
    by_column: dict[str, list[CodeUse]] = {}
    for use in code.uses:
        entity = question.review.entity_of_name(use.name)
        if entity is not None and (not question.rule.pii or entity in question.rule.pii):
            by_column.setdefault(use.name.upper(), []).append(use)
    if not by_column:
        reason = say(
            "개인정보 컬럼의 사용을 찾지 못했습니다.", "no use of a personal column was found."
        )
        yield question.not_evaluated("code", reason, total=len(code.uses))
    for name, uses in by_column.items():
        yield _sink_of(question, name, uses, truncated=code.truncated)


def _sink_of(question: Question, name: str, uses: list[CodeUse], *, truncated: bool) -> Finding:
    say = question.say
    forbidden = set(question.requirement.argument.get("names", ()))
    leaks = [use for use in uses if use.sink in forbidden]
    numbers = {"count": len(leaks), "total": len(uses), "sampled": truncated}
    if leaks:
        shown = leaks[:_SHOWN_USES]
        evidence = ", ".join(f"{use.path}:{use.line} ({use.sink})" for use in shown)
        if len(leaks) > len(shown):
            evidence += say(
                f" 외 {len(leaks) - len(shown)}곳", f" and {len(leaks) - len(shown)} more"
            )
        places = tuple(
            Reference(source=use.path, line=use.line, quote=mask_text(use.snippet)) for use in shown
        )
        return question.finding(
            "fail", name, evidence=mask_text(evidence), citations=places, **numbers
        )
    if truncated:
        reason = say(
            "사용처 목록이 잘려 있어 없다고 말할 수 없습니다.",
            "the list of uses was cut, so absence proves nothing.",
        )
        return question.not_evaluated(name, reason, **numbers)
    unseen = question.unseen()
    if unseen:
        files = ", ".join(part.name for part in unseen[:_SHOWN_FILES])
        reason = say(
            f"보지 못한 코드가 있어 없다고 말할 수 없습니다: {files}",
            f"code that was not searched may hold one: {files}",
        )
        return question.not_evaluated(name, reason, **numbers)
    evidence = say(f"사용 {len(uses)}곳에 출력 없음", f"no output in {len(uses)} uses")
    return question.finding("pass", name, evidence=evidence, **numbers)
