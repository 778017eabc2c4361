"""Docstring coverage, and drafts that change nothing but docstrings."""

import ast
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.coverage import coverage, coverage_by_file, undocumented
from minerva_insilico.core.draft import draft_module
from minerva_insilico.core.drafting import draft_docstrings
from minerva_insilico.core.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def bare(text: str) -> str:
    """Dump a tree without its docstrings, written apart from the code under test."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return ast.dump(tree)


def test_coverage_counts_as_interrogate_does(pkg: Path, open_index: Open) -> None:
    """B5: three modules, load, run, T and T.m; only the class is documented."""
    counted = coverage(open_index(pkg))

    assert (counted.total, counted.covered, counted.percent) == (7, 1, 14.3)


def test_everything_counts_and_an_empty_docstring_does_not(write: Write, open_index: Open) -> None:
    """Nested, private, magic, overloaded: what interrogate counts with no option set."""
    source = (
        '"""Doc."""\n'
        "class _T:\n    def __init__(self): ...\n    def __repr__(self):\n        '   '\n"
        "    class Inner:\n        'Doc.'\n"
        "def f():\n    async def g():\n        'Doc.'\n    if f:\n        def h(): ...\n"
    )
    index = open_index(write("pkg", {"a.py": source, "b/__init__.py": ""}))

    assert [(item.path, item.line, item.kind) for item in undocumented(index).items] == [
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


def test_a_draft_names_exactly_the_parameters(pkg: Path, open_index: Open) -> None:
    """B6: `load(p)` gets a docstring about p and nothing else; the tree stays the same."""
    index = open_index(pkg)
    (load,) = (item for item in undocumented(index).items if item.qualname == "pkg.a.load")

    result = draft_docstrings(index, [load])

    (draft,) = result.drafts
    assert draft.docstring == "Load.\n\nArgs:\n    p: Required."
    assert result.refused == []
    assert (pkg / "a.py").read_text() == "def load(p): ...\n"


def test_the_patch_applies_and_changes_only_docstrings(write: Write, open_index: Open) -> None:
    """The diff is one that `git apply` takes; after it, everything is documented."""
    source = (
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport os\n\n\n"
        "def one(a, /, b: int = 1, *rest: str, c, d=None, **more) -> int: return (\n    a)\n\n\n"
        "class Order(dict):\n    x = 1\n\n    @property\n    def total(self):\n"
        "        # why\n        def inner(): yield 1\n        return '환자' or inner\n\n"
        "    def check(self, p):\n"
        "        if not p: raise ValueError(p)\n        raise errors.Missing"
    )
    root = write("pkg", {"a.py": source})
    index = open_index(root)

    result = draft_docstrings(index, undocumented(index).items)

    assert result.refused == []
    command = ("git", "apply", "-")
    subprocess.run(command, input=result.patch.encode(), cwd=root, check=True)
    patched = (root / "a.py").read_text()
    assert bare(patched) == bare(source)
    assert patched.startswith('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Module a.')
    one = next(item.docstring for item in result.drafts if item.symbol.qualname.endswith("one"))
    assert one == (
        "One.\n\nArgs:\n    a: Required.\n    b (int): Default 1.\n"
        "    *rest (str): Further positional values.\n    c: Required.\n    d: Default None.\n"
        "    **more: Further named values.\n\nReturns:\n    int."
    )
    check = next(item.docstring for item in result.drafts if "check" in item.symbol.qualname)
    assert check == (
        "Check.\n\nArgs:\n    p: Required.\n\nRaises:\n    ValueError: Raised here.\n"
        "    errors.Missing: Raised here."
    )


@pytest.mark.parametrize(
    "source",
    [
        'def f(a=\'"""\'): ...\n',
        "def f(a='\\\\'): ...\n",
        "class T:\n\tdef f(self):\n\t\treturn 1\n",
        "if x:\n    def f(): return 1; y = 2\n",
        "def f(\n    a,\n): return a\n",
        "from __future__ import annotations\ndef f(): pass\n",
        "async def f():\n    async with a: pass\n",
        "",
        "def f():\n\n    # first\n\n    return 1",
        "def 환자찾기(이름): return 이름\n",
        "@a\n@b(\n    1\n)\nclass T: x = 1\n",
    ],
)
def test_a_draft_never_changes_the_meaning(source: str) -> None:
    """Quotes, backslashes, tabs, one-liners, decorators, missing line ends."""
    tree = ast.parse(source)

    result = draft_module(tree, source, "a.py", None)

    assert result["refused"] == []
    assert result["drafts"]
    assert result["patch"].startswith("--- a/a.py\n+++ b/a.py\n")


def test_an_insertion_that_would_change_the_tree_is_refused() -> None:
    """An empty docstring becomes a statement, and a backslash would join two lines."""
    source = "def f():\n    ''\n\n\ndef g(): \\\n    return 1\n\n\ndef h(): ...\n"

    result = draft_module(ast.parse(source), source, "a.py", ["f", "g", "h"])

    assert result["refused"] == ["f", "g"]
    assert [name for name, _ in result["drafts"]] == ["h"]


def test_a_file_that_changed_since_is_not_drafted(pkg: Path, open_index: Open) -> None:
    """A patch against another text would be wrong without anybody noticing."""
    index = open_index(pkg)
    (pkg / "a.py").write_text("def load(q): ...\n")

    result = draft_docstrings(index, undocumented(index).items)

    assert ("a.py", "it changed since it was indexed") in result.refused
    assert "a/a.py" not in result.patch
