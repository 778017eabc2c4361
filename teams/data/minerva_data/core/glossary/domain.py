"""Choose the domain of a name: its class word, then the declared type, then the usual one.

Where several are usual, they are a choice.
"""

from collections import Counter

from minerva_data.core.glossary.datatype import difference, read_type
from minerva_data.core.glossary.entry import Domain, Word
from minerva_data.core.glossary.glossary import Glossary

SHARE_OF_FACT = 0.9
"""Share of a class word's terms that must have one domain before that is a fact and no choice. Of
the public standard's 명, 주소 and 번호 about half have the commonest."""

MIN_TERMS = 3
"""Terms that must agree so."""


def choose_domains(
    word: Word, glossary: Glossary, *, type_text: str | None = None, dialect: str | None = None
) -> tuple[Domain, ...]:
    """Return the one domain of a name that ends in `word`, else those to choose from.

    One is a fact if the class has no other, only it fits the declared type, or nearly all terms
    that end in the class word have it. Of several the likeliest stands first.
    """
    if not word.is_class:
        return ()
    domains = glossary.domains_of_class(word.domain_class)
    counts = glossary.domain_counts.get(word.name, Counter())
    fitting = _fitting(domains, type_text, dialect)
    by_use = sorted(domains, key=lambda one: (one not in fitting, -counts[one.name]))
    often = [one for one in domains if _is_settled(counts[one.name], counts.total())]
    likely = _most_used(fitting, counts)
    facts = (by_use, likely, often)
    return next((tuple(some) for some in facts if len(some) == 1), tuple(by_use))


def _is_settled(count: int, total: int) -> bool:
    return total >= MIN_TERMS and count >= SHARE_OF_FACT * total


def family_fits(word: Word, glossary: Glossary, *, type_text: str, dialect: str | None) -> bool:
    """True if a declared type could be meant for a name that ends in `word`.

    Only the family and, for fixed formats such as dates, the length are compared.
    """
    found = read_type(type_text, dialect=dialect)
    if found is None:
        return True
    text = {"CHAR", "VARCHAR"}
    for domain in glossary.domains_of_class(word.domain_class):
        same = found.family == domain.data_type or {found.family, domain.data_type} <= text
        if same and (domain.data_type != "CHAR" or found.length in {None, domain.length}):
            return True
    return False


def _most_used(domains: tuple[Domain, ...], counts: Counter[str]) -> list[Domain]:
    """Return those of `domains` that terms use most; all when there is no term."""
    top = max((counts[domain.name] for domain in domains), default=0)
    return [domain for domain in domains if counts[domain.name] == top]


def _fitting(
    domains: tuple[Domain, ...], type_text: str | None, dialect: str | None
) -> tuple[Domain, ...]:
    """Return the domains whose type is exactly the declared one."""
    if type_text is None:
        return ()
    return tuple(d for d in domains if difference(type_text, d, dialect=dialect) is None)
