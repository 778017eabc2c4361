"""Keep the bundled glossary from naming a schema that is not of its field.

It is the vocabulary of a made-up hospital. Where it alone answers, it speaks for a schema of which
it knows at least half of the columns: as terms, or by words of its subject areas. Common words
(번호, name, date) are in every schema and show nothing; nor do words read from short forms.
"""

from collections.abc import Iterable

from minerva_data.core.lookup.candidate import COMMON
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Candidate, Item, Recommended

LEAST = 0.5
"""Share of a schema's columns. Own schemas have .65 and .93, sixteen foreign ones .33 at most."""


def is_foreign(lookup: Lookup, items: Iterable[Item]) -> bool:
    """True if the bundled glossary alone answers and knows too little of the columns of tables."""
    if lookup.glossary.has_imported_terms:
        return False
    total = own = 0
    for item in items:
        if item.table is not None:
            best = lookup.best_of(item)
            total += 1
            own += best is not None and _is_own(best)
    return own < LEAST * total


def _is_own(best: Candidate) -> bool:
    is_of_area = best.subject_area not in {None, COMMON}
    return best.is_term or (is_of_area and best.method != "abbreviation")


def as_candidate(answer: Recommended) -> Recommended:
    """Return a column's name as a candidate: the schema is foreign to the glossary."""
    if answer.best is None or answer.item.table is None:
        return answer
    return Recommended(
        item=answer.item,
        alternatives=(answer.best, *answer.alternatives),
        unresolved_parts=(answer.item.name,),
        reason="foreign_schema",
    )
