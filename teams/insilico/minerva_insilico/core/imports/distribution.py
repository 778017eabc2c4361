"""Which distribution a module is imported from: `yaml` is PyYAML's, `PIL` Pillow's.

Asked in this order: the names of the distribution and the module, a table of
those that differ, and what is installed beside MINERVA, whose metadata is read
and whose code is not.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import distribution, packages_distributions

from packaging.utils import canonicalize_name

from minerva_platform.text import read_words

WORDS = read_words("minerva_insilico.core.imports", "distributions")


def distributions_of(module: str) -> tuple[str, ...]:
    """Return the distributions that `module`, a dotted name, may come from, best first.

    Names are in their canonical form (PEP 503).
    """
    return _canonical([*_known(module), *_installed_for(module), *_named_alike(module)])


def likeliest_distribution(module: str) -> str:
    """Return the distribution to install for `module`: the one known, else of its first part."""
    first = module.partition(".")[0]
    return _canonical([*_known(module), *_installed_for(module), first])[0]


def _canonical(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(canonicalize_name(name)) for name in names))


def _known(module: str) -> Iterator[str]:
    for name in _prefixes(module):
        yield from known_distributions().get(name, ())


@cache
def known_distributions() -> Mapping[str, tuple[str, ...]]:
    """Return the distributions of modules that are not named as these."""
    return WORDS.table("distributions_of")


def _named_alike(module: str) -> Iterator[str]:
    """Yield `google-cloud-storage` for `google.cloud.storage`, then its packages."""
    for name in _prefixes(module):
        yield name.replace(".", "-")


def _prefixes(module: str) -> Iterable[str]:
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def _installed_for(module: str) -> list[str]:
    """Return what is installed: of a namespace that several share, those with the module."""
    found = sorted(set(_installed().get(module.partition(".")[0], [])))
    if len(found) <= 1:
        return found
    wanted = {
        end
        for name in _prefixes(module)
        if "." in name
        for end in (f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py")
    }
    return [name for name in found if wanted & _files_of(name)]


@cache
def _installed() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def _files_of(name: str) -> frozenset[str]:
    return frozenset(path.as_posix() for path in distribution(name).files or ())
