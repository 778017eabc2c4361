"""What the parser answers about the shape of a code base, in both languages."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from minerva_insilico import AstParserAgent, DocstringAgent
from minerva_insilico.core.facts.errors import CoreError, UnknownNameError, UnparsedSourceError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.structure_question import (
    StructureQuestion,
    read_structure_question,
)
from minerva_platform import AgentError

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

SHOP = {
    "requirements.txt": "httpx\n",
    "shop/__init__.py": "",
    "shop/a.py": '"""The till."""\nimport requests\nfrom shop import b\n__all__ = ["load"]\n\n\n'
    "def load(p):\n    return p if p else 0\n\n\nclass Till:\n    def open(self, key): ...\n",
    "shop/b.py": "from shop import a, c\n",
    "shop/c.py": "def _f(x: int) -> int:\n    return x\n",
    "shop/broken.py": "def (\n",
}


@pytest.fixture
def shop(write: Write) -> Path:
    """Give a project with a cycle, a chain and a wrong requirement."""
    return write("proj", SHOP)


def ask(root: Path, request: str) -> dict[str, Any]:
    """Ask the parser about a tree."""
    return AstParserAgent().invoke({"request": request, "source": str(root)})


REQUESTS = (
    ("import cycles, if any", StructureQuestion("cycles")),
    ("순환 참조 있나 봐줘", StructureQuestion("cycles")),
    ("circular import 때문에 골치인데 어느 module끼리 도는지", StructureQuestion("cycles")),
    ("Which requirements are unused?", StructureQuestion("requirements")),
    ("선언하지 않은 패키지를 import하는 곳", StructureQuestion("requirements")),
    ("requirements.txt에 있지만 안 쓰는 라이브러리", StructureQuestion("requirements")),
    ("outline of shop/a.py", StructureQuestion("outline", ("shop/a.py",))),
    ("shop.a 모듈의 구조를 보여줘", StructureQuestion("outline", ("shop/a.py",))),
    ("shop.a 요약해줘", StructureQuestion("summary", ("shop/a.py",))),
    ("what does shop/c.py do?", StructureQuestion("summary", ("shop/c.py",))),
    ("who imports shop.c?", StructureQuestion("imports", ("shop/c.py",))),
    ("how does shop.a depend on shop.c", StructureQuestion("chain", ("shop/a.py", "shop/c.py"))),
    ("import 관계 그려줘", StructureQuestion("imports")),
    ("the most complex functions", StructureQuestion("complexity")),
    ("load() 복잡도 몇이야", StructureQuestion("complexity", (), ("load",))),
    ("complexity of shop/a.py", StructureQuestion("complexity", ("shop/a.py",))),
    ("index this", StructureQuestion("overview")),
    ("이 소스 트리를 요약해줘", StructureQuestion("overview")),
    ("outline the whole project", StructureQuestion("overview")),
    ("", StructureQuestion("overview")),
)


def test_a_request_is_read_against_what_the_index_knows(shop: Path, open_index: Open) -> None:
    """Topic and modules; whatever names neither gets the overview."""
    index = open_index(shop)

    assert {text: read_structure_question(index, text) for text, _ in REQUESTS} == dict(REQUESTS)


def test_cycles_are_told_with_their_lines(shop: Path) -> None:
    """B9 as a person asks it; every import is in the CSV."""
    english, korean = ask(shop, "Are there import cycles?"), ask(shop, "순환 import 있어?")

    assert "Import cycles: **1**" in english["summary"]
    assert "2 modules: `shop.a` → `shop.b` → `shop.a`" in english["summary"]
    assert "- `shop/a.py:3` `shop.a` → `shop.b`" in english["summary"]
    assert "순환 import **1개** (모듈 4개, import 3개)" in korean["summary"]
    assert "`shop/broken.py:1`" in korean["summary"]
    assert [(item["source"], item["line"]) for item in english["citations"]] == [
        ("shop/a.py", 3),
        ("shop/b.py", 1),
    ]
    (artifact,) = english["artifacts"]
    rows = list(csv.reader(io.StringIO(artifact["content"])))
    assert len(rows) == 4
    assert rows[0] == ["importer", "imported", "path", "line", "guard"]


def test_a_tree_without_cycles_says_so(write: Write) -> None:
    """None is an answer, with what was looked at."""
    root = write("proj", {"a.py": "import b\n", "b.py": ""})

    assert "No import cycles among 2 modules and 1 imports." in ask(root, "cycles?")["summary"]
    assert "순환 import가 없습니다(모듈 2개, import 1개)." in ask(root, "순환 참조?")["summary"]


def test_requirements_are_compared(shop: Path) -> None:
    """B10 as a person asks it."""
    english = ask(shop, "unused and missing requirements?")["summary"]
    korean = ask(shop, "선언하지 않고 쓰는 패키지?")["summary"]

    assert "1 declared in `requirements.txt`; 1 distributions are imported." in english
    assert "Imported, not declared (1):\n\n- `requests` (`requests`) `shop/a.py:2`" in english
    assert "Declared, not imported (1):\n\n- `httpx` (main) `requirements.txt:1`" in english
    assert "선언하지 않고 import함 (1):" in korean


def test_what_is_declared_and_imported_is_named_with_a_place(write: Write) -> None:
    """What a project needs is above all what it declares and imports."""
    files = {"Pipfile": '[packages]\ndjango = "*"\nrequests = "*"\n', "a.py": "import django\n"}
    root = write("proj", files)

    answer = ask(root, "Which third-party packages does this need? Compare the requirements.")

    said = answer["summary"]
    assert "Declared and imported (1):\n\n- `django` (`django`) `a.py:1`" in said
    assert "Declared, not imported (1):\n\n- `requests` (main) `Pipfile:3`" in said
    korean = ask(root, "선언하지 않고 쓰는 패키지?")["summary"]
    assert "선언하고 import함 (1):" in korean


def test_a_module_is_summarised(shop: Path) -> None:
    """Exports, dependencies, size, complexity, documented share: the row of the article."""
    english = ask(shop, "summarise shop.a")["summary"]
    korean = ask(shop, "shop.a 모듈 요약해줘")["summary"]

    assert english.startswith("**`shop.a`** `shop/a.py`\n\n> `The till.`\n\n- lines: 12\n")
    for line in (
        "- documented: 25.0 % (1/4)",
        "- exports: `load`",
        "- imports: `shop.b`",
        "- foreign packages: `requests`",
        "- imported by: `shop.b`",
        "- most complex: `load` `shop/a.py:7` 2, `open` `shop/a.py:12` 1",
    ):
        assert line in english
    assert "- 문서화: 25.0 % (1/4)" in korean


def test_a_file_is_outlined(shop: Path) -> None:
    """Classes with their methods inside, each with lines and complexity."""
    answer = ask(shop, "outline of shop/a.py")

    assert (
        "`shop/a.py` (3):\n\n- function `load(p)` 7-8, A 2\n- class `Till` 11-12, A 2\n"
        "  - method `open(self, key)` 12-12, A 1\n"
    ) in answer["summary"]
    assert [item["line"] for item in answer["citations"]] == [7, 11, 12]


def test_imports_and_chains_are_told_both_ways(shop: Path) -> None:
    """Who imports it, step by step; what it imports; the way from one to another."""
    imports = ask(shop, "who imports shop.c?")["summary"]
    chain = ask(shop, "how does shop.a depend on shop.c?")["summary"]
    hubs = ask(shop, "import 관계 그려줘")["summary"]

    assert "Imported by (1):\n\n- `shop/b.py:1` `shop.b`\n\n- step 2: `shop.a`" in imports
    assert "- `shop/a.py:3` `shop.a` → `shop.b`\n- `shop/b.py:1` `shop.b` → `shop.c`" in chain
    assert "`shop.c` does not import `shop.a`, not through others either." in chain
    assert "| `shop.a` | 1 | 1 |" in hubs


def test_complexity_of_what_is_named(shop: Path) -> None:
    """A file or a function; without either, everything."""
    one = ask(shop, "cyclomatic complexity of load()")["summary"]
    everything = ask(shop, "복잡도 순위")["summary"]

    assert "| `shop.a.load` | `shop/a.py:7` | 2 (A) |" in one
    assert "Till" not in one
    assert "`shop.c._f`" in everything


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("draft numpy docstrings for load", "No drafts: a model finds their words"),
        ("load에 sphinx 스타일 docstring 초안 작성해줘", "초안은 만들지 않았습니다."),
    ],
)
def test_without_a_model_a_request_for_drafts_gets_the_report(
    shop: Path, request_: str, said: str
) -> None:
    """And says what drafts need."""
    index = ask(shop, "index")["index"]

    answer = DocstringAgent().invoke({"request": request_, "index": index})

    assert said in answer["summary"]
    assert "`shop.a.load`" in answer["summary"]
    assert (answer["drafts"], answer["artifacts"]) == ([], [])


def test_only_what_is_public_can_be_counted(shop: Path) -> None:
    """The rule is said beside the number."""
    index = ask(shop, "index")["index"]
    english = DocstringAgent().invoke({"request": "coverage of the public API", "index": index})
    korean = DocstringAgent().invoke({"request": "공개 API 문서화율", "index": index})

    assert english["coverage"] == korean["coverage"]
    assert english["coverage"]["total"] == 7
    assert "Only what is public counts" in english["summary"]
    assert "공개된 것만 셉니다" in korean["summary"]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ("how complex is shop/broken.py?", UnparsedSourceError),
        ("outline of shop/broken.py", UnparsedSourceError),
        ("complexity of shop/zzz.py", UnknownNameError),
    ],
)
def test_a_file_of_which_nothing_is_known_gets_no_other_answer(
    shop: Path, open_index: Open, request_: str, error: type[CoreError]
) -> None:
    """Neither the whole tree nor "no functions" is told instead."""
    with pytest.raises(error, match="shop/"):
        read_structure_question(open_index(shop), request_)


def test_docstrings_of_an_unknown_file_are_an_error(shop: Path) -> None:
    """The coverage of all other files would answer something else."""
    index = ask(shop, "index this")["index"]

    with pytest.raises(AgentError, match="no source"):
        DocstringAgent().invoke({"request": "docstring coverage of shop/zzz.py", "index": index})
