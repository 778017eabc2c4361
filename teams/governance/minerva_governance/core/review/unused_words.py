"""Words of a request that ask for less or other than a review looks at.

A review looks at everything that is attached, by the rules of the policy. Words that would narrow
it down, a period that no rule has, and names that stand nowhere in the material change nothing: the
answer quotes them. Words that are in doubt are not quoted.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minerva_governance.core.policy.period import lengths_in
from minerva_governance.core.policy.policy import Policy
from minerva_platform.text import read_words

_WORDS = read_words("minerva_governance.core.review", "request")
_NAME: Final = re.compile(
    r"""
    (?<![\w.])
    (?: [A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+           # TB_PATIENT, created_at
      | [\w-]+\.(?:csv|tsv|sql|json|jsonl|db|sqlite|xlsx|parquet|md|yaml|yml|py)
    )
    (?![\w.])
    """,
    re.VERBOSE,
)


def unused_words(
    request: str,
    policies: Sequence[Policy],
    *,
    names: Iterable[str],
    restrictions: Iterable[tuple[int, int]] = (),
    periods_count: bool = True,
) -> tuple[str, ...]:
    """Return the words of `request`, as they stand there, that change nothing in a review.

    `names` are those of the material: files, tables, columns. `restrictions` are where the request
    asks for a part only; one that names what a review is about anyway is none. In a question about
    the rules themselves a period is no limit, so there `periods_count` is False.
    """
    folded_names = {name.casefold() for name in names}
    folded_names |= {rule.id.casefold() for policy in policies for rule in policy.rules}
    subject = _WORDS.pattern("subject")
    spans = [span for span in restrictions if not subject.search(request, *span)]
    spans += _strangers(request, folded_names)
    if periods_count:
        spans += _periods(request, policies)
    found: list[str] = []
    last = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last:
            found.append(request[start:end].strip())
            last = end
    return tuple(dict.fromkeys(found))


def _periods(request: str, policies: Sequence[Policy]) -> Iterator[tuple[int, int]]:
    """Give the periods that no rule asks for: a limit counts only where it is a rule."""
    asked = {
        days
        for policy in policies
        for rule in policy.rules
        for requirement in rule.requirements
        if requirement.predicate == "retention_days"
        for days in requirement.argument.values()
    }
    for start, end, days in lengths_in(request):
        if days not in asked:
            yield start, end


def _strangers(request: str, folded_names: set[str]) -> Iterator[tuple[int, int]]:
    """Give names of columns, tables and files that stand nowhere in the material."""
    for hit in _NAME.finditer(request):
        name = hit.group().casefold()
        if not any(
            name == each or name in re.split(r"[./]", each) for each in folded_names
        ) and not any(each.endswith(f"/{name}") for each in folded_names):
            yield hit.span()
