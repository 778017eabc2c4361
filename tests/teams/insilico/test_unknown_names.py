"""A name that the code does not have is an error with the nearest names, never an empty answer."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_insilico import InsilicoTeam
from minerva_insilico.commands.code import app
from minerva_insilico.commands.refreshed_index import CodeError
from minerva_insilico.core.queries.nearest import nearest
from minerva_platform.testing import ScriptedRouter

Write = Callable[[str, Mapping[str, str | bytes]], Path]


@pytest.fixture
def shop(write: Write) -> Path:
    """Give a package with a model, a function and its caller."""
    return write(
        "shop",
        {
            "__init__.py": "",
            "till.py": "class Patient: ...\n\n\ndef total(p: Patient): return p.status\n",
            "ledger.py": "from shop.till import total\n\n\ndef book(p): return total(p)\n",
        },
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "ledgr"), "no name `ledgr`. Nearest: `shop.ledger`."),
        (("callers", "totl"), "defines and calls no `totl`. Nearest: `total`"),
        (("callers", "totl", "--callees"), "defines and calls no `totl`."),
        (("uses", "statsu"), "uses no field or column `statsu`. Nearest: `status`."),
        (("uses", "Patiant.status"), "`Patiant.status`. Nearest: `Patient.status`."),
        (("imports", "shop.tll"), "no module `shop.tll`. Nearest: `shop.till`"),
        (("imports", "shop.tll", "--of"), "no module `shop.tll`. Nearest: `shop.till`"),
        (("imports", "shop.tll", "--layers"), "no module `shop.tll`. Nearest: `shop.till`"),
        (("imports", "till", "--to", "lodger"), "no module `lodger`. Nearest: `shop.ledger`"),
        (("imports", "zzzzz"), "no module `zzzzz`. No name is near it"),
        (("summary", "tll"), "no module `tll`. Nearest: `shop.till`"),
        (("complexity", "bok"), "no name `bok`. Nearest: `shop.ledger.book`"),
        (("complexity", "tlil.py"), "no source `tlil.py`. Nearest: `till.py`"),
        (("outline/tlil.py",), "no source `tlil.py`. Nearest: `till.py`"),
        (("docs/tlil.py",), "does not exist (nearest: `"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_names_what_is_nearest(shop: Path, arguments: tuple[str, ...], said: str) -> None:
    """It ends as every wrong question does, with nothing on standard output."""
    command, _, file = arguments[0].partition("/")

    done = CliRunner().invoke(app, [command, str(shop / file), *arguments[1:]])

    assert isinstance(done.exception, CodeError)
    assert said in str(done.exception)
    assert done.stdout == ""


def test_of_several_fields_the_known_are_answered_and_the_unknown_named(shop: Path) -> None:
    """A typing error in one of ten columns must not pass for "nothing breaks"."""
    done = CliRunner().invoke(app, ["uses", str(shop), "status", "statsu"])

    assert done.stdout.startswith("till.py:4: attribute")
    assert "`statsu`. Nearest: `status`." in str(done.exception)


def test_hits_of_a_known_field_never_bear_an_unknown_name(shop: Path) -> None:
    """`Patiant.status` is searched for by nobody, so no hit is said to be of it."""
    done = CliRunner().invoke(app, ["uses", str(shop), "status", "Patiant.status"])

    places = [line.partition(": ")[0] for line in done.stdout.splitlines()]
    assert [place for place in places if ".py:" in place] == ["till.py:4"]
    assert "Patiant" not in done.stdout
    assert "`Patiant.status`. Nearest: `Patient.status`." in str(done.exception)


@pytest.mark.parametrize(
    ("request_", "unknown"),
    [
        ("who calls total and totl?", "totl"),
        ("who calls totl or total?", "totl"),
        ("who calls total and book?", ""),
        ("who calls total and why does it matter?", ""),
        ("total과 totl을 누가 호출하나?", "totl"),
    ],
)
def test_of_several_names_in_words_each_unknown_is_named(
    shop: Path, request_: str, unknown: str
) -> None:
    """The known ones are answered, and the others do not vanish."""
    run = InsilicoTeam(router=ScriptedRouter("code_search_agent")).invoke(
        {"request": request_, "attachments": [str(shop)]}
    )

    assert run["status"] == "ok"
    assert "`ledger.py:4`" in run["answer"]
    said = "`totl`" in run["answer"]
    assert said == bool(unknown)


@pytest.mark.parametrize(
    ("arguments", "looked_for"),
    [
        ("callers SHOP book", "no call of it"),
        ("callers SHOP total --callees", "no call in it"),
        ("imports SHOP ledger", "no import of it"),
        ("search SHOP zzz --mode text", "no line with this text"),
        ("uses SHOP book", "no call, attribute, key, keyword, or name in SQL and texts"),
        (
            "search SHOP status",
            "no definition in what was parsed; the name stands elsewhere",
        ),
    ],
)
def test_what_is_known_and_has_no_hits_is_an_answer(
    shop: Path, arguments: str, looked_for: str
) -> None:
    """Nobody calls `book`: that is true, and no mistake of the person's. It is no unknown name."""
    words = [str(shop) if word == "SHOP" else word for word in arguments.split()]

    done = CliRunner().invoke(app, words)

    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, f"Nothing was found: {looked_for}.")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("who calls totl", "The code defines and calls no `totl`. Nearest: `total`"),
        ("totl을 누가 호출하나?", "코드가 정의하거나 호출하는 것에 `totl`이(가) 없습니다."),
        ("who imports shop.tll", "There is no module `shop.tll`. Nearest: `shop.till`"),
        ("summarise module shop.tll", "There is no module `shop.tll`."),
        ("shop/tlil.py의 구조를 보여줘", "소스 파일 `shop/tlil.py`이(가) 없습니다."),
        ("how complex is bok()?", "There is no module `bok`."),
    ],
)
def test_a_request_in_words_fails_with_the_nearest_names(
    shop: Path, request_: str, said: str
) -> None:
    """The run fails, in the person's language, instead of an answer about something else."""
    run = InsilicoTeam(router=ScriptedRouter("code_search_agent")).invoke(
        {"request": request_, "attachments": [str(shop)]}
    )

    assert run["status"] == "failed"
    assert said in run["answer"]


@pytest.mark.parametrize(
    "request_",
    [
        "show the import cycles, if any", "list all class names",
        "which functions call each other?", "who calls total", "where is Patient.status used",
        "import 순환이 있나요?", "코드 구조를 보여줘",
    ],
)  # fmt: skip
def test_ordinary_words_are_no_unknown_names(shop: Path, request_: str) -> None:
    """An error about a word that was no name would be a fault, too."""
    run = InsilicoTeam(router=ScriptedRouter("code_search_agent")).invoke(
        {"request": request_, "attachments": [str(shop)]}
    )

    assert run["status"] == "ok"


def test_the_nearest_module_is_said_as_it_is_imported(write: Write) -> None:
    """`.app.models` is the index's own form of a name, which nobody can type."""
    root = write(
        "c2",
        {
            "app/models.py": "",
            "app/a.py": "from . import models\nfrom .models import X\n",
        },
    )

    done = CliRunner().invoke(app, ["imports", str(root), "app.modles"])

    nearest_ = str(done.exception).partition("Nearest: ")[2]
    assert nearest_.endswith("app.models`.")
    assert "`." not in nearest_.removesuffix("`.")
    assert "," not in nearest_


def test_the_nearest_names_are_like_in_their_last_part_or_as_a_whole() -> None:
    """Case does not count, the likest comes first, and five are enough."""
    known = ["pkg.a.Load", "pkg.load_all", "other.load", "pkg.c", *(f"x{n}.lod" for n in range(9))]

    assert nearest("lod", known) == tuple(f"x{n}.lod" for n in range(5))
    assert nearest("pkg.a.laod", known)[0] == "pkg.a.Load"
    assert nearest("pkg.zz", ["pkg.z1", "unlike"]) == ("pkg.z1",)
    assert nearest("zzzz", known) == ()
