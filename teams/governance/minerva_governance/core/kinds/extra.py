"""What has to be installed before the values of a kind can be checked."""

from functools import cache
from importlib.util import find_spec

from minerva_governance.core.kinds.catalogue import catalogue
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.kinds", "kinds")
_MODULES = {"numbers": ("stdnum", "phonenumbers")}


@cache
def has_extra(extra: str) -> bool:
    """True if the libraries of an extra of this distribution are installed."""
    return all(find_spec(module) is not None for module in _MODULES[extra])


def unchecked(kind_id: str, *, language: Language) -> str | None:
    """Return why values of the kind are known by form only and what to type; None if checked."""
    kind = catalogue().get(kind_id)
    if kind is None or not kind.needs or has_extra(kind.needs):
        return None
    name = kind.ko if language == "ko" else kind.en
    return TEXTS("unchecked", language, kind=name, extra=kind.needs)
