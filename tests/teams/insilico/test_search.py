"""Definitions, callers, importers and text."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.facts.errors import UnparsedSourceError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.caller import find_callers, find_importers
from minerva_insilico.core.queries.nearest import unknown
from minerva_insilico.core.queries.search import SearchMode, SearchQuery, search
from minerva_insilico.core.queries.symbol import find_symbol, largest
from minerva_insilico.core.queries.text import find_text

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def callers(index: Index, name: str) -> list[tuple[str, str, str]]:
    """Return (path:line, caller, resolution) of each call."""
    hits = find_callers(index, name).items
    return [(f"{hit.path}:{hit.line}", hit.symbol, hit.why) for hit in hits]


def test_a_definition_is_found_by_its_name(pkg: Path, open_index: Open) -> None:
    """B2: the function comes first, with path, line and qualified name."""
    first = find_symbol(open_index(pkg), "load").items[0]

    assert (first.place, first.kind, first.qualname) == ("a.py:1", "function", "pkg.a.load")
    assert first.signature == "(p)"


@pytest.mark.parametrize("query", ["load", "a.load", "pkg.a.load"])
def test_callers_say_what_the_binding_proves(pkg: Path, open_index: Open, query: str) -> None:
    """B3: the import proves one call; the method call only shares the name."""
    assert callers(open_index(pkg), query) == [
        ("b.py:4", "pkg.b.run", "exact"),
        ("c.py:4", "pkg.c.T.m", "same_name"),
    ]


def test_importers_of_a_module(pkg: Path, open_index: Open) -> None:
    """B4: whoever imports the module or a name in it."""
    assert [hit.symbol for hit in find_importers(open_index(pkg), "pkg.a").items] == ["pkg.b"]


def test_a_name_bound_elsewhere_is_no_caller(write: Write, open_index: Open) -> None:
    """`json.load` is proven to be another function, so it is not even a namesake."""
    root = write(
        "pkg",
        {
            "a.py": "def load(p): ...\n",
            "b.py": "import json\nfrom json import load\njson.load(1)\nload(2)\n",
        },
    )

    assert callers(open_index(root), "load") == []


def test_what_could_be_rebound_is_only_a_namesake(write: Write, open_index: Open) -> None:
    """Parameters, second bindings, globals and star imports prove nothing."""
    root = write(
        "pkg",
        {
            "a.py": "def load(p): ...\n",
            "param.py": "from pkg.a import load\ndef f(load): load(1)\n",
            "twice.py": (
                "try:\n    from pkg.a import load\nexcept ImportError:\n    load = None\nload(1)\n"
            ),
            "star.py": "from pkg.a import *\nload(1)\n",
            "globe.py": (
                "from pkg.a import load\ndef g():\n    global load\n    load = print\n"
                "def h(): load(1)\n"
            ),
            "loop.py": "from pkg.a import load\n[load(1) for load in chosen]\n",
        },
    )

    assert {resolution for _, _, resolution in callers(open_index(root), "load")} == {"same_name"}
    assert len(callers(open_index(root), "load")) == 5


def test_bindings_are_followed(write: Write, open_index: Open) -> None:
    """Relative imports, aliases, module attributes, re-exports, local definitions, classes."""
    root = write(
        "proj",
        {
            "pkg/__init__.py": "from .sub.a import load\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/a.py": (
                "def load(p): ...\ndef own(): load(1)\nclass T:\n    def load(self): ...\n"
            ),
            "pkg/sub/rel.py": "from .a import load as read\nfrom . import a\nread(1)\na.load(1)\n",
            "pkg/up.py": "from .sub import a\na.load(1)\n",
            "main.py": (
                "import pkg\nfrom pkg import load\nimport pkg.sub.a\n"
                "pkg.load(1)\nload(2)\npkg.sub.a.load(3)\n"
            ),
            "cls.py": "from pkg.sub.a import T\nT.load(1)\n",
        },
    )
    index = open_index(root)

    found = callers(index, "pkg.sub.a.load")
    assert [place for place, _, resolution in found if resolution == "exact"] == [
        "main.py:4",
        "main.py:5",
        "main.py:6",
        "pkg/sub/a.py:2",
        "pkg/sub/rel.py:3",
        "pkg/sub/rel.py:4",
        "pkg/up.py:2",
    ]
    assert ("cls.py:2", "cls", "exact") in callers(index, "T.load")
    modules = [hit.symbol for hit in find_importers(index, "pkg.sub.a").items]
    assert modules == ["cls", "main", "pkg", "pkg.sub.rel", "pkg.sub.rel", "pkg.up"]


BOXES = """from functools import partial
class Box:
    def __init__(self): self.size = 1
    def fill(self) -> "Box": return self
    @classmethod
    def empty(cls): return cls().fill()
class Crate(Box):
    def fill(self): super().fill()
class Form:
    def fill(self): ...
class Small(Box): ...
"""
TYPED = {
    "Box().fill()": "exact",
    "def f(box: Box): box.fill()": "exact",
    "def f(box: 'Box | None'): box.fill()": "exact",
    "def make() -> Box: ...\nmake().fill()": "exact",
    "class S:\n    def __init__(self): self.a = Box()\n    def go(self): self.a.fill()": "exact",
    "class S:\n    a: Box\ndef f(s: S): s.a.fill()": "exact",
    "class S:\n    @property\n    def a(self) -> Box: ...\nS().a.fill()": "exact",
    "def f(boxes: list[Box]):\n    for box in boxes: box.fill()": "exact",
    "def f(boxes: dict[str, Box]): return [b.fill() for b in boxes.values()]": "exact",
    "box = None\nbox = Box()\nbox.fill().fill()": "exact",
    "def f(box: Box): return partial(box.fill)": "exact",
    "Small().fill()": "exact",
    "async def make() -> Box: ...\nasync def f(): (await make()).fill()": "exact",
    "class S:\n    a = None\n    def go(self): self.a = Box(); self.a.fill()": "exact",
    "def f(rows: dict[str, T]): rows.get('a').fill()": "same_name",
    "Form().fill()": "",
    "Crate().fill()": "",
    "rows = {}\nrows.fill()": "",
    "def f(box): box.fill()": "same_name",
    "box = Box()\nbox = Form()\nbox.fill()": "same_name",
    "with Box() as box: box.fill()": "same_name",
    "box = Box()\nbox += 1\nbox.fill()": "same_name",
}


@pytest.mark.parametrize("code", TYPED)
def test_a_type_proves_whose_method_is_called(write: Write, open_index: Open, code: str) -> None:
    """Constructors, annotations, attributes, loops and returned values tell the class."""
    head = "from functools import partial\nfrom pkg.boxes import Box, Crate, Form, Small\n"
    index = open_index(write("pkg", {"boxes.py": BOXES, "use.py": head + code}))

    found = {why for place, _, why in callers(index, "Box.fill") if place.startswith("use.py")}
    assert found == ({TYPED[code]} if TYPED[code] else set())


def test_a_call_of_a_class_calls_its_init(write: Write, open_index: Open) -> None:
    """Also under an imported name and by a class that inherits it, not by a namesake."""
    use = "from pkg.boxes import Box as B, Small, Form\nB()\nSmall()\nForm()\n"
    other = "class Box: ...\nBox()\n"
    index = open_index(write("pkg", {"boxes.py": BOXES, "use.py": use, "other.py": other}))

    places = [place for place, _, _ in callers(index, "Box.__init__")]
    assert places == ["boxes.py:6", "use.py:2", "use.py:3"]


def test_a_source_folder_is_no_part_of_a_module_name(write: Write, open_index: Open) -> None:
    """`src/pkg/a.py` is imported as `pkg.a`, and a script beside it by its bare name."""
    root = write(
        "proj",
        {
            "src/pkg/__init__.py": "",
            "src/pkg/a.py": "def load(p): ...\n",
            "scripts/tool.py": "from pkg.a import load\nfrom shared import go\nload(1)\ngo()\n",
            "scripts/shared.py": "def go(): ...\n",
        },
    )
    index = open_index(root)

    assert callers(index, "pkg.a.load") == [("scripts/tool.py:3", "proj.scripts.tool", "exact")]
    assert [resolution for _, _, resolution in callers(index, "go")] == ["exact"]


def test_a_folder_without_init_is_a_part_of_its_package(write: Write, open_index: Open) -> None:
    """It keeps the full name, and a stub does not hide the module beside it."""
    root = write(
        "proj",
        {
            "pkg/__init__.py": "",
            "pkg/plain/deep/a.py": "def load(p): ...\n",
            "pkg/plain/deep/a.pyi": "def load(p: int) -> None: ...\n",
            "pkg/use.py": "from pkg.plain.deep.a import load\nload(1)\n",
        },
    )

    assert callers(open_index(root), "pkg.plain.deep.a.load") == [
        ("pkg/use.py:2", "pkg.use", "exact")
    ]


def test_the_text_of_what_is_not_parsed_is_searched(write: Write, open_index: Open) -> None:
    """Newer syntax, Cython and notebooks: their lines are shown, and the files are listed."""
    cells = '{"cells": [{"source": ["load(1)"]}]}'
    root = write(
        "pkg",
        {
            "a.py": "def load(p): ...\n",
            "new.py": "type X = int\ndef f[T](t: T): return load(t)\n",
            "fast.pyx": "cdef int f(): return load(2)\n",
            "note.ipynb": cells,
        },
    )
    index = open_index(root)

    modes: tuple[SearchMode, ...] = ("callers", "field_uses")
    for mode in modes:
        hits = search(index, SearchQuery(mode, "load")).items
        assert [(hit.path, hit.line, hit.why) for hit in hits] == [
            ("fast.pyx", 1, "text"), ("new.py", 2, "text"), ("note.ipynb", 1, "text"),
        ]  # fmt: skip
    assert search(index, SearchQuery("callers", "T")).total == 1  # no unknown name
    with pytest.raises(UnparsedSourceError):
        raise unknown(index, "module", "new")
    assert [(one.language, one.files, one.parsed) for one in index.languages] == [
        ("python", 2, 1), ("cython", 1, 0), ("notebook", 1, 0),
    ]  # fmt: skip


def test_a_function_outside_the_tree_has_callers_too(write: Write, open_index: Open) -> None:
    """`requests.get` is not defined here; the import still proves the call."""
    root = write("pkg", {"a.py": "import requests as r\nr.get('x')\n{}.get('y')\nmy.get()\n"})

    assert callers(open_index(root), "requests.get") == [
        ("a.py:2", "pkg.a", "exact"),
        ("a.py:4", "pkg.a", "same_name"),
    ]
    assert find_importers(open_index(root), "requests").total == 1


def test_results_say_how_many_there_are(write: Write, open_index: Open) -> None:
    """A list that was cut must not look complete."""
    lines = "".join(f"def load_{number}(): ...  # needle\n" for number in range(30))
    index = open_index(write("pkg", {"a.py": lines}))

    symbols, texts = find_symbol(index, "load", limit=10), find_text(index, "NEEDLE", limit=10)

    assert (symbols.total, symbols.shown, symbols.truncated) == (30, 10, True)
    assert (texts.total, texts.shown, texts.truncated) == (30, 10, True)


def test_text_is_searched_as_text(write: Write, open_index: Open) -> None:
    """No pattern syntax: a hostile pattern is just a text that does not occur."""
    index = open_index(
        write("pkg", {"a.py": "x = '(a+)+$ 환자를 찾을 수 없습니다'\n" + "a" * 50 + "\n"})
    )

    assert [hit.line for hit in find_text(index, "(a+)+$").items] == [1]
    assert [hit.line for hit in find_text(index, "환자를 찾을 수").items] == [1]
    assert find_text(index, "%").total == 0
    assert find_symbol(index, "%").total == 0


def test_complexity_follows_radon(write: Write, open_index: Open) -> None:
    """Each rule once: the numbers were worked out by hand from radon's rule."""
    source = (
        "def plain(): pass\n"
        "def branches(a, b):\n"
        "    if a and b or a:\n        return 1\n    elif a:\n        return 2\n"
        "    for x in a:\n        pass\n    else:\n        pass\n"
        "    while a: pass\n"
        "    try:\n        pass\n    except ValueError:\n        pass\n"
        "    except KeyError:\n        pass\n    else:\n        pass\n"
        "    assert a or b\n"
        "    return [x for x in a if x if b] if a else 1\n"
        "def cases(a):\n    match a:\n"
        "        case 1: pass\n        case 2: pass\n        case _: pass\n"
        "def outer(a):\n    def inner():\n        if a: pass\n    return inner\n"
        "class T:\n    def one(self): pass\n    def two(self):\n        if self: pass\n"
    )
    index = open_index(write("pkg", {"a.py": source}))
    rows = index.connection.execute("SELECT qualname, complexity FROM symbols WHERE qualname <> ''")

    assert dict(rows.fetchall()) == {
        "plain": 1,
        "branches": 16,
        "cases": 3,
        "outer": 1,
        "outer.inner": 2,
        "T": 3,
        "T.one": 1,
        "T.two": 2,
    }
    assert [item.qualname for item in largest(index, by="complexity", limit=1)] == [
        "pkg.a.branches"
    ]
