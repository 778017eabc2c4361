"""Say what a review did not look at, so that silence is never read as "nothing there"."""

from collections.abc import Iterator, Sequence

from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.review.review import TEXTS, Review


def gaps(review: Review, problems: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each thing that was missing, cut or unreadable."""
    language = review.language
    found = list(problems)
    found += [f"{part.name}: {part.reason}" for part in review.unreviewed]
    if not review.scans:
        found.append(TEXTS("gap.data", language))
    if not review.schemas:
        found.append(TEXTS("gap.schema", language))
    if not review.clauses:
        found.append(TEXTS("gap.notice", language))
    found.extend(_code_gaps(review))
    if review.naming is None:
        found.append(TEXTS("gap.naming", language))
    # These two hold for every review: what is never looked at must be said each time.
    found += [TEXTS("gap.meaning", language), TEXTS("gap.outside", language)]
    return tuple(dict.fromkeys(mask_text(gap) for gap in found))


def _code_gaps(review: Review) -> Iterator[str]:
    code = review.code
    if code is None:
        yield TEXTS("gap.code", review.language)
    elif code.truncated:
        yield TEXTS("gap.more_code", review.language, count=len(code.uses))
