"""`minerva code docs|imports|outline|summary|complexity` as people type them."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import copies
import pytest
from typer.testing import CliRunner, Result

from minerva_insilico import AstParserAgent, DocstringAgent
from minerva_insilico.commands.code import app
from minerva_platform import MinervaError

MINERVA = Path(sys.executable).with_name("minerva")

Write = Callable[[str, Mapping[str, str | bytes]], Path]

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["httpx"]\n',
    "shop/__init__.py": "",
    "shop/a.py": '"""Loading."""\nimport requests\nfrom shop import b\n\n\ndef load(p):\n'
    "    return p if p else 0\n",
    "shop/b.py": "def f():\n    from shop import a\n    return a\n",
    "shop/broken.py": "def (\n",
}


def type_(*arguments: str | Path) -> Result:
    """Type `minerva code …` in this process."""
    return CliRunner().invoke(app, [str(word) for word in arguments])


@pytest.fixture
def shop(write: Write) -> Path:
    """Give a project of three modules and a broken one."""
    return write("proj", SHOP)


def test_docs_counts_and_lists_what_is_missing(shop: Path) -> None:
    """A docstring that only repeats the name is listed, too, and counts as missing."""
    (shop / "shop/b.py").write_text('def f():\n    """F."""\n')

    counted = type_("docs", shop)

    assert counted.stdout.splitlines() == [
        "20.0 % documented: 1 of 5, 4 missing (1 of them say nothing but the name)",
        "shop/__init__.py:1: module shop",
        "shop/a.py:6: function shop.a.load",
        "shop/b.py:1: module shop.b",
        "shop/b.py:1: function shop.b.f (its docstring says nothing)",
    ]
    assert "Not parsed, so not covered: 1 of 4 Python files." in counted.stderr


@pytest.mark.parametrize(
    ("files", "counts"), [({"a.py": "def (\n"}, "0 of 1"), ({"a.txt": "a"}, "0 of 0")]
)
def test_docs_of_what_cannot_be_read_has_no_percentage(
    write: Write, files: dict[str, str], counts: str
) -> None:
    """A tree of which nothing was read is not documented wholly."""
    root = write("proj", files)

    assert type_("docs", root).stdout == f"nothing to measure: {counts} files parsed\n"
    assert json.loads(type_("docs", root, "--json").stdout)["coverage"]["percent"] is None
    index = AstParserAgent().invoke({"source": root})["index"]
    answer = DocstringAgent().invoke({"request": "docstring coverage?", "index": index})
    assert f"nothing to measure: {counts} files parsed." in answer["summary"]
    assert answer["coverage"]["percent"] is None


def test_docs_of_one_file_and_of_what_is_public(shop: Path) -> None:
    """Options are interrogate's; 3 says that a bar was missed."""
    one = type_("docs", shop / "shop/b.py", "--json", "--ignore", "module")
    bar = type_("docs", shop, "--public-only", "--fail-under", "99.5")

    assert json.loads(one.stdout)["coverage"] == {
        "total": 1, "covered": 0, "missing": 1, "percent": 0.0, "filler": 0,
    }  # fmt: skip
    assert bar.exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("docs", "nowhere"), "nowhere` does not exist"),
        (("docs", "proj/shop/broken.py"), "could not be parsed: SyntaxError"),
        (("imports", "proj", "shop.c", "--layers"), "There is no module `shop.c`."),
        (("outline", "proj"), "is no file"),
    ],
)
def test_a_wrong_question_ends_with_2_and_the_way_out(
    shop: Path, arguments: tuple[str, ...], said: str
) -> None:
    """One sentence, which the command says without a traceback."""
    command, place, *rest = arguments

    done = type_(command, shop.parent / place, *rest)

    assert isinstance(done.exception, MinervaError)
    assert said in str(done.exception)


def test_imports_of_a_project(shop: Path) -> None:
    """Both sides, chains, cycles and requirements, each with path and line."""
    whole = type_("imports", shop, "--check")
    layers = type_("imports", shop, "shop.a", "--layers", "--json")
    chain = type_("imports", shop, "shop/b.py", "--to", "a")
    needed = type_("imports", shop, "--requirements", "--check")

    assert whole.exit_code == 3
    assert whole.stdout.splitlines() == [
        "3 modules, 2 imports",
        "cycles: 1",
        "2 modules: shop.a → shop.b → shop.a (not while loading: lazy, or for types only)",
        "  shop/a.py:3: imports shop.b",
        "  shop/b.py:2 (lazy): imports shop.a",
    ]
    assert json.loads(layers.stdout) == {"module": "shop.a", "layers": [["shop.b"]]}
    assert chain.stdout == "shop/b.py:2 (lazy): shop.b → shop.a\n"
    assert needed.exit_code == 3
    assert needed.stdout.splitlines() == [
        "1 declared in 1 files, 1 imported",
        "missing: requests (import requests) shop/a.py:2",
        "unused: httpx (main) pyproject.toml:3",
    ]


def test_outline_summary_and_complexity(shop: Path) -> None:
    """What a file holds, what a module is, and what is complex."""
    outline = type_("outline", shop / "shop/a.py")
    summary = type_("summary", shop, "shop.a")
    table = type_("summary", shop)
    functions = type_("complexity", shop, "--at-least", "2", "--json")
    files = type_("complexity", shop, "--by-file", "--limit", "1")

    assert outline.stdout == "    6-7     A function load(p)\n"
    assert summary.stdout.splitlines() == [
        "shop.a (shop/a.py): Loading.",
        "  lines: 7",
        "  documented: 50.0 % of 2",
        "  exports: load",
        "  imports: shop.b, requests",
        "  imported by: shop.b",
        "  most complex: shop.a.load:6 2",
    ]
    assert len(table.stdout.splitlines()) == 3
    (hit,) = json.loads(functions.stdout)["hits"]
    assert (hit["qualname"], hit["complexity"], hit["rank"]) == ("shop.a.load", 2, "A")
    assert files.stdout.splitlines() == [
        "   2 highest   2.0 mean    1 functions  shop/a.py",
        "Shown: 1 of 2.",
    ]


@pytest.mark.small(1)
@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("Which functions lack a docstring?", "`shop/a.py:6` function `shop.a.load`"),
        ("import cycles, if any", "Import cycles: **1**"),
    ],
)
def test_what_a_run_holds_can_be_kept_between_its_steps(
    shop: Path, request_: str, said: str
) -> None:
    """`minerva ask` writes every step down; a state that cannot be written fails the worker."""
    command = (MINERVA, "ask", "--team", "insilico", request_, "-i", shop)
    done = copies.run(command, cwd=shop, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout
