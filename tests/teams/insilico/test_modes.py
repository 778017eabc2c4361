"""The modes of a search: callees, transitive calls, imports, shape, words, documents."""

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico import CodeSearchAgent
from minerva_insilico.agents.ast_parser import AstParserAgent
from minerva_insilico.core.facts.errors import MissingExtraError, WrongQueryError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.caller import find_callees, find_callers, find_imports
from minerva_insilico.core.queries.search import SearchQuery, search
from minerva_insilico.core.queries.symbol import find_symbol
from minerva_insilico.core.queries.text import find_sections, find_text

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

CHAIN = {
    "__init__.py": "",
    "base.py": (
        "class Base:\n    def save(self): return self.check()\n    def check(self): return 1\n"
    ),
    "child.py": (
        "from pkg.base import Base as B\n"
        "class Child(B):\n"
        "    def go(self): return self.save()\n"
        "    def check(self): return super().check()\n"
        "class Other(Unknown):\n"
        "    def go(self): return self.save()\n"
    ),
    "top.py": (
        "from pkg.child import Child\n"
        "def one(): return two()\n"
        "def two(): return Child()\n"
        "def three(child): return child.go()\n"
    ),
}


def calls(page: object) -> list[tuple[str, str, str]]:
    """Return (caller, target, resolution)."""
    return [(hit.symbol, hit.target, hit.why) for hit in page.items]  # type: ignore[attr-defined]


def test_an_inherited_method_is_exact_where_imports_prove_the_base(
    write: Write, open_index: Open
) -> None:
    """`self.save()` is the base's if the base is known; an unknown base proves nothing."""
    index = open_index(write("pkg", CHAIN))

    assert calls(find_callers(index, "Base.save")) == [
        ("pkg.child.Child.go", "pkg.base.Base.save", "exact"),
        ("pkg.child.Other.go", "Base.save", "same_name"),
    ]
    assert calls(find_callers(index, "Base.check"))[:2] == [
        ("pkg.base.Base.save", "pkg.base.Base.check", "exact"),
        ("pkg.child.Child.check", "pkg.base.Base.check", "exact"),
    ]


def test_callees_in_the_order_of_the_lines(write: Write, open_index: Open) -> None:
    """What a binding proves has its full name, what it does not keeps the bare one."""
    index = open_index(write("pkg", CHAIN))

    assert calls(find_callees(index, "top.two")) == [("pkg.top.two", "pkg.child.Child", "exact")]
    assert calls(find_callees(index, "three")) == [("pkg.top.three", "go", "same_name")]


def test_calls_are_followed_as_deep_as_asked(write: Write, open_index: Open) -> None:
    """Each step says how far away it is; recursion ends."""
    sources = {"a.py": "def f(): g()\ndef g(): h()\ndef h(): f()\ndef z(): f()\n"}
    index = open_index(write("pkg", sources))

    def found(depth: int) -> list[tuple[str, int]]:
        page = find_callers(index, "g", transitive=depth)
        return [(hit.symbol, hit.depth) for hit in page.items]

    assert found(0) == [("pkg.a.f", 0)]
    assert found(1) == [("pkg.a.f", 0), ("pkg.a.h", 1), ("pkg.a.z", 1)]
    assert found(9) == [("pkg.a.f", 0), ("pkg.a.h", 1), ("pkg.a.z", 1), ("pkg.a.g", 2)]
    callees = find_callees(index, "f", transitive=9)
    assert [(hit.target, hit.depth) for hit in callees.items] == [
        ("pkg.a.g", 0),
        ("pkg.a.h", 1),
        ("pkg.a.f", 2),
    ]


def test_what_a_module_imports(write: Write, open_index: Open) -> None:
    """Modules of the tree have their names, others stand as they were written."""
    index = open_index(write("pkg", {**CHAIN, "use.py": "import os.path\nfrom . import top\n"}))

    page = find_imports(index, "pkg.use")

    assert [(hit.symbol, hit.line) for hit in page.items] == [("os.path", 1), ("pkg.top", 2)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("parse date string", "pkg.a.parse_date_string"),
        ("parsedate", "pkg.a.parseDate"),
        ("date parse", "pkg.a.parseDate"),
        ("HTTP server", "pkg.a.HTTPServer"),
        ("ward_limit", "pkg.a.WARD_LIMIT"),
        ("opens", "pkg.a.open_ward"),
    ],
)
def test_a_definition_is_found_by_its_words(
    write: Write, open_index: Open, query: str, first: str
) -> None:
    """Snake and camel case, abbreviations, word forms and any order of words."""
    source = (
        "WARD_LIMIT = 3\ndef parse_date_string(): ...\ndef parseDate(): ...\n"
        "class HTTPServer: ...\ndef open_ward(): ...\n"
    )
    index = open_index(write("pkg", {"a.py": source}))

    assert find_symbol(index, query).items[0].qualname == first


def test_attributes_are_definitions_too(write: Write, open_index: Open) -> None:
    """A field and a constant are found where they are defined, after functions of that name."""
    index = open_index(write("pkg", {"a.py": "class T:\n    size: int = 1\ndef size(): ...\n"}))

    found = [(item.qualname, item.kind) for item in find_symbol(index, "size").items]

    assert found == [("pkg.a.size", "function"), ("pkg.a.T.size", "attribute")]


def test_text_is_found_in_files_that_do_not_parse(pkg: Path, open_index: Open) -> None:
    """And in other languages and documents, whether their grammar is installed or not."""
    (pkg / "Ward.java").write_text("class Ward { int needle; }\n")
    (pkg / "notes.md").write_text("# Needle\n")
    index = open_index(pkg)

    assert [hit.path for hit in find_text(index, "broken(").items] == ["d.py"]
    assert [hit.path for hit in find_text(index, "NEEDLE").items] == ["Ward.java", "notes.md"]
    assert find_text(index, r"^\s*class \w+", is_pattern=True).total == 2


def test_sections_of_documents_and_docstrings(write: Write, open_index: Open) -> None:
    """Titles count more than text; headings in code are no headings."""
    root = write(
        "pkg",
        {
            "a.py": 'def admit():\n    """Admit a patient to a ward."""\n',
            "guide.md": (
                "Intro of wards.\n\n# Opening\n\nHow to open a ward.\n\n```sh\n# no heading\n```\n"
                "\n## Closing a ward\n\nLock it.\n"
            ),
            "more.rst": "Billing\n=======\n\nInvoices of a ward.\n\nLate\n----\n\nReminders.\n",
        },
    )
    index = open_index(root)

    found = {(hit.path, hit.line, hit.title) for hit in find_sections(index, "wards").items}

    assert found == {
        ("a.py", 1, "pkg.a.admit"),
        ("guide.md", 1, ""),
        ("guide.md", 3, "Opening"),
        ("guide.md", 11, "Closing a ward"),
        ("more.rst", 1, "Billing"),
    }
    assert find_sections(index, "closing").items[0].title == "Closing a ward"
    assert find_sections(index, "no heading").items[0].title == "Opening"


def test_code_is_found_by_its_shape(write: Write, open_index: Open) -> None:
    """Over lines and arguments; without the extra, the way to get it is told."""
    index = open_index(write("pkg", {"a.py": "warn(\n    'x',\n    y,\n)\nother('x')\nwarn()\n"}))
    asked = SearchQuery("pattern", "warn($$$A)")

    if importlib.util.find_spec("ast_grep_py") is None:
        with pytest.raises(
            MissingExtraError, match=r"pip install 'minerva-team-insilico\[pattern\]'"
        ):
            search(index, asked)
        return
    page = search(index, asked)

    assert [(hit.line, hit.why) for hit in page.items] == [(1, "pattern"), (6, "pattern")]
    with pytest.raises(WrongQueryError):
        search(index, SearchQuery("pattern", " "))
    with pytest.raises(WrongQueryError, match="`cobol` is none of python"):
        search(index, SearchQuery("pattern", "f()", language="cobol"))


def test_other_languages_have_an_outline_with_the_extra(write: Write, open_index: Open) -> None:
    """Without it they are counted with what to type; with it their definitions are found."""
    root = write(
        "pkg",
        {
            "Ward.java": "class Ward {\n  int beds(int floor) { return 1; }\n}\n",
            "ward.js": "class Room { open() {} }\nconst close = (a) => a;\n",
            "ward.ts": "interface Bed { id: number }\nexport function bed(a: number) {}\n",
            "ward.go": "package w\ntype Nurse struct {}\nfunc (n Nurse) Care(x int) {}\n",
            "ward.sql": "CREATE TABLE tb_ward (id INT);\n",
        },
    )
    index = open_index(root)

    for tally in index.languages:
        if tally.hint:
            assert tally.parsed == 0
            assert "[polyglot]" in tally.hint
    names = ("beds", "Room", "close", "Bed", "bed", "Nurse", "Care", "tb_ward")
    wanted = {"java": 1, "javascript": 1, "typescript": 1, "go": 1, "sql": 1}
    assert {tally.language: tally.files for tally in index.languages} == wanted
    found = {name for name in names if find_symbol(index, name).total}
    parsed = {tally.language for tally in index.languages if tally.parsed}
    assert found == (set(names) if len(parsed) == len(wanted) else found)


def test_the_worker_answers_by_mode(pkg: Path) -> None:
    """A program asks without words, and gets hits with their total."""
    index = AstParserAgent().invoke({"request": "index", "source": str(pkg)})["index"]
    agent = CodeSearchAgent()

    asked = agent.invoke({"index": index, "mode": "callers", "query": "load", "limit": 1})
    said = agent.invoke({"index": index, "request": "who calls load?"})

    result = asked["result"]
    assert (result["total"], result["shown"], result["truncated"]) == (2, 1, True)
    assert (result["hits"][0]["symbol"], result["hits"][0]["why"]) == ("pkg.b.run", "exact")
    assert "**Called by: `load`** (2)" in asked["summary"]
    assert said["result"]["total"] == 2
