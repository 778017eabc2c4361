"""A source for another Python says which one it needs."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico import InsilicoTeam
from minerva_insilico.commands.code import app
from minerva_insilico.core.index.indexer import index_tree
from minerva_insilico.core.parsing.python_version import ADDED, written_for
from minerva_platform.testing import ScriptedRouter

Write = Callable[[str, Mapping[str, str | bytes]], Path]

RUNNING = sys.version_info[:2]

NEWER = {
    "type X = int\n": "3.12",
    "def f[T](x: T) -> T: ...\n": "3.12",
    "class A[T]: ...\n": "3.12",
    'x = f"{d["a"]}"\n': "3.12",
    "x = f\"{'\\n'.join(a)}\"\n": "3.12",
    'x = f"{f"{f"{1}"}"}"\n': "3.12",
    "class A[T = int]: ...\n": "3.13",
    'x = t"{a}"\n': "3.14",
    "try: ...\nexcept ValueError, TypeError: ...\n": "3.14",
    "x = [*y for y in z]\n": "3.15",
    "lazy import json\n": "3.15",
    "type X = int\ntry: ...\nexcept A, B: ...\n": "3.14",
}
OLD = {
    'print "a"\n': "print x",
    "print >>f, 'x', 1L\n": "print x",
    "exec 'x'\n": "exec x",
    "try: pass\nexcept A, e: pass\n": "except A, e:",
    "raise E, 'x'\n": "raise A, x",
    "raise a[0], a[1]\n": "raise A, x",
    "x = `a`\n": "`x`",
    "a <> b\n": "a <> b",
    "x = 0777\n": "0777",
    "x = 1L\n": "1L",
    'x = ur"a"\n': 'ur"x"',
    "def f(a, (b, c)): pass\n": "def f(a, (b, c)):",
    "lambda (a, b): a\n": "lambda (a, b): a",
}
NEITHER = (
    "def broken(:\n",
    "type X = int\ndef broken(:\n",
    "x = 'print \"a\"' +\n",
    "x = 1 2  # print x, `a` <> 0777\n",
    "raise\nfor x in\n",
    "def f(a=(1, 2)): return a b\n",
)


def stopped(source: str) -> tuple[str, int | None]:
    """Return what this interpreter says of a source, and where it stops."""
    with pytest.raises(SyntaxError) as error:
        compile(source, "a.py", "exec", dont_inherit=True, flags=0x400)  # parse only
    return error.value.msg, error.value.lineno


@pytest.mark.parametrize(("source", "version"), NEWER.items())
def test_a_newer_construct_names_the_first_python_that_has_it(source: str, version: str) -> None:
    """The newest construct of the file decides, if this interpreter does not have it."""
    if tuple(map(int, version.split("."))) <= RUNNING:
        compile(source, "a.py", "exec", dont_inherit=True, flags=0x400)
        return

    found = written_for(source.encode(), *stopped(source))

    assert found is not None
    assert found.version == version
    assert ADDED[found.sample] > RUNNING


@pytest.mark.parametrize(("source", "sample"), OLD.items())
def test_python_2_is_named_with_the_construct_that_shows_it(source: str, sample: str) -> None:
    """Only what no Python 3 ever had counts, on the line where parsing stops."""
    found = written_for(source.encode(), *stopped(source))

    assert found is not None
    assert (found.version, found.sample) == ("2", sample)


@pytest.mark.parametrize("source", NEITHER)
def test_a_plain_mistake_is_no_other_python(source: str) -> None:
    """Neither strings nor comments count, nor a newer construct beside a real mistake."""
    assert written_for(source.encode(), *stopped(source)) is None


@pytest.mark.skipif(RUNNING >= (3, 14), reason="t-strings are no newer syntax there")
def test_commands_and_answers_say_which_python_is_needed(write: Write) -> None:
    """In the list of what was not parsed, in both languages, and in what became of the files."""
    root = write("tree", {"a.py": "x = 1\n", "new.py": 'x = t"{a}"\n', "old.py": 'print "a"\n'})
    listed = CliRunner().invoke(app, ["index", str(root)]).stdout
    reasons = {item.path: (item.reason, item.detail) for item in index_tree(root).failed}
    run = InsilicoTeam(router=ScriptedRouter("ast_parser_agent")).invoke(
        {"request": "코드를 색인해줘", "attachments": [str(root)]}
    )

    assert reasons == {
        "new.py": ("newer_python", '3.14 t"…"'),
        "old.py": ("python_2", "print x"),
    }
    assert 'new.py:1: SyntaxError: it needs Python 3.14 or newer for `t"…"`' in listed
    assert "old.py:1: SyntaxError: it is written for Python 2, as `print x` shows" in listed
    told = {use["name"]: use for use in run["files"]}
    assert told["new.py"]["status"] == told["old.py"]["status"] == "not_understood"
    assert told["new.py"]["reason"].startswith("Python 3.14 이상이 필요합니다")
    assert "Python 2로 쓴 파일입니다(`print x`)" in run["answer"]
    assert "SyntaxError" not in run["answer"]
