"""Tell what policies and notices say, as Markdown in the language of the question."""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.rule import Policy, Rule
from minerva_governance.core.policy.rule_search import RuleHit
from minerva_governance.core.report.wording import Language, Problem, Wording
from minerva_governance.core.review.notice import Clause

SHOWN_RULES = 15
_ASKS = re.compile(
    r"\?|\b(?:what|which|how|when|who|why|is there|does|quote|explain)\b"
    r"|무엇|뭐|어떤|어떻게|언제|얼마|몇|찾아|있나|인가",
    re.IGNORECASE,
)


def policy_to_markdown(  # a view of one hand-off, field by field
    policies: Sequence[Policy],
    clauses: Sequence[Clause],
    *,
    matches: Sequence[RuleHit],
    problems: Sequence[Problem],
    language: Language,
    question: str,
    is_baseline: bool,
) -> str:
    """Return the answer first (the rules asked about), then what was loaded."""
    writer = _Writer(language)
    sections = [
        *writer.asked(matches, policies, question),
        *writer.loaded(policies, clauses, is_baseline=is_baseline),
        *writer.listed(policies),
        *writer.odd(problems),
    ]
    return mask_text("\n\n".join(sections) + "\n")


def broken_policies(mistakes: Sequence[Problem], language: Language) -> str:
    """Return which policies were left out, for which lines, and what to do."""
    files = ", ".join(f"`{name}`" for name in dict.fromkeys(each.file for each in mistakes))
    title = Wording(
        f"### 고칠 곳이 있어 쓰지 않은 정책: {files}",
        f"### Policies with mistakes, not used: {files}",
    )
    way_out = Wording("적힌 줄을 고친 뒤 다시 요청하세요.", "Mend the lines named, then ask again.")
    lines = [f"- {each}" for each in mistakes]
    return "\n".join([title.said_in(language), "", *lines, "", way_out.said_in(language)])


class _Writer:
    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def say(self, ko: str, en: str) -> str:
        return ko if self.language == "ko" else en

    def asked(
        self, matches: Sequence[RuleHit], policies: Sequence[Policy], question: str
    ) -> Iterator[str]:
        if not matches:
            if _ASKS.search(question):
                yield self.say(
                    "질문의 말과 맞는 규칙이나 조항을 찾지 못했습니다.",
                    "No rule or clause matches the words of the question.",
                )
            return
        rules = {rule.id: rule for policy in policies for rule in policy.rules}
        lines = [self.say("### 해당하는 규칙과 조항", "### Rules and clauses on this"), ""]
        for hit in matches:
            place = f"{hit.source}:{hit.line}"
            if hit.is_clause:
                lines.append(f"- {hit.id}: “{hit.quote}” [{place}]")
            else:
                rule = rules[hit.id]
                title = rule.title_in(self.language)
                lines.append(f"- `{rule.id}` ({rule.severity}) {title}: {_asks(rule)} [{place}]")
        yield "\n".join(lines)

    def loaded(
        self, policies: Sequence[Policy], clauses: Sequence[Clause], *, is_baseline: bool
    ) -> Iterator[str]:
        if is_baseline:
            yield self.say(
                "정책 파일을 받지 못해, 내장된 기본 규칙으로 답합니다. "
                "정책(*.yaml)을 함께 주면 그것을 씁니다.",
                "No policy file was attached, so the bundled baseline rules answer. "
                "Attach a policy (*.yaml) to use yours.",
            )
        lines = [
            self.say(
                f"- 정책 `{policy.id}` {policy.version}: 규칙 {len(policy.rules)}개, "
                f"면제 {len(policy.waivers)}개 ({policy.source})",
                f"- policy `{policy.id}` {policy.version}, rules: {len(policy.rules)}, "
                f"waivers: {len(policy.waivers)} ({policy.source})",
            )
            for policy in policies
        ]
        for source in dict.fromkeys(clause.source for clause in clauses):
            count = sum(clause.source == source for clause in clauses)
            lines.append(
                self.say(
                    f"- 처리방침 {source}: 조항 {count}개",
                    f"- notice {source}, clauses: {count}",
                )
            )
        lines += [
            self.say(
                f"- 면제 {waiver.rule} `{waiver.target}`: {waiver.until}까지, {waiver.reason}",
                f"- waiver {waiver.rule} `{waiver.target}`: until {waiver.until}, {waiver.reason}",
            )
            for policy in policies
            for waiver in policy.waivers
        ]
        if lines:
            yield "\n".join([self.say("### 읽은 정책", "### Policies read"), "", *lines])

    def listed(self, policies: Sequence[Policy]) -> Iterator[str]:
        rules = [rule for policy in policies for rule in policy.rules]
        if not rules:
            return
        heads = self.say("규칙|심각도|내용|조건", "Rule|Severity|Title|Asks").split("|")
        lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
        for rule in rules[:SHOWN_RULES]:
            cells = (f"`{rule.id}`", rule.severity, rule.title_in(self.language), _asks(rule))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if len(rules) > SHOWN_RULES:
            lines += [
                "",
                self.say(
                    f"전체 {len(rules)}개 가운데 {SHOWN_RULES}개를 보였습니다.",
                    f"{SHOWN_RULES} of {len(rules)} shown.",
                ),
            ]
        yield "\n".join(lines)

    def odd(self, problems: Sequence[Problem]) -> Iterator[str]:
        if not problems:
            return
        title = self.say(f"확인할 점 {len(problems)}건", f"To look at: {len(problems)}")
        shown = [f"- {problem}" for problem in problems[:SHOWN_RULES]]
        if len(problems) > SHOWN_RULES:
            shown.append(f"- {SHOWN_RULES}/{len(problems)}")
        yield "\n".join([f"### {title}", "", *shown])


def _asks(rule: Rule) -> str:
    """Return the rule's conditions in short: `retention_days max=3650`."""
    asked: list[str] = []
    for requirement in rule.requirements:
        sign = "not " if requirement.forbidden else ""
        detail = " ".join(f"{key}={_short(value)}" for key, value in requirement.argument.items())
        asked.append(f"{sign}{requirement.predicate} {detail}".strip())
    return ", ".join(asked)


def _short(value: object) -> str:
    return (
        "/".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)
    )
