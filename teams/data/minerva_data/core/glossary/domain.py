"""Choose the domain of a name: its class word, then how it is mostly used, then the type."""

from collections import Counter

from minerva_data.core.glossary.datatype import difference, read_type
from minerva_data.core.glossary.entry import Domain, Word
from minerva_data.core.glossary.glossary import Glossary


def choose_domain(
    word: Word, glossary: Glossary, *, declared: str | None = None, dialect: str | None = None
) -> Domain | None:
    """Return the domain of a name that ends in `word`; None if nothing decides between several.

    The class has one domain, or the terms that end in the same class word mostly use one, or
    only one fits the declared type.
    """
    if not word.is_class:
        return None
    domains = glossary.domains_of_class(word.domain_class)
    if len(domains) == 1:
        return domains[0]
    modal = _most_used(word, domains, glossary)
    if len(modal) == 1:
        return modal[0]
    return _fitting(modal, declared, dialect)


def family_fits(word: Word, glossary: Glossary, *, declared: str, dialect: str | None) -> bool:
    """Tell whether a declared type could be meant for a name that ends in `word`.

    Only the family and, for fixed formats such as dates, the length are compared.
    """
    found = read_type(declared, dialect=dialect)
    if found is None:
        return True
    text = {"CHAR", "VARCHAR"}
    for domain in glossary.domains_of_class(word.domain_class):
        same = found.family == domain.data_type or {found.family, domain.data_type} <= text
        if same and (domain.data_type != "CHAR" or found.length in {None, domain.length}):
            return True
    return False


def _most_used(word: Word, domains: tuple[Domain, ...], glossary: Glossary) -> tuple[Domain, ...]:
    """Return the domains that terms with this class word use most; all when there is no term."""
    counts = glossary.domain_counts.get(word.name, Counter())
    top = max((counts.get(domain.name, 0) for domain in domains), default=0)
    return tuple(domain for domain in domains if counts.get(domain.name, 0) == top)


def _fitting(
    domains: tuple[Domain, ...], declared: str | None, dialect: str | None
) -> Domain | None:
    if declared is None:
        return None
    fitting = [d for d in domains if difference(declared, d, dialect=dialect) is None]
    return fitting[0] if len(fitting) == 1 else None
