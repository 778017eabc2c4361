"""Find the file that an import names, as Python would find it from this tree.

A tree may be a package, a project with a `src` folder, or a folder of scripts.
The names a file can be imported by follow from where `__init__.py` files lie
and from what the tree itself imports; two files for one name prove nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from minerva_insilico.core.visitors.visit_state import module_parts

_SOURCE_FOLDERS = frozenset({"lib", "python", "src"})


def name_modules(paths: Iterable[str], root: str, targets: Iterable[str]) -> dict[str, str]:
    """Return {path: dotted name} for the files of a tree, relative to the folder named `root`.

    `targets` are the absolute names which the files import.
    """
    known = frozenset(paths)
    first_parts = {module_parts(path)[0] for path in known if module_parts(path)}
    names = [tuple(name.split(".")) for name in targets]
    first_imported = {name[0] for name in names}
    is_namespace = root not in first_parts and any(
        name[0] == root and name[1] in first_parts for name in names if len(name) > 1
    )
    is_prefixed = root.isidentifier() and (
        (root in first_imported and root not in first_parts) or not (first_imported & first_parts)
    )
    return {
        path: _name(path, known, root, is_prefixed=is_prefixed, is_namespace=is_namespace)
        for path in known
    }


def _name(
    path: str, paths: frozenset[str], root: str, *, is_prefixed: bool, is_namespace: bool
) -> str:
    """Return the name. An imported root without `__init__.py` is a namespace."""
    parts = module_parts(path)
    start = _package_start(path, paths, spans_gaps=True)
    if start is None or is_namespace:
        return ".".join((root, *parts))
    if start < path.count("/"):
        return ".".join(parts[start:])
    if len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        return ".".join(parts[1:])
    return ".".join((root, *parts) if is_prefixed else parts)


def _package_start(path: str, paths: frozenset[str], *, spans_gaps: bool = False) -> int | None:
    """Return the number of folders above the outermost package. None if the root is one.

    With `spans_gaps`, a folder without `__init__.py` inside a package is a part of it.
    """
    folders = PurePosixPath(path).parts[:-1]
    packages = [
        depth
        for depth in range(len(folders) + 1)
        if "/".join((*folders[:depth], "__init__.py")) in paths
    ]
    nearest = packages[-1] if spans_gaps and packages else len(folders)
    while nearest in packages:
        nearest -= 1
    return None if nearest < 0 else nearest


class Modules:
    """Finds files by the names imports use."""

    def __init__(self, names: Mapping[str, str], root: str) -> None:
        """Take {path: dotted name} and the name of the root folder."""
        self.names = names
        self._paths = frozenset(names)
        self._relative: dict[str, str] = {}
        self._absolute: dict[str, set[str]] = {}
        for path, name in sorted(names.items()):
            relative = ".".join(module_parts(path))
            if path.endswith("__init__.py") or relative not in self._relative:
                self._relative[relative] = path  # a package hides the module beside it
            if path.endswith(".pyi") and path[:-1] in self._paths:
                continue  # the types of the file beside it
            aliases = {name, f"{root}.{relative}" if relative else root}
            if "__init__.py" not in self._paths:  # `import types` in a package is not its own
                aliases.add(relative)
            for alias in aliases - {""}:
                self._absolute.setdefault(alias, set()).add(path)

    def locate(self, target: str, importer: str) -> tuple[str, str] | None:
        """Return (path, rest of the name) for `target` as seen from a file, or None."""
        if target.startswith("."):
            return self._longest(target[1:], self._relative.get)
        found = self._longest(target, self._only)
        is_script = _package_start(importer, self._paths) == importer.count("/")
        return found or (self._beside(importer, target) if is_script else None)

    def matching(self, query: str) -> list[str]:
        """Return the paths of the modules a person may mean by `query`."""
        return [
            path
            for path, name in sorted(self.names.items())
            if query in {path, name} or name.endswith(f".{query}")
        ]

    def _beside(self, importer: str, target: str) -> tuple[str, str] | None:
        """Find a script's neighbour: its own folder is on Python's path."""
        folder = ".".join(PurePosixPath(importer).parts[:-1])
        for name, rest in _splits(target):
            path = self._relative.get(f"{folder}.{name}" if folder else name)
            if path:
                return path, rest
        return None

    def _only(self, name: str) -> str | None:
        found = self._absolute.get(name, set())
        return next(iter(found)) if len(found) == 1 else None

    @staticmethod
    def _longest(target: str, find: Callable[[str], str | None]) -> tuple[str, str] | None:
        for name, rest in _splits(target):
            path = find(name)
            if path is not None:
                return path, rest
        package = find("")
        return (package, target) if package is not None else None


def _splits(target: str) -> Iterator[tuple[str, str]]:
    """Yield (`a.b.c`, ``), (`a.b`, `c`), (`a`, `b.c`)."""
    parts = target.split(".") if target else []
    for end in range(len(parts), 0, -1):
        yield ".".join(parts[:end]), ".".join(parts[end:])
