"""`k_anonymity` and `l_diversity`: how many people share each combination of a file's columns.

Enough rows have to share each combination in a file that leaves the house, and whoever is found by
one has to have one of several sensitive values.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from minerva_governance.core.counting.classes import ClassFigures, k_anonymity, l_diversity
from minerva_governance.core.counting.tally import Group, TooManyClassesError, missing_columns
from minerva_governance.core.detection.data_file_scan import open_again
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding, Reference
from minerva_governance.core.tables.data_table import DataTable
from minerva_reading import UnreadableError

Count = Callable[[DataTable, Sequence[Group], DataScan], list[ClassFigures]]
"""Gives the figures of all sets of a table, set by set."""
Tell = Callable[[Sequence[ClassFigures]], tuple[ClassFigures, str]]
"""Gives of the figures of one set those that decide, and the evidence in words."""


def class_answers(
    check: RuleCheck, count: Count, tell: Tell, *, sensitive: Sequence[str] = ()
) -> Iterator[Finding]:
    """Yield an answer for each data file of the rule and each set of quasi-identifiers."""
    scans = [
        scan
        for scan in check.review.scans
        if scan.is_dataset and check.covers(scan.table, is_dataset=True)
    ]
    if not scans:
        yield check.not_evaluated("*", TEXTS("classes.no_file", check.language))
    for scan in scans:
        yield from _of_file(check, scan, count, tell, sensitive)


def _of_file(
    check: RuleCheck, scan: DataScan, count: Count, tell: Tell, sensitive: Sequence[str]
) -> Iterator[Finding]:
    names = [column.name for column in scan.columns]
    there: list[Group] = []
    for each in check.requirement.quasi_sets:
        missing = missing_columns(names, (*each, *sensitive))
        if missing:
            reason = TEXTS("classes.no_columns", check.language, names=", ".join(missing))
            yield check.not_evaluated(scan.table, reason, columns=each)
        else:
            there.append(each)
    if not there:
        return
    try:
        found = count(open_again(scan), there, scan)  # the file is read once for all sets
    except TooManyClassesError:
        reason = TEXTS("classes.too_many", check.language)
    except UnreadableError as error:
        reason = error.describe(check.language)
    else:
        for _, of_set in groupby(found, key=lambda figures: figures.quasi):
            yield _judge_figures(check, scan, *tell(list(of_set)))
        return
    for each in there:
        yield check.not_evaluated(scan.table, reason, columns=each)


def _judge_figures(check: RuleCheck, scan: DataScan, figures: ClassFigures, text: str) -> Finding:
    name = scan.table
    if not figures.rows:
        reason = TEXTS("classes.no_rows", check.language)
        return check.not_evaluated(name, reason, columns=figures.quasi)
    fields = {
        "columns": figures.quasi,
        "evidence": text,
        "count": figures.small_rows,
        "total": figures.rows,
        "measures": {
            "k": figures.k,
            **({} if figures.distinct is None else {"l": figures.distinct}),
            "minimum": int(check.requirement.argument["min"]),
            "classes": figures.classes,
            "rows": figures.rows,
            "small_classes": figures.small_classes,
            "small_rows": figures.small_rows,
        },
        "citations": tuple(Reference(source=scan.source, row=row) for row in figures.rows_below),
    }
    minimum = int(check.requirement.argument["min"])
    if figures.alike is not None and figures.alike < minimum and not figures.small_classes:
        reason = TEXTS("l_diversity.alike", check.language, counted=text, l=figures.alike)
        return check.not_evaluated(name, reason, columns=figures.quasi, total=figures.rows)
    if not figures.small_classes and not figures.uncounted_rows:
        return check.pass_finding(name, within=name, **fields)
    # Each uncounted row could lift one small class by one, or be a small class of its own.
    if figures.lacking > figures.uncounted_rows:
        return check.finding("fail", name, **fields)
    rows = figures.uncounted_rows
    reason = TEXTS("classes.uncounted", check.language, counted=text, rows=rows)
    return check.not_evaluated(name, reason, total=figures.rows, columns=figures.quasi)


def k_anonymous(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each file and set whether `min` rows share each combination, over all rows."""
    minimum = int(check.requirement.argument["min"])

    def tell(class_figures: Sequence[ClassFigures]) -> tuple[ClassFigures, str]:
        (figures,) = class_figures
        return figures, _describe_anonymity(check, figures, minimum)

    def count(data: DataTable, sets: Sequence[Group], scan: DataScan) -> list[ClassFigures]:
        return k_anonymity(data, sets, minimum=minimum, person=_person_of(check, scan))

    yield from class_answers(check, count, tell)


def _person_of(check: RuleCheck, scan: DataScan) -> str:
    """Return the column whose keys tell persons apart that have several rows, or ""."""
    quasi_names = {name.casefold() for each in check.requirement.quasi_sets for name in each}
    keys = [
        (column.distinct, column.name)
        for column in scan.columns
        if column.distinct
        and column.distinct < scan.rows
        and not column.out_of_sight  # masks are alike
        and column.name.casefold() not in quasi_names
    ]
    return min(keys)[1] if keys else ""


def _describe_anonymity(check: RuleCheck, figures: ClassFigures, minimum: int) -> str:
    text = TEXTS(
        "k_anonymity.counted",
        check.language,
        k=figures.k,
        minimum=minimum,
        quasi=", ".join(figures.quasi),
        classes=figures.classes,
        rows=figures.rows,
    )
    if figures.person:
        person, rows_k = figures.person, figures.rows_k
        text += TEXTS("k_anonymity.persons", check.language, person=person, k=rows_k)
    if not figures.small_classes:
        return text
    return text + TEXTS(
        "k_anonymity.small",
        check.language,
        minimum=minimum,
        classes=figures.small_classes,
        rows=figures.small_rows,
    )


def l_diverse(check: RuleCheck) -> Iterator[Finding]:
    """Answer for each file and set whether each class holds `min` values, over all rows.

    Several sensitive columns are counted one by one; the worst of them answers for a set.
    """
    minimum = int(check.requirement.argument["min"])
    sensitive: tuple[str, ...] = tuple(check.requirement.argument["sensitive"])

    def tell(class_figures: Sequence[ClassFigures]) -> tuple[ClassFigures, str]:
        worst, *others = sorted(class_figures, key=lambda each: (each.distinct or 0, -each.lacking))
        return worst, _describe_diversity(check, worst, others, minimum)

    yield from class_answers(
        check,
        lambda data, sets, _: l_diversity(data, sets, sensitive, minimum=minimum),
        tell,
        sensitive=sensitive,
    )


def _describe_diversity(
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
