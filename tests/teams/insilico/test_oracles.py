"""The same counts as interrogate, radon and grimp, on packages that strangers wrote.

The tools run as they are. Where a rule of ours differs on purpose, its test says why.
"""

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grimp
import pytest
from forms import spread
from interrogate.config import InterrogateConfig
from interrogate.coverage import InterrogateCoverage
from radon.visitors import Class, ComplexityVisitor, Function

from minerva_insilico.core.docstrings.coverage import CountRule, Ignorable, coverage
from minerva_insilico.core.imports.graph import ImportGraph, build_graph
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

PACKAGES = ("anyio", "attr", "click", "httpcore", "packaging", "yaml")
"""What the team's own dependencies bring along: asynchronous, metaprogramming, a framework, a
synchronous twin made from asynchronous code, algorithms, and the old days."""

_OPTIONS = {Ignorable.SETTERS: "ignore_property_setters"}
_RICH = "attr"
"""The package whose every option is compared: it has private, magic, nested and overloaded ones."""
_STRICTER = {Ignorable.NESTED_CLASSES, Ignorable.NESTED_FUNCTIONS}


@pytest.fixture(scope="module", params=spread(PACKAGES, 3))
def package(request: pytest.FixtureRequest) -> str:
    """Give the name of an installed package."""
    return str(request.param)


@pytest.fixture(scope="module")
def root(package: str) -> Path:
    """Give the folder of the package."""
    return folder_of(package)


def folder_of(package: str) -> Path:
    """Return where an installed package lies; nothing is imported for it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def index(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterable[Index]:
    """Give the index of the package."""
    done = index_tree(root, home=tmp_path_factory.mktemp("home"))
    assert (done.failed, done.skipped) == ((), ())
    with Index(done.database) as opened:
        yield opened


@pytest.fixture(scope="module")
def graph(index: Index) -> ImportGraph:
    """Give the imports of the package."""
    return build_graph(index)


@pytest.fixture(scope="module")
def oracle(package: str) -> grimp.ImportGraph:
    """Give the imports as grimp sees them."""
    return grimp.build_graph(package, cache_dir=None)


@pytest.mark.small(1)
@pytest.mark.slow
def test_docstring_coverage_is_interrogates(root: Path, index: Index) -> None:
    """Total and covered, as `interrogate PATH` counts with no option.

    It counts `@overload` stubs (its option for them misses `t.overload`), and any docstring.
    """
    theirs = InterrogateCoverage([str(root)]).get_coverage()
    stubs = [
        is_documented
        for decorators, is_documented in index.connection.execute(
            "SELECT decorators, documented FROM symbols"
        )
        if any(item.rpartition(".")[2] == "overload" for item in decorators.splitlines())
    ]

    ours = coverage(index)

    assert (ours.total, ours.covered + ours.filler) == (
        theirs.total - len(stubs), theirs.covered - sum(stubs),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("option", spread([item for item in Ignorable if item not in _STRICTER], 3))
def test_the_options_are_interrogates(tmp_path: Path, option: Ignorable) -> None:
    """Each `--ignore-…` leaves out the same definitions.

    Two are not compared: interrogate counts asynchronous functions in functions although
    nested functions are ignored, and what lies two levels deep in an ignored class.
    """
    name = _OPTIONS.get(option, f"ignore_{option.replace('-', '_')}")
    root = folder_of(_RICH)
    config = InterrogateConfig(**{name: True, "ignore_overloaded_functions": True})
    theirs = InterrogateCoverage([str(root)], conf=config).get_coverage()

    with Index(index_tree(root, home=tmp_path).database) as index:
        ours = coverage(index, rule=CountRule(frozenset({option})))

    assert (ours.total, ours.covered + ours.filler) == (theirs.total, theirs.covered)


@pytest.mark.slow
def test_complexity_is_radons(root: Path, index: Index) -> None:
    """Every class, method, function and closure that radon names, in every file.

    Radon leaves out classes inside functions, which have a number here; so each of its
    blocks must be ours, not each of ours its.
    """
    rows = index.connection.execute(
        "SELECT f.path, s.qualname, s.line, s.complexity FROM symbols AS s"
        " JOIN files AS f ON f.id = s.file"
    )
    ours = set(rows.fetchall())
    theirs = {
        (path.relative_to(root).as_posix(), *block)
        for path in root.rglob("*.py")
        for block in radon_blocks(path.read_text(encoding="utf-8"))
    }

    assert theirs - ours == set()
    assert len(theirs) > len(ours) / 2


def radon_blocks(text: str) -> Iterable[tuple[str, int, int]]:
    """Yield (qualified name, line, complexity) of everything radon measures."""
    visitor = ComplexityVisitor.from_code(text)
    yield from _blocks([*visitor.functions, *visitor.classes], "")


def _blocks(blocks: Iterable[Any], above: str) -> Iterable[tuple[str, int, int]]:
    for block in blocks:
        name = f"{above}{block.name}"
        yield name, block.lineno, block.complexity
        if isinstance(block, Class):
            yield from _blocks([*block.methods, *block.inner_classes], f"{name}.")
        elif isinstance(block, Function):
            yield from _blocks(block.closures, f"{name}.")


def test_imports_are_grimps(graph: ImportGraph, oracle: grimp.ImportGraph) -> None:
    """The same modules, and the same imports between them with the same lines.

    Grimp keeps a module's import of itself, which says nothing to anybody; we do not.
    """
    theirs = {
        (importer, imported): lines_of(oracle, importer, imported)
        for importer in oracle.modules
        for imported in oracle.find_modules_directly_imported_by(importer)
        if importer != imported
    }
    ours = {
        (importer, imported): {place.line for place in places}
        for importer, targets in graph.imports.items()
        for imported, places in targets.items()
    }

    assert graph.modules == oracle.modules
    assert ours == theirs


def lines_of(oracle: grimp.ImportGraph, importer: str, imported: str) -> set[int]:
    """Return the lines on which grimp sees an import."""
    details = oracle.get_import_details(importer=importer, imported=imported)
    return {detail["line_number"] for detail in details}


def test_importers_and_chains_are_grimps(graph: ImportGraph, oracle: grimp.ImportGraph) -> None:
    """All who import a module through others, and how many steps the shortest way has."""
    modules = sorted(graph.modules)[:12]
    for module in modules:
        layers = graph.importers(module)
        upstream = {name for layer in layers for name in layer}
        assert upstream == oracle.find_downstream_modules(module) - {module}
        for steps, layer in enumerate(layers, start=1):
            chain = oracle.find_shortest_chain(importer=layer[0], imported=module)
            assert chain is not None
            assert len(graph.chain(layer[0], module)) == len(chain) == steps + 1
    upstream = {name for layer in graph.importers(modules[0]) for name in layer}
    for unrelated in graph.modules - upstream - {modules[0]}:
        assert graph.chain(unrelated, modules[0]) == ()


def test_modules_of_a_cycle_reach_each_other(graph: ImportGraph, oracle: grimp.ImportGraph) -> None:
    """Two modules are in one cycle if and only if grimp finds chains both ways."""
    together = {frozenset(cycle.modules) for cycle in graph.cycles()}
    theirs = {
        frozenset(mutual)
        for module in oracle.modules
        if len(
            mutual := {module}
            | (oracle.find_upstream_modules(module) & oracle.find_downstream_modules(module))
        )
        > 1
    }

    assert together == theirs
    for cycle in graph.cycles():
        assert cycle.chain[0] == cycle.chain[-1]
        assert set(cycle.chain) <= set(cycle.modules)
        steps = zip(cycle.chain, cycle.chain[1:], strict=False)
        assert all(graph.places(importer, imported) for importer, imported in steps)
