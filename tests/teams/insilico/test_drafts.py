"""Drafts state what the source proves, look as asked for, and change nothing else."""

import ast
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import griffe
import pytest

from minerva_insilico.core.docstrings.coverage import coverage, undocumented
from minerva_insilico.core.docstrings.docstyle import STYLES, Style
from minerva_insilico.core.docstrings.draft import DOCUMENTED, NOT_ENCODABLE, draft_module
from minerva_insilico.core.docstrings.drafting import CHANGED, draft_docstrings, style_in_use
from minerva_insilico.core.index.index import Index

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


def drafted(source: str, *, style: Style = "google") -> list[str]:
    """Return the drafts for a source but its module's, in order of the lines."""
    found = draft_module(source.encode(), "a.py", style=style)
    assert found.refused == {}
    return [text for place, text in sorted(found.drafts.items()) if place]


def test_b6_a_draft_names_exactly_the_parameters(pkg: Path, open_index: Open) -> None:
    """B6: `load(p)` gets a docstring about p and nothing else; the tree stays the same."""
    index = open_index(pkg)
    (load,) = (item for item in undocumented(index).items if item.qualname == "pkg.a.load")

    result = draft_docstrings(index, [load])

    (draft,) = result.drafts
    assert draft.docstring == "Load.\n\nArgs:\n    p: Required."
    assert result.refused == []
    (rewrite,) = result.rewrites
    assert bare(rewrite.content) == bare("def load(p): ...\n")
    assert ast.get_docstring(ast.parse(rewrite.content).body[0]) == draft.docstring  # type: ignore[arg-type]
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
    root = write("pkg", {"a.py": source, "src dir/b.py": "x = 1\r\ndef f(): ...\r\n"})
    index = open_index(root)

    result = draft_docstrings(index, undocumented(index).items)

    assert result.refused == []
    command = (GIT, "apply", "-")
    subprocess.run(command, input=result.patch.encode(), cwd=root, check=True)
    patched = (root / "a.py").read_text()
    assert bare(patched) == bare(source)
    assert patched.startswith('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Module a.')
    for rewrite in result.rewrites:
        assert (root / rewrite.path).read_bytes() == rewrite.content
    assert coverage(open_index(root)).missing == 0


def test_google_style() -> None:
    """Names, annotations, defaults; collected parameters; what is returned."""
    source = (
        "def one(a, /, b: 'int' = 1, *rest: str, c, d=None, **more) -> int:\n    return (\n   a)\n"
    )

    assert drafted(source) == [
        "One.\n\nArgs:\n    a: Required.\n    b (int): Default 1.\n"
        "    *rest (str): Further positional values.\n    c: Required.\n    d: Default None.\n"
        "    **more: Further named values.\n\nReturns:\n    int: `a`."
    ]


def test_numpy_and_sphinx_style() -> None:
    """The same facts under the names and marks of each."""
    source = "def one(b: int = 1, *rest) -> int:\n    if b: raise KeyError\n    return b\n"

    assert drafted(source, style="numpy") == [
        "One.\n\nParameters\n----------\nb : int\n    Default 1.\n*rest\n"
        "    Further positional values.\n\nReturns\n-------\nint\n    `b`.\n\n"
        "Raises\n------\nKeyError\n    If `b`."
    ]
    assert drafted(source, style="sphinx") == [
        "One.\n\n:param b: Default 1.\n:type b: int\n:param rest: Further positional values.\n"
        ":returns: `b`.\n:rtype: int\n:raises KeyError: If `b`."
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
    "def f() -> 'list[int]': return x()": "Returns:\n    list[int]: `x()`.",
    "def f():\n    if x: return 1\n    return None": "Returns:\n    `1` or `None`.",
    "def f(): return": "",
    f"def f(): return {'a' * 70}": "Returns:\n    A value; its type is not annotated.",
    f"def f() -> int: return {'a' * 70}": "Returns:\n    int: The result.",
    "def f() -> Generator[int, str, None]: yield 1": ("Yields:\n    int: Values, one at a time."),
    "def f() -> Iterator[tuple[int, str]]: yield x": (
        "Yields:\n    tuple[int, str]: Values, one at a time."
    ),
    "async def f() -> int: return 1": "A coroutine: await it.\n\nReturns:\n    int: `1`.",
    "async def f() -> AsyncIterator[int]: yield 1": (
        "An asynchronous generator.\n\nYields:\n    int: Values, one at a time."
    ),
    "@contextmanager\ndef f() -> Iterator[int]: yield 1": (
        "A context manager: use it in `with`.\n\nYields:\n    int: Values, one at a time."
    ),
    "@property\ndef f(self) -> int: return 1": "",
}


@pytest.mark.parametrize("source", RETURNING)
def test_results_are_what_the_source_gives(source: str) -> None:
    """Annotations first, then the expressions themselves, then the plain fact."""
    text = drafted(f"{source}\n")[0]

    assert re.sub(r"\AF\.\s*(Args:\n    self: Required\.)?", "", text) == RETURNING[source]


def test_a_class_tells_its_fields_and_methods() -> None:
    """As a dataclass is read; private ones are its own business."""
    source = (
        "class Order(Base):\n    total: int = 0\n    name: str\n    _x: int = 1\n"
        "    def __init__(self, a): ...\n    @staticmethod\n    def make(self): ...\n"
    )

    assert drafted(source) == [
        "Order (Base).\n\nDefines: make.\n\nAttributes:\n    total (int): Default 0.\n"
        "    name (str): Required.",
        "Initialise the instance.\n\nArgs:\n    a: Required.",
        "Make.\n\nArgs:\n    self: Required.",
    ]


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
    found = draft_module(source.encode(), "a.py", style=style)

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

    found = draft_module(source, "a.py")

    assert found.refused == {}
    assert found.content.startswith(source[:3]) or encoding == "utf-8"
    assert "이름: Default '환자'." in found.content.decode(encoding)
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

    result = draft_docstrings(index, undocumented(index).items)

    assert ("a.py", CHANGED) in result.refused
    assert "a/a.py" not in result.patch


def test_a_path_forges_no_line_of_a_patch(write: Write, open_index: Open) -> None:
    """Git writes such names as quoted; a line feed in one must not begin a new file."""
    name = 'a\n+++ b "x".py'
    root = write("pkg", {name: "def f(): ...\n"})

    index = open_index(root)
    patch = draft_docstrings(index, undocumented(index).items).patch

    assert patch.splitlines()[1] == r'+++ "b/a\012+++ b \042x\042.py"'
    subprocess.run((GIT, "apply", "-"), input=patch.encode(), cwd=root, check=True)
    assert (root / name).read_text().startswith('"""Module')


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
