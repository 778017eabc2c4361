"""Docstring coverage: what counts, and what its options leave out."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.docstrings.coverage import (
    CountRule,
    Ignorable,
    coverage,
    coverage_by_file,
    find_missing,
)
from minerva_insilico.core.index.index import Index, SymbolRef

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

SOURCE = (
    "class _Half:\n    def inside(self): ...\n"
    "class T:\n"
    "    def __init__(self): ...\n"
    "    def __repr__(self): ...\n"
    "    def __secret(self): ...\n"
    "    @property\n    def total(self): ...\n"
    "    @total.setter\n    def total(self, value): ...\n"
    "    @overload\n    def load(self): ...\n"
    "    class Inner:\n        def deep(self): ...\n"
    "def f():\n    async def g(): ...\n    class Local:\n        def deepest(self): ...\n"
)
ALL = {
    "pkg._core", "pkg._core._Half", "pkg._core._Half.inside", "pkg._core.T",
    "pkg._core.T.__init__", "pkg._core.T.__repr__", "pkg._core.T.__secret",
    "pkg._core.T.total:8", "pkg._core.T.total:10", "pkg._core.T.Inner",
    "pkg._core.T.Inner.deep", "pkg._core.f", "pkg._core.f.g", "pkg._core.f.Local",
    "pkg._core.f.Local.deepest",
}  # fmt: skip


def test_b5_coverage_of_the_package(pkg: Path, open_index: Open) -> None:
    """B5: three modules, load, run, T and T.m; only the class is documented."""
    counted = coverage(open_index(pkg))

    assert (counted.total, counted.covered, counted.missing, counted.percent) == (7, 1, 6, 14.3)


def test_everything_counts_and_an_empty_docstring_does_not(write: Write, open_index: Open) -> None:
    """Nested, private, magic: what interrogate counts with no option set."""
    source = (
        '"""Rates."""\n'
        "class _T:\n    def __init__(self): ...\n    def __repr__(self):\n        '   '\n"
        "    class Inner:\n        'Rates.'\n"
        "def f():\n    async def g():\n        'Rates.'\n    if f:\n        def h(): ...\n"
    )
    index = open_index(write("pkg", {"a.py": source, "b/__init__.py": ""}))

    assert [(item.path, item.line, item.kind) for item in find_missing(index).items] == [
        ("a.py", 2, "class"),
        ("a.py", 3, "method"),
        ("a.py", 4, "method"),
        ("a.py", 8, "function"),
        ("a.py", 12, "function"),
        ("b/__init__.py", 1, "module"),
    ]
    assert {path: item.percent for path, item in coverage_by_file(index).items()} == {
        "a.py": 37.5,
        "b/__init__.py": 0.0,
    }


@pytest.mark.parametrize(
    ("ignored", "gone"),
    [
        ("init-method", {"T.__init__"}),
        ("magic", {"T.__repr__"}),
        ("private", {"T.__secret"}),
        ("semiprivate", {"_Half", "_Half.inside"}),
        ("property-decorators", {"T.total:8", "T.total:10"}),
        ("setters", {"T.total:10"}),
        ("nested-functions", {"f.g"}),
        ("nested-classes", {"T.Inner", "T.Inner.deep", "f.Local", "f.Local.deepest"}),
        ("module", {""}),
        ("init-module", set[str]()),
    ],
)
def test_an_option_leaves_out_what_it_says(
    write: Write, open_index: Open, ignored: str, gone: set[str]
) -> None:
    """And what stands inside that; nothing else."""
    index = open_index(write("pkg", {"_core.py": SOURCE}))
    rule = CountRule(frozenset({Ignorable(ignored)}))

    found = names(find_missing(index, rule=rule).items)

    assert ALL - found == {f"pkg._core.{name}".rstrip(".") for name in gone}


def test_public_only_is_what_users_of_the_code_can_reach(write: Write, open_index: Open) -> None:
    """No `_names`, nothing inside functions, no `_modules`; magic methods stay."""
    tree = {"_core.py": SOURCE, "api.py": SOURCE, "_deep/mod.py": SOURCE, "__main__.py": ""}
    index = open_index(write("pkg", tree))

    found = names(find_missing(index, rule=CountRule(public_only=True)).items)

    assert found == {
        "pkg.__main__", "pkg.api", "pkg.api.T", "pkg.api.T.__init__", "pkg.api.T.__repr__",
        "pkg.api.T.total:8", "pkg.api.T.total:10", "pkg.api.T.Inner",
        "pkg.api.T.Inner.deep", "pkg.api.f",
    }  # fmt: skip


def test_a_tree_without_definitions_lacks_nothing(write: Write, open_index: Open) -> None:
    """100 %, as interrogate says since 1.3.2; nothing is divided by zero."""
    rule = CountRule(frozenset({Ignorable.MODULE}))

    assert coverage(open_index(write("pkg", {"a.py": "x = 1\n"})), rule=rule).percent is None


def names(symbols: tuple[SymbolRef, ...]) -> set[str]:
    """Name symbols; the two methods called `total` by their lines, too."""
    return {
        f"{item.qualname}:{item.line}" if item.qualname.endswith(".total") else item.qualname
        for item in symbols
    }


SAY_NOTHING = {
    "def load_order(): ...": [
        "Load order.", "Loads an order", "load_order", "Load the order.", "TODO", "TODO: write me",
        "...", "Function load_order.", "_summary_", "[summary]", "FIXME description",
        "Loading orders.",
    ],
    "def f(path: str) -> int: ...": [
        "F.\n\n    Args:\n        path (str): Required.\n\n    Returns:\n        int: _type_",
        ":param path: path\n    :type path: str\n    :return: int",
    ],
    "class OrderLine: ...": ["OrderLine class.", "The order line.", "Class for OrderLine."],
    "class Till:\n    def __init__(self): ...": [
        "Initialize self.", "Initialise the instance.", "Constructor.", "Init method.",
        "Initialize self.  See help(type(self)) for accurate signature.",
    ],
    "class Till:\n    def __repr__(self): ...": ["Return repr(self).", "__repr__"],
    "def 조회(이름): ...": ["조회 함수", "TODO 설명 추가"],
}  # fmt: skip
SAY_SOMETHING = {
    "def load_order(): ...": [
        "Load an order from the archive.", "Return None if there is none open.", "환자를 찾는다.",
        "Load order.\n\n    Locks the table while it reads.",
    ],
    "class Till:\n    def __init__(self): ...": ["Open the drawer."],
    "def is_empty(basket): ...": ["True if nothing was put in."],
}  # fmt: skip


def documented(source: str, docstring: str) -> str:
    """Return the innermost definition of a source with a docstring."""
    return source.replace(": ...", f':\n        """{docstring}"""')


@pytest.mark.parametrize(
    ("sources", "filler"),
    [(SAY_NOTHING, True), (SAY_SOMETHING, False)],
    ids=["nothing", "something"],
)
def test_filler_is_never_coverage(
    write: Write, open_index: Open, sources: dict[str, list[str]], *, filler: bool
) -> None:
    """A placeholder, or the name said again, in the words of editors and of Python."""
    texts = [documented(source, text) for source, found in sources.items() for text in found]
    tree = {f"m{number}.py": text for number, text in enumerate(texts)}
    index = open_index(write("pkg", tree))
    rule = CountRule(frozenset({Ignorable.MODULE}))

    counts = {path: item.filler for path, item in coverage_by_file(index, rule=rule).items()}

    wrong = [texts[int(path[1:-3])] for path, count in counts.items() if bool(count) != filler]
    assert (len(counts), wrong) == (len(texts), [])


@pytest.mark.parametrize("name", ["overload", "typing.overload", "t.overload"])
def test_overload_stubs_count_neither_way(write: Write, open_index: Open, name: str) -> None:
    """Whether they have a docstring or not; their implementation counts."""
    source = f"@{name}\ndef f(a): ...\n@{name}\ndef f(b): 'Rates.'\ndef f(c): ...\n"
    index = open_index(write("pkg", {"a.py": source}))

    found = find_missing(index, rule=CountRule(frozenset({Ignorable.MODULE})))

    assert [item.line for item in found.items] == [5]
    assert coverage(index, rule=CountRule(frozenset({Ignorable.MODULE}))).total == 1
