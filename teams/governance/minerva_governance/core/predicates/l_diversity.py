"""`l_diversity`: whoever is found by a combination still has one of several sensitive values."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.counting.classes import ClassFigures, l_diversity
from minerva_governance.core.predicates.classes import class_answers
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding


def l_diverse(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each file and set whether each class holds `min` values, over all rows.

    Several sensitive columns are counted one by one; the worst of them answers for a set.
    """
    minimum = int(check.requirement.argument["min"])
    sensitive: tuple[str, ...] = tuple(check.requirement.argument["sensitive"])

    def tell(class_figures: Sequence[ClassFigures]) -> tuple[ClassFigures, str]:
        worst, *others = sorted(class_figures, key=lambda each: (each.distinct or 0, -each.lacking))
        return worst, _describe(check, worst, others, minimum)

    yield from class_answers(
        check,
        lambda data, sets: l_diversity(data, sets, sensitive, minimum=minimum),
        tell,
        sensitive=sensitive,
    )


def _describe(
    check: RuleCheck, worst: ClassFigures, others: Sequence[ClassFigures], minimum: int
) -> str:
    text = TEXTS(
        "l_diversity.counted",
        check.language,
        l=worst.distinct,
        k=worst.k,
        minimum=minimum,
        sensitive=worst.sensitive,
        quasi=", ".join(worst.quasi),
        classes=worst.classes,
        rows=worst.rows,
    )
    if worst.small_classes:
        text += TEXTS(
            "l_diversity.small",
            check.language,
            minimum=minimum,
            sensitive=worst.sensitive,
            classes=worst.small_classes,
            rows=worst.small_rows,
        )
    if others:
        figures = ", ".join(f"l={each.distinct} ({each.sensitive})" for each in others)
        text += TEXTS("l_diversity.others", check.language, figures=figures)
    return text
