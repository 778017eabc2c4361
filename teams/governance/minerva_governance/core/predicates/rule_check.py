"""One requirement of one rule, asked of one review.

A predicate never guesses: where the material is missing or proves nothing, the answer is
`not_evaluated` with the reason and the way out.
"""

from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.policy import Policy, Requirement, Rule
from minerva_governance.core.review.finding import Finding, Status
from minerva_governance.core.review.review import Review
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.predicates", "predicates")


class RuleCheck:
    """One requirement of one rule, asked of one review."""

    def __init__(
        self, review: Review, policy: Policy, rule: Rule, requirement: Requirement
    ) -> None:
        self.review, self.policy, self.rule, self.requirement = review, policy, rule, requirement
        self.language: Language = review.language

    def finding(self, status: Status, target: str, **fields: object) -> Finding:
        """Return a finding of this rule."""
        return Finding.model_validate(
            {
                "rule_id": self.rule.id,
                "severity": self.rule.severity,
                "status": status,
                "target": target,
                **fields,
            }
        )

    def unreviewed(self, within: str | None = None) -> list[Unreviewed]:
        """Return what was not looked at and could break the rule, `within` one table or at all."""
        return [
            part
            for part in self.review.unreviewed
            if self.rule.kind in part.kinds and (within is None or part.name == within)
        ]

    def unread_notices(self) -> tuple[str, ...]:
        """Return the names of unread documents that may be a privacy notice."""
        return tuple(part.name for part in self.review.unreviewed if part.may_be_notice)

    def passed(self, target: str, *, within: str | None = None, **fields: object) -> Finding:
        """Return a pass, or `not_evaluated` where something was not looked at.

        `within` names the table that the claim is about; None means that it speaks for nothing
        that was left out. Claims about everything ask `unreviewed` themselves.
        """
        unreviewed = self.unreviewed(within) if within is not None else []
        if not unreviewed:
            return self.finding("pass", target, **fields)
        reason = " ".join(dict.fromkeys(part.reason for part in unreviewed))
        return self.not_evaluated(target, reason, **fields)

    def not_evaluated(self, target: str, reason: str, **fields: object) -> Finding:
        """Return the honest answer where nothing can be said."""
        return self.finding("not_evaluated", target, reason=reason, **fields)

    def has_target(self) -> bool:
        """True if a table or file that was looked at carries the rule's tag, or it has none."""
        tag, review = self.rule.tag, self.review
        if tag is None:
            return True
        data = [(scan.table, True) for scan in review.scans]
        declared = [(table.name, False) for schema in review.schemas for table in schema.tables]
        return any(
            self.policy.has_tag(tag, name, is_dataset=is_data) for name, is_data in data + declared
        )

    def personal_columns(self) -> list[PiiColumn]:
        """Return the columns of the inventory that the rule is about."""
        rule = self.rule
        return [
            column
            for column in self.review.columns
            if (not rule.pii or column.entity in rule.pii)
            and (
                rule.tag is None
                or self.policy.has_tag(rule.tag, column.table, is_dataset=not column.declared)
            )
        ]


def doubt(check: RuleCheck, column: PiiColumn) -> str:
    """Return why a column that is suspected by its values must be looked at by a person."""
    return TEXTS(
        "doubt",
        check.language,
        count=column.hits,
        total=column.sampled,
        entity=column.entity,
    )
