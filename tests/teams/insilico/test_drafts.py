"""Drafts have the parts that the source proves, look as asked for, and change nothing else."""

import ast
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import griffe
import pytest

from minerva_insilico.core.docstrings.coverage import coverage, find_missing
from minerva_insilico.core.docstrings.docstyle import STYLES, Style
from minerva_insilico.core.docstrings.drafting import (
    Drafts,
    draft_docstrings,
    place_of,
    style_in_use,
)
from minerva_insilico.core.docstrings.module_draft import (
    DOCUMENTED,
    NOT_ENCODABLE,
    OVERLOAD,
    draft_module,
)
from minerva_insilico.core.index.index import Index, SymbolRef

DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
GIT = shutil.which("git") or "git"

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def bare(text: str | bytes) -> str:
    """Dump a tree without its docstrings, written apart from the code under test."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            first = node.body[0] if node.body else None
            value = first.value if isinstance(first, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                node.body = node.body[1:]
    return ast.dump(tree)


def words_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Say something of every part; of exceptions nothing, so that their conditions stand."""
    names = [item["name"].lstrip("*") for item in described["parameters"]]
    parameters = {name: f"About {name}." for name in names}
    return {"title": "Work.", "parameters": parameters, "result": "What comes out."}


def worded(source: bytes, *, style: Style = "google") -> Any:
    """Draft for all that a source has, in words of our own."""
    described = draft_module(source, "a.py").described
    words = {place: words_of(parts) for place, parts in described.items()}
    return draft_module(source, "a.py", style=style, words=words)


def drafted(source: str, *, style: Style = "google") -> list[str]:
    """Return the drafts for a source but its module's, in order of the lines."""
    found = worded(source.encode(), style=style)
    assert found.refused == {}
    return [text for place, text in sorted(found.drafts.items()) if place]


def drafts_for(index: Index, symbols: Iterable[SymbolRef]) -> Drafts:
    """Draft for symbols of an index, in words of our own."""
    subjects = draft_docstrings(index, symbols).subjects
    words = {place_of(one.symbol): words_of(one.described) for one in subjects}
    return draft_docstrings(index, [one.symbol for one in subjects], words=words)


def test_b6_a_draft_names_exactly_the_parameters(pkg: Path, open_index: Open) -> None:
    """B6: `load(p)` gets a docstring about p and nothing else; no file changes."""
    index = open_index(pkg)
    (load,) = (item for item in find_missing(index).items if item.qualname == "pkg.a.load")

    result = drafts_for(index, [load])

    (draft,) = result.drafts
    assert draft.docstring == "Work.\n\nArgs:\n    p: About p."
    assert result.refused == ()
    assert (pkg / "a.py").read_text() == "def load(p): ...\n"


def test_without_words_there_is_no_draft(pkg: Path, open_index: Open) -> None:
    """What only repeats the signature is no documentation; the parts are known, though."""
    index = open_index(pkg)

    result = draft_docstrings(index, find_missing(index).items)

    assert (result.drafts, result.patch) == ((), "")
    assert "pkg.a.load" in [one.symbol.qualname for one in result.subjects]


@pytest.mark.parametrize("name", ["overload", "typing.overload", "t.overload"])
def test_overload_stubs_are_left_alone(name: str) -> None:
    """The implementation is what carries the docstring."""
    source = f"@{name}\ndef f(a: int) -> int: ...\ndef f(a): return a\n".encode()

    found = worded(source)

    assert found.refused == {2: OVERLOAD}
    assert sorted(found.drafts) == [0, 3]


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
    root = write("pkg", {"a.py": source, "src dir/b.py": "x = 1\r\ndef f(): ...\r\n"})
    index = open_index(root)

    result = drafts_for(index, find_missing(index).items)

    assert result.refused == ()
    command = (GIT, "apply", "-")
    subprocess.run(command, input=result.patch.encode(), cwd=root, check=True)
    patched = (root / "a.py").read_text()
    assert bare(patched) == bare(source)
    assert patched.startswith('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Work.')
    assert coverage(open_index(root)).missing == 0


def test_google_style() -> None:
    """Names and annotations, collected parameters, what is returned."""
    source = (
        "def one(a, /, b: 'int' = 1, *rest: str, c, d=None, **more) -> int:\n    return (\n   a)\n"
    )

    assert drafted(source) == [
        "Work.\n\nArgs:\n    a: About a.\n    b (int): About b.\n"
        "    *rest (str): About rest.\n    c: About c.\n    d: About d.\n"
        "    **more: About more.\n\nReturns:\n    int: What comes out."
    ]


def test_numpy_and_sphinx_style() -> None:
    """The same parts under the names and marks of each."""
    source = "def one(b: int = 1, *rest) -> int:\n    if b: raise KeyError\n    return b\n"

    assert drafted(source, style="numpy") == [
        "Work.\n\nParameters\n----------\nb : int\n    About b.\n*rest\n"
        "    About rest.\n\nReturns\n-------\nint\n    What comes out.\n\n"
        "Raises\n------\nKeyError\n    If `b`."
    ]
    assert drafted(source, style="sphinx") == [
        "Work.\n\n:param b: About b.\n:type b: int\n:param rest: About rest.\n"
        ":returns: What comes out.\n:rtype: int\n:raises KeyError: If `b`."
    ]


@pytest.mark.parametrize("style", STYLES)
def test_another_tool_reads_the_draft(style: Style) -> None:
    """Griffe finds the parameters, the exceptions and what is returned or yielded."""
    source = (
        "def f(self, a, b: dict[str, int] = {}, *rest, key: str | None = None, **more)"
        " -> list[int]:\n    if a: raise ValueError\n    raise errors.Other\n"
        "def g() -> Iterator[int]:\n    yield 1\n"
    )
    # else griffe takes a type before a colon for a name
    options: Any = {"returns_named_value": False} if style == "google" else {}
    function, generator = (
        griffe.Docstring(text).parse(style, **options) for text in drafted(source, style=style)
    )

    parts = {part.kind.value: part.value for part in function}
    assert [item.name.lstrip("*") for item in parts["parameters"]] == [
        "self", "a", "b", "rest", "key", "more",
    ]  # fmt: skip
    assert [str(item.annotation) for item in parts["raises"]] == ["ValueError", "errors.Other"]
    assert [str(item.annotation) for item in parts["returns"]] == ["list[int]"]
    if style != "sphinx":  # griffe reads no `:yields:`, which sphinx itself does
        (yields,) = (part.value for part in generator if part.kind.value == "yields")
        assert [str(item.annotation) for item in yields] == ["int"]


RAISING = {
    "if not p: raise ValueError(p)": "ValueError: If `not p`.",
    "if p: x()\n    else: raise ValueError": "ValueError: Unless `p`.",
    "raise errors.Missing from None": "errors.Missing: Raised here.",
    "if p: raise Gone\n    raise Gone": "Gone: Raised here.",
    "if a: raise Gone\n    if b: raise Gone": "Gone: If `a`, or if `b`.",
    "try: x()\n    except (KeyError, OSError): raise": (
        "KeyError: Raised again.\n    OSError: Raised again."
    ),
    "try: x()\n    except KeyError as e: raise e": "KeyError: Raised again.",
    "try: x()\n    except KeyError as e: raise Other from e": "Other: On KeyError.",
    "err = Gone(p)\n    raise err": "Gone: Raised here.",
    "try:\n        raise Gone\n    except Gone: pass": "",
    "try:\n        raise Gone\n    except Exception: pass": "",
    "try:\n        raise Gone\n    except Exception:\n        log()\n        raise": (
        "Gone: Raised here."
    ),
    "def inner(): raise Gone": "",
    "raise p": "",
    "raise": "",
    "while p:\n        with x: raise Gone": "Gone: Raised here.",
    "match p:\n        case 1: raise Gone": "Gone: Raised here.",
}


@pytest.mark.parametrize("body", RAISING)
def test_exceptions_are_those_that_leave(body: str) -> None:
    """With their conditions; caught ones and those of inner functions do not leave."""
    text = drafted(f"def f(p):\n    {body}\n")[0]

    assert text.partition("Raises:\n    ")[2] == RAISING[body]


RETURNING = {
    "def f() -> None: ...": "",
    "def f() -> NoReturn: raise x": "",
    "def f() -> 'list[int]': return x()": "Returns:\n    list[int]: What comes out.",
    "def f():\n    if x: return 1\n    return None": "Returns:\n    What comes out.",
    "def f(): return": "",
    "def f() -> Generator[int, str, None]: yield 1": "Yields:\n    int: What comes out.",
    "def f() -> Iterator[tuple[int, str]]: yield x": (
        "Yields:\n    tuple[int, str]: What comes out."
    ),
    "async def f() -> int: return 1": "Returns:\n    int: What comes out.",
    "async def f() -> AsyncIterator[int]: yield 1": "Yields:\n    int: What comes out.",
    "@contextmanager\ndef f() -> Iterator[int]: yield 1": "Yields:\n    int: What comes out.",
    "@property\ndef f(self) -> int: return 1": "",
}


@pytest.mark.parametrize("source", RETURNING)
def test_results_are_what_the_source_gives(source: str) -> None:
    """Annotations and the statements of the body tell whether something comes out."""
    text = drafted(f"{source}\n")[0]

    assert re.sub(r"\AWork\.\s*(Args:\n    self: About self\.)?", "", text) == RETURNING[source]


@pytest.mark.parametrize(
    "source",
    [
        'def f(a=\'"""\'): ...\n',
        "def f(a='\\\\'): ...\n",
        "def f(): return '\"'\n",
        "class T:\n\tdef f(self):\n\t\treturn 1\n",
        "if x:\n    def f(): return 1; y = 2\n",
        "if x:\n  def f():\n    def g():\n       return 1\n    return g\n",
        "def f(\n    a,\n): return a\n",
        "from __future__ import annotations\ndef f(): pass\n",
        "async def f():\n    async with a: pass\n",
        "",
        "# only a comment",
        "def f():\n\n    # first\n\n    return 1",
        "def 환자찾기(이름): return 이름\n",
        "@a\n@b(\n    1\n)\nclass T: x = 1\n",
        "def f():\n    ''\n\n\ndef g(): \\\n    return 1\n\n\ndef h(): ''\n",
        "''\nclass T:\n    '' ''\n",
        "def f(a):\n    # type: (int) -> str\n    return a  # type: ignore\n",
        "def f(): return 1  # type: ignore[misc]\n",
        "def f():\r\n    return 1\r\n\r\nclass T:\r\n    x = 1\r\n",
        "def f():\r    return 1\r",
        "\f\ndef f():\n    return 1\n\f\n",
        "def f():\n    b'no docstring'\ndef g():\n    f'no docstring {x}'\n",
    ],
)
@pytest.mark.parametrize("style", STYLES)
def test_a_draft_never_changes_the_meaning(source: str, style: Style) -> None:
    """Quotes, backslashes, tabs, one-liners, decorators, type comments, all line ends."""
    found = worded(source.encode(), style=style)

    assert found.refused == {}
    assert bare(found.content) == bare(source)
    nodes = [node for node in ast.walk(ast.parse(found.content)) if isinstance(node, DEFINITIONS)]
    assert {ast.get_docstring(node) for node in nodes} == set(found.drafts.values())
    endings = set(re.findall(rb"\r\n|\r|\n", found.content))
    assert endings == set(re.findall(rb"\r\n|\r|\n", source.encode())) or "\n" not in source


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949", "utf-8"])
def test_mark_and_encoding_stay(encoding: str) -> None:
    """A byte order mark and a cookie are the file's; the drafts are written in them."""
    cookie = "# coding: cp949\n" if encoding == "cp949" else ""
    source = f"{cookie}def 조회(이름='환자'): ...\n".encode(encoding)

    found = worded(source)

    assert found.refused == {}
    assert found.content.startswith(source[:3]) or encoding == "utf-8"
    assert "이름: About 이름." in found.content.decode(encoding)
    assert bare(found.content) == bare(source)


def test_words_that_the_encoding_lacks_are_refused() -> None:
    """A model may say them; nothing of the file changes."""
    source = b"# coding: latin-1\ndef f(): ...\n"

    found = draft_module(source, "a.py", [2], words={2: {"title": "환자."}})

    assert (found.refused, found.content, found.patch) == ({2: NOT_ENCODABLE}, source, "")


def test_what_has_a_docstring_is_not_drafted() -> None:
    """It may have got one since the list was made."""
    found = draft_module(b"def f():\n    'Doc.'\n", "a.py", [1])

    assert found.refused == {1: DOCUMENTED}


def test_a_file_that_changed_since_is_not_drafted(pkg: Path, open_index: Open) -> None:
    """A patch against another text would be wrong without anybody noticing."""
    index = open_index(pkg)
    (pkg / "a.py").write_text("def load(q): ...\n")

    result = draft_docstrings(index, find_missing(index).items)

    assert ("a.py", "it changed since it was indexed") in result.refused
    assert "a/a.py" not in result.patch


def test_a_path_forges_no_line_of_a_patch(write: Write, open_index: Open) -> None:
    """Git writes such names as quoted; a line feed in one must not begin a new file."""
    name = 'a\n+++ b "x".py'
    root = write("pkg", {name: "def f(): ...\n"})

    index = open_index(root)
    patch = drafts_for(index, find_missing(index).items).patch

    assert patch.splitlines()[1] == r'+++ "b/a\012+++ b \042x\042.py"'
    subprocess.run((GIT, "apply", "-"), input=patch.encode(), cwd=root, check=True)
    assert (root / name).read_text().startswith('"""Work.')


DOCUMENTED_AS: dict[Style, str] = {
    "google": "Do.\n\n    Args:\n        p: x\n    ",
    "numpy": "Do.\n\n    Parameters\n    ----------\n    p : int\n    ",
    "sphinx": "Do.\n\n    :param p: x\n    ",
}


@pytest.mark.parametrize("style", STYLES)
def test_the_style_in_use_is_found(write: Write, open_index: Open, style: Style) -> None:
    """Drafts look like the docstrings that are there; google's where none tells."""
    other: Any = {"google": "numpy", "numpy": "sphinx", "sphinx": "google"}
    text: list[Style] = [style, style, other[style]]
    tree = {
        f"{number}.py": f'def f(p):\n    """{DOCUMENTED_AS[name]}"""\n'
        for number, name in enumerate(text)
    }

    assert style_in_use(open_index(write("pkg", tree))) == style
    assert style_in_use(open_index(write("none", {"a.py": ""}))) == "google"
