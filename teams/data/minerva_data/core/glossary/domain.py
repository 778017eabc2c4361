"""Choose the domain of a name: its class word, then the declared type, then the usual one."""

from collections import Counter

from minerva_data.core.glossary.datatype import difference, read_type
from minerva_data.core.glossary.entry import Domain, Word
from minerva_data.core.glossary.glossary import Glossary


def choose_domain(
    word: Word, glossary: Glossary, *, type_text: str | None = None, dialect: str | None = None
) -> Domain | None:
    """Return the domain of a name that ends in `word`; None if nothing decides between several.

    The class has one domain, or only one fits the declared type, or the terms that end in the
    same class word mostly use one, or only one of those fits.
    """
    if not word.is_class:
        return None
    domains = glossary.domains_of_class(word.domain_class)
    modal = _most_used(word, domains, glossary)
    fitting = _fitting(domains, type_text, dialect)
    likely = [domain for domain in modal if domain in fitting]
    found = (domains, likely, fitting, modal)
    return next((some[0] for some in found if len(some) == 1), None)


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


def _most_used(word: Word, domains: tuple[Domain, ...], glossary: Glossary) -> tuple[Domain, ...]:
    """Return the domains that terms with this class word use most; all when there is no term."""
    counts = glossary.domain_counts.get(word.name, Counter())
    top = max((counts.get(domain.name, 0) for domain in domains), default=0)
    return tuple(domain for domain in domains if counts.get(domain.name, 0) == top)


def _fitting(
    domains: tuple[Domain, ...], type_text: str | None, dialect: str | None
) -> tuple[Domain, ...]:
    """Return the domains whose type is exactly the declared one."""
    if type_text is None:
        return ()
    return tuple(d for d in domains if difference(type_text, d, dialect=dialect) is None)
