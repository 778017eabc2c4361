"""Compare what a project declares with what its sources import.

What is declared and never imported may be used by name (a plug-in, a command);
what is imported and never declared breaks in the next fresh environment.
"""

import os
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.readable_files import read_source
from minerva_insilico.core.facts.unread import unread_text
from minerva_insilico.core.imports.graph import ImportPlace, locate_import
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.parsing.masked_source import masked_source
from minerva_insilico.core.parsing.parser import Failure, Parser
from minerva_platform.text import Language, code_span, read_texts, read_words, real_path
from minerva_reading import MAIN_GROUP, DeclarationProblem

TEXTS = read_texts("minerva_insilico.core.imports", "problems")

MAX_BYTES = 1024 * 1024
"""A manifest larger than this is not read."""

_MAX_DEPTH = 3
"""Of folders with sources whose manifests are read: deeper ones are examples, or vendored."""
_MAX_FOLDERS = 200
_MAX_MANIFESTS = 200
_MAX_CHARACTERS = 80
"""Of a path that a problem quotes."""
_MANIFEST = re.compile(
    r"Pipfile|pyproject\.toml|setup\.cfg|setup\.py|(?:[\w.-]+-)?requirements(?:[-_.][\w.-]+)?\.(?:txt|in)"
)
_UNREAD = re.compile(
    r"""Pipfile\.lock | (?:poetry|pdm|uv)\.lock | pylock(?:\.[\w-]+)?\.toml   # locks
        | (?:conda-?)?(?:environment|env)(?:[-_.][\w-]+)?\.ya?ml | meta\.yaml   # conda
        | tox\.ini | noxfile\.py | constraints(?:[-_.][\w-]+)?\.txt""",
    re.VERBOSE,
)
"""Files that name distributions as well, and that are not read."""
_REQUIREMENTS = re.compile(r"[\w.-]+\.(?:txt|in)")
_NOT_ON_AN_INDEX = frozenset({"__main__", "_typeshed", "__future__"})


@dataclass(frozen=True)
class Declaration:
    """A requirement of the project."""

    name: str
    """As it is written."""
    group: str
    """`main`, `extra:NAME`, `dev:NAME`, or `lock` for what a resolver wrote."""
    path: str
    line: int


@dataclass(frozen=True)
class ManifestProblem:
    """Something in a manifest that could not be read."""

    path: str
    line: int
    kind: DeclarationProblem
    quote: str
    """The text of the manifest at that place. For `other`, the reader's message."""

    def text(self, language: Language) -> str:
        """Return what is wrong, as a clause of Markdown."""
        is_said = self.kind == "other" and language == "en"
        quoted = self.quote if is_said else code_span(self.quote)
        return TEXTS(self.kind, language, quoted=quoted)


@dataclass(frozen=True)
class Distribution:
    """A distribution that the sources import."""

    name: str
    """Its canonical name: the declared one, else the likeliest."""
    modules: tuple[str, ...]
    """The modules imported from it."""
    places: tuple[ImportPlace, ...]

    @property
    def is_optional(self) -> bool:
        """True if the code runs without it: caught `ImportError`, or for type checkers alone."""
        return all(place.guard in {"fallback", "type_checking"} for place in self.places)


@dataclass(frozen=True)
class Requirements:
    """The declared and the imported distributions, and their differences."""

    manifests: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    distributions: tuple[Distribution, ...]
    missing: tuple[Distribution, ...]
    """Imported, not declared."""
    optional: tuple[Distribution, ...]
    """Imported where the code can do without, not declared."""
    unused: tuple[Declaration, ...]
    """Declared for running, not imported. It may still be a plug-in or a command."""
    problems: tuple[ManifestProblem, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that may declare requirements and are not read: locks, and other tools' files."""

    @property
    def in_both(self) -> tuple[Distribution, ...]:
        """Declared and imported."""
        names = {str(canonicalize_name(item.name)) for item in self.declarations}
        return tuple(item for item in self.distributions if item.name in names)


def compare_requirements(index: Index) -> Requirements:
    """Read the manifests of a tree and compare them with the imports of its sources."""
    manifests: list[str] = []
    declared: list[Declaration] = []
    problems: list[ManifestProblem] = []
    own: set[str] = set()
    found, unread = _manifests(index)
    with Parser() as parser:
        while found:
            path = found.pop(0)
            manifests.append(path)
            project, elsewhere = _read_manifest(index, path, parser, declared, problems)
            own |= {canonicalize_name(project)} if project else set()
            for other, line in elsewhere:
                referred = posixpath.normpath(posixpath.join(posixpath.dirname(path), other))
                if referred in manifests or referred in found:
                    continue
                if len(manifests) + len(found) < _MAX_MANIFESTS and not _is_outside(referred):
                    found.append(referred)
                else:
                    problems.append(ManifestProblem(path, line, "unread", other[:_MAX_CHARACTERS]))
    names = {str(canonicalize_name(item.name)) for item in declared}
    imported = _find_distributions(index, names)
    used = {item.name for item in imported}
    missing = [item for item in imported if item.name not in names | own]
    return Requirements(
        manifests=tuple(manifests),
        declarations=tuple(declared),
        distributions=tuple(imported),
        missing=tuple(item for item in missing if not item.is_optional),
        optional=tuple(item for item in missing if item.is_optional),
        unused=tuple(item for item in declared if _is_unused(item, used | own)),
        problems=tuple(problems),
        unread=tuple(unread),
    )


def _is_unused(item: Declaration, used: set[str]) -> bool:
    name = canonicalize_name(item.name)
    is_for_checkers = name.startswith("types-") or name.endswith("-stubs")
    is_for_running = item.group == MAIN_GROUP or item.group.startswith("extra:")
    return is_for_running and not is_for_checkers and name not in used


def _is_outside(path: str) -> bool:
    """True if a path leaves the tree, or is an address."""
    return path.startswith(("/", "..")) or ":" in path


def _manifests(index: Index) -> tuple[list[str], list[str]]:
    """Return the manifests of the root and of the folders with sources, near the root.

    Beside them it returns files that may declare something and are not read.
    """
    found: list[str] = []
    unread: list[str] = []
    folders = {""}
    for path in index.modules.names:
        parts = PurePosixPath(path).parts[:-1][:_MAX_DEPTH]
        folders |= {"/".join(parts[:end]) for end in range(1, len(parts) + 1)}
    for folder in sorted({*folders, "requirements"})[:_MAX_FOLDERS]:
        pattern = _REQUIREMENTS if folder.rpartition("/")[2] == "requirements" else _MANIFEST
        for name in _files(index, folder):
            path = f"{folder}/{name}" if folder else name
            if pattern.fullmatch(name):
                found.append(path)
            elif _UNREAD.fullmatch(name):
                unread.append(path)
    return found, unread


def _files(index: Index, folder: str) -> list[str]:
    try:
        with os.scandir(real_path(index.root / folder)) as entries:
            return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []  # a folder that went, or was never there, holds no manifest


def _read_manifest(
    index: Index,
    path: str,
    parser: Parser,
    declarations: list[Declaration],
    problems: list[ManifestProblem],
) -> tuple[str, list[tuple[str, int]]]:
    """Add a manifest's requirements. Return its project's name, and the files it refers to."""
    try:
        source = read_source(index.root, path, limit=MAX_BYTES)
    except UnreadableSourceError as error:
        problems.append(ManifestProblem(path, 1, "other", unread_text(error.reason, "en")))
        return "", []
    source = masked_source(source, "")  # the addresses of authors, which a problem may quote
    answer = parser.ask({"do": "manifest", "path": path}, source)
    if isinstance(answer, Failure):
        problems.append(ManifestProblem(path, answer.line or 1, "other", answer.error))
        return "", []
    found, _ = answer
    declarations += [
        Declaration(name, group, path, line) for name, group, line in found["declared"]
    ]
    problems += [ManifestProblem(path, *row) for row in found["problems"]]
    return str(found["project"]), found["elsewhere"]


def _find_distributions(index: Index, declared_names: set[str]) -> list[Distribution]:
    """Return the distributions that imports name: a declared one if it can be."""
    modules: dict[str, set[str]] = {}
    places: dict[str, list[ImportPlace]] = {}
    for module, place in _foreign(index):
        candidates = distributions_of(module)
        name = next((item for item in candidates if item in declared_names), None)
        best = name or likeliest_distribution(module)
        modules.setdefault(best, set()).add(module if name else module.partition(".")[0])
        places.setdefault(best, []).append(place)
    return [
        Distribution(name, tuple(sorted(modules[name])), tuple(dict.fromkeys(places[name])))
        for name in sorted(modules)
    ]


def _foreign(index: Index) -> Iterator[tuple[str, ImportPlace]]:
    """Yield the imported modules that are neither the tree's own nor Python's."""
    own = {name.partition(".")[0] for name in index.modules.names.values()} | {index.root.name}
    for path, line, target, name, guard in index.connection.execute(
        "SELECT f.path, i.line, i.target, i.name, i.guard FROM imports AS i"
        " JOIN files AS f ON f.id = i.file WHERE i.target NOT LIKE '.%' ORDER BY f.path, i.line"
    ):
        first = target.partition(".")[0]
        is_python = first in sys.stdlib_module_names or first in _NOT_ON_AN_INDEX
        if is_python or first in own or locate_import(index.modules, path, target, name):
            continue
        full = f"{target}.{name}" if name and name != "*" else target
        yield full, ImportPlace(path, line, guard)


WORDS = read_words("minerva_insilico.core.imports", "distributions")


def distributions_of(module: str) -> tuple[str, ...]:
    """Return the distributions that `module`, a dotted name, may come from, best first.

    `yaml` is PyYAML's, `PIL` Pillow's. Asked in this order: the names of the distribution and the
    module, a table of those that differ, and what is installed beside MINERVA, whose metadata is
    read and whose code is not. Names are in their canonical form (PEP 503).
    """
    return _canonical([*_from_table(module), *_installed_for(module), *_named_alike(module)])


def likeliest_distribution(module: str) -> str:
    """Return the distribution to install for `module`: the one known, else of its first part."""
    first = module.partition(".")[0]
    return _canonical([*_from_table(module), *_installed_for(module), first])[0]


def _canonical(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(canonicalize_name(name)) for name in names))


def _from_table(module: str) -> Iterator[str]:
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
    found = sorted(set(_installed_by_module().get(module.partition(".")[0], [])))
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
def _installed_by_module() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def _files_of(name: str) -> frozenset[str]:
    return frozenset(path.as_posix() for path in distribution(name).files or ())
