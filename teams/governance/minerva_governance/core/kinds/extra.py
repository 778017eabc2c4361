"""What has to be installed before the values of a kind can be checked."""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec

from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.kinds", "kinds")
_MODULES = {"numbers": ("stdnum", "phonenumbers")}


@cache
def has_extra(extra: str) -> bool:
    """True if the libraries of an extra of this distribution are installed."""
    return all(find_spec(module) is not None for module in _MODULES[extra])


def describe_unchecked(
    kind_ids: Iterable[str],
    *,
    language: Language,
    is_installed: Callable[[str], bool] = has_extra,
) -> str | None:
    """Return which of the kinds are known by form only and what to type; None if all are checked.

    A rule on them must not pass.
    """
    kinds = [current_catalogue().get(kind_id) for kind_id in kind_ids]
    missing = [kind for kind in kinds if kind and kind.needs and not is_installed(kind.needs)]
    if not missing:
        return None
    names = ", ".join(kind.id for kind in missing)
    return TEXTS("unchecked", language, kinds=names, extra=missing[0].needs)
