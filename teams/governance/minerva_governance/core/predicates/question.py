"""One rule's one requirement, asked of one review.

What answers it never guesses: where the material is missing or proves nothing, the answer is
`not_evaluated` with the reason and the way out.
"""

from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.policy.rule import Policy, Requirement, Rule
from minerva_governance.core.review.finding import Finding, Status
from minerva_governance.core.review.review import Review


class Question:
    """One rule's one requirement, asked of one review."""

    def __init__(
        self, review: Review, policy: Policy, rule: Rule, requirement: Requirement
    ) -> None:
        self.review, self.policy, self.rule, self.requirement = review, policy, rule, requirement
        self.say = review.say

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

    def not_evaluated(self, target: str, reason: str, **fields: object) -> Finding:
        """Return the honest answer where nothing can be said."""
        return self.finding("not_evaluated", target, reason=reason, **fields)

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
