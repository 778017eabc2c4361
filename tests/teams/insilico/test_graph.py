"""Who imports whom: cycles, chains, layers, and what is no import of the tree."""

from collections.abc import Callable, Mapping
from pathlib import Path

from minerva_insilico.core.imports.graph import Cycle, ImportGraph, ImportPlace, build_graph
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def graph_of(write: Write, open_index: Open, sources: Mapping[str, str | bytes]) -> ImportGraph:
    """Index a package and return its imports."""
    return build_graph(open_index(write("pkg", {"__init__.py": "", **sources})))


def test_b9_two_modules_that_import_each_other_are_one_cycle(
    write: Write, open_index: Open
) -> None:
    """B9: a → b → a is one cycle of [pkg.a, pkg.b], with the lines that close it."""
    sources = {"a.py": "from pkg import b\n", "b.py": "\nimport pkg.a\n", "c.py": "import pkg.a\n"}
    graph = graph_of(write, open_index, sources)

    (cycle,) = graph.cycles()

    assert cycle == Cycle(("pkg.a", "pkg.b"), ("pkg.a", "pkg.b", "pkg.a"), at_start=True)
    assert graph.places("pkg.b", "pkg.a") == (ImportPlace("b.py", 2, ""),)


def test_a_namespace_prefixes_all_of_its_modules(write: Write, open_index: Open) -> None:
    """A root without `__init__.py` that its modules are imported from is part of every name."""
    sources = {
        "types.py": "",
        "graph/__init__.py": "",
        "graph/state.py": "from ns.types import State\n",
        "checkpoint/base/__init__.py": "from ns.graph import state\n",
    }
    graph = build_graph(open_index(write("ns", sources)))

    assert graph.places("ns.graph.state", "ns.types") == (ImportPlace("graph/state.py", 1, ""),)
    assert graph.places("ns.checkpoint.base", "ns.graph.state")


def test_a_cycle_tells_whether_loading_goes_around(write: Write, open_index: Open) -> None:
    """An import inside a function, or for type checkers, closes none while loading."""
    late = "def f():\n    from pkg import a\n"
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n"
    caught = "try:\n    from . import a\nexcept ImportError:\n    a = None\n"
    found = {
        text: graph_of(write, open_index, {"a.py": "from . import b\n", "b.py": text}).cycles()
        for text in (late, typed, caught)
    }

    assert [[cycle.at_start for cycle in cycles] for cycles in found.values()] == [
        [False],
        [False],
        [True],
    ]


def test_the_chain_of_a_cycle_is_one_that_loading_goes(write: Write, open_index: Open) -> None:
    """A shorter way through a lazy import would blame the wrong line."""
    graph = graph_of(
        write,
        open_index,
        {
            "a.py": "from . import b\ndef f():\n    from . import c\n",
            "b.py": "from . import c\n",
            "c.py": "from . import a\n",
        },
    )

    (cycle,) = graph.cycles()

    assert cycle.chain == ("pkg.a", "pkg.b", "pkg.c", "pkg.a")


def test_chains_and_layers(write: Write, open_index: Open) -> None:
    """The shortest way, and all who are reached by a change, step by step."""
    sources = {
        "a.py": "",
        "b.py": "from .a import x\n",
        "c.py": "from pkg.b import y\n",
        "d.py": "import pkg.c, pkg.b\n",
        "e.py": "import json\n",
    }
    graph = graph_of(write, open_index, sources)

    assert graph.chain("pkg.d", "pkg.a") == ("pkg.d", "pkg.b", "pkg.a")
    assert graph.chain("pkg.a", "pkg.d") == ()
    assert graph.chain("pkg.a", "pkg.a") == ("pkg.a",)
    assert graph.importers("pkg.a") == (("pkg.b",), ("pkg.c", "pkg.d"))
    assert graph.imported_by("pkg.d") == ("pkg.b", "pkg.c")
    assert graph.matching("c") == ("pkg.c",)


def test_names_of_the_standard_library_are_not_the_packages_own(
    write: Write, open_index: Open
) -> None:
    """`import types` in a package that has a `types.py` is Python's; `from . import` is not."""
    graph = graph_of(
        write, open_index, {"types.py": "", "a.py": "import types\n", "b.py": "from . import types"}
    )

    assert graph.importers("pkg.types") == (("pkg.b",),)


def test_a_file_that_does_not_parse_costs_only_itself(write: Write, open_index: Open) -> None:
    """Grimp gives up the whole graph; here the others are told."""
    graph = graph_of(write, open_index, {"a.py": "def (:\n", "b.py": "import pkg.c", "c.py": ""})

    assert graph.imports == {"pkg.b": {"pkg.c": (ImportPlace("b.py", 1, ""),)}}


def test_a_long_chain_needs_no_recursion() -> None:
    """Three thousand modules in one ring: the interpreter's stack must not end there."""
    size = 3000
    modules = tuple(f"m{number:04}" for number in range(size))
    graph = ImportGraph(
        frozenset(modules),
        {
            name: {modules[(number + 1) % size]: (ImportPlace(f"{name}.py", 1, ""),)}
            for number, name in enumerate(modules)
        },
    )

    (cycle,) = graph.cycles()

    assert len(cycle.chain) == size + 1
    assert len(graph.importers("m0000")) == size - 1
