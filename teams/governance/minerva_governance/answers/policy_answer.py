"""What policies and notices say, as Markdown in the language of the question."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, cast

from minerva_governance.answers.plain_words import plain_words
from minerva_governance.contracts import PolicySet
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.policy.policy import Policy, Rule
from minerva_governance.core.policy.rule_search import RuleHit
from minerva_governance.core.reading.problem import Problem
from minerva_platform.text import Language, code_span, markdown_table, read_texts, read_words

TEXTS = read_texts("minerva_governance.answers", "policy_answer")
MAX_SHOWN_RULES: Final = 15
_WORDS = read_words("minerva_governance.answers", "policy_answer")


def policy_to_markdown(
    policy: PolicySet, question: str, language: Language, *, lists_all: bool
) -> str:
    """Return the answer first (the rules asked about), then what was loaded.

    Without `lists_all` no other rules follow.
    """
    writer = _Writer(language)
    sections = [
        *writer.asked(policy.matches, policy.policies, question),
        *writer.list_documents(policy),
        *(writer.list_rules(policy.policies) if lists_all else ()),
        *writer.odd(policy.problems),
    ]
    return mask_text("\n\n".join(sections) + "\n")


def broken_policies(mistakes: Sequence[Problem], language: Language) -> str:
    """Return which policies were left out, for which lines, and what to do."""
    files = ", ".join(map(code_span, dict.fromkeys(each.file for each in mistakes)))
    title = TEXTS("mistakes", language, files=files)
    lines = [f"- {plain_words(str(each))}" for each in mistakes]
    return "\n".join([title, "", *lines, "", TEXTS("mend", language)])


class _Writer:
    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def asked(
        self, matches: Sequence[RuleHit], policies: Sequence[Policy], question: str
    ) -> Iterator[str]:
        if not matches:
            if _WORDS.pattern("asks").search(question):
                yield TEXTS("no_match", self.language)
            return
        rules = {(r.source, r.line): r for policy in policies for r in policy.rules}
        lines = [TEXTS("matches", self.language), ""]
        for hit in matches:
            place = f"{hit.source}:{hit.line}"
            if hit.is_clause:
                lines.append(f"- {hit.id}: “{hit.quote}” [{place}]")
            else:
                rule = rules[hit.source, hit.line]
                title = rule.title_in(self.language)
                lines.append(f"- `{rule.id}` ({rule.severity}) {title}: {_asks(rule)} [{place}]")
        yield "\n".join(lines)

    def list_documents(self, policy_set: PolicySet) -> Iterator[str]:
        language = self.language
        if policy_set.is_baseline:
            yield TEXTS("baseline", language)
        lines = [
            TEXTS(
                "policy",
                language,
                id=policy.id,
                version=policy.version,
                rules=len(policy.rules),
                waivers=len(policy.waivers),
                source=policy.source,
            )
            for policy in policy_set.policies
        ]
        counts = Counter(clause.source for clause in policy_set.clauses)
        lines += [
            TEXTS("notice", language, source=source, count=count)
            for source, count in counts.items()
        ]
        lines += [
            TEXTS(
                "waiver",
                language,
                rule=waiver.rule,
                target=waiver.target,
                until=waiver.until,
                reason=waiver.reason,
            )
            for policy in policy_set.policies
            for waiver in policy.waivers
        ]
        if lines:
            yield "\n".join([TEXTS("loaded", language), "", *lines])

    def list_rules(self, policies: Sequence[Policy]) -> Iterator[str]:
        rules = [rule for policy in policies for rule in policy.rules]
        if not rules:
            return
        rows = [
            (f"`{rule.id}`", rule.severity, rule.title_in(self.language), _asks(rule))
            for rule in rules[:MAX_SHOWN_RULES]
        ]
        table = markdown_table(TEXTS.row("rules", self.language), rows)
        if len(rules) > MAX_SHOWN_RULES:
            cut = TEXTS("cut", self.language, total=len(rules), shown=MAX_SHOWN_RULES)
            table = f"{table}\n\n{cut}"
        yield table

    def odd(self, problems: Sequence[Problem]) -> Iterator[str]:
        if not problems:
            return
        shown = [f"- {problem}" for problem in problems[:MAX_SHOWN_RULES]]
        if len(problems) > MAX_SHOWN_RULES:
            shown.append(f"- {MAX_SHOWN_RULES}/{len(problems)}")
        yield "\n".join([TEXTS("odd", self.language, count=len(problems)), "", *shown])


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
