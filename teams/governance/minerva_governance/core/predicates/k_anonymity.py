"""`k_anonymity`: enough people share each combination in a file that leaves the house."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.counting.classes import ClassFigures, k_anonymity
from minerva_governance.core.predicates.classes import class_answers
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding


def k_anonymous(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each file and set whether `min` rows share each combination, over all rows."""
    minimum = int(check.requirement.argument["min"])

    def tell(class_figures: Sequence[ClassFigures]) -> tuple[ClassFigures, str]:
        (figures,) = class_figures
        return figures, _describe(check, figures, minimum)

    yield from class_answers(
        check, lambda data, sets: k_anonymity(data, sets, minimum=minimum), tell
    )


def _describe(check: RuleCheck, figures: ClassFigures, minimum: int) -> str:
    text = TEXTS(
        "k_anonymity.counted",
        check.language,
        k=figures.k,
        minimum=minimum,
        quasi=", ".join(figures.quasi),
        classes=figures.classes,
        rows=figures.rows,
    )
    if not figures.small_classes:
        return text
    return text + TEXTS(
        "k_anonymity.small",
        check.language,
        minimum=minimum,
        classes=figures.small_classes,
        rows=figures.small_rows,
    )
