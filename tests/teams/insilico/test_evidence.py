"""Names of the attached code speak for this team, within bounds; and such requests are answered."""

from pathlib import Path

import pytest
from forms import forms

from minerva_insilico.core.queries.defined_name import defined_names
from minerva_platform import Attachment, Platform

MODELS = """
from dataclasses import dataclass


@dataclass
class Regular:
    card_no: str
    nickname: str
    mobile: str
    stamps: int = 0


@dataclass
class Loaf:
    sku: str
    grams: int
"""
TILL = """
import logging

from counter.models import Loaf, Regular

log = logging.getLogger(__name__)


def sell(regular: Regular, loaf: Loaf) -> int:
    regular.stamps += 1
    log.info("sold %s to %s", loaf.sku, regular.mobile)
    return loaf.grams * 3
"""
LETTERS = """
from counter.models import Regular


def free_loaf(regular: Regular) -> str:
    return f"{regular.nickname}, your card {regular.card_no} is full"


def to_row(regular: Regular) -> dict[str, object]:
    return {"mobile": regular.mobile, "stamps": regular.stamps}
"""
ASKED = {
    "what breaks if mobile gets another name?": "till.py letters.py",
    "we want to call stamps loyalty_points from now on, what do I have to touch?": (
        "till.py letters.py"
    ),
    "renaming card_no - where does it hurt": "letters.py",
    "does mobile end up in a log anywhere?": "till.py",
    "is the mobile number of a regular ever printed or logged": "till.py",
    "if I drop the grams attribute, what falls over": "till.py",
    "mobile 이름을 바꾸면 어디가 깨져?": "till.py letters.py",
    "stamps를 points로 고치려는데 손봐야 할 데 알려줘": "till.py letters.py",
    "card_no 필드명 변경하면 영향받는 코드가 어디야": "letters.py",
    "휴대폰 번호(mobile)가 로그에 찍히는 곳 있어?": "till.py",
    "mobile 출력하거나 로그 남기는 코드 있나요": "till.py",
    "grams 속성을 없애면 뭐가 안 돌아가?": "till.py",
}
"""Requests, written before the code that they judge, and the files that an answer must name."""


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Code of a field that no team has examples of."""
    root = tmp_path_factory.mktemp("bakery")
    (root / "counter").mkdir()
    for name, source in {"models": MODELS, "till": TILL, "letters": LETTERS}.items():
        (root / "counter" / f"{name}.py").write_text(source, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def platform() -> Platform:
    """All teams that are installed."""
    return Platform.from_config()


@pytest.mark.small(3)
@pytest.mark.slow
@pytest.mark.parametrize("asked", forms(ASKED, [*ASKED][1::2]))
def test_what_breaks_and_what_is_logged_is_answered_from_the_attached_code(
    platform: Platform, bakery: Path, asked: str
) -> None:
    """In a person's words, in two languages: insilico is asked, and names the files.

    Where telephone numbers are asked for by that word, governance may answer: it reads the same
    uses.
    """
    run = platform.ask(asked, attachments=[bakery])
    asks_for_personal_data = "휴대폰 번호" in asked

    assert any(hop.path.startswith("platform/insilico") for hop in run.hops) or (
        asks_for_personal_data
        and any(hop.path.startswith("platform/governance") for hop in run.hops)
    )
    for file in ASKED[asked].split():
        assert file in run.answer


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("rename mobile, and look at Regular", ("mobile", "Regular")),
        ("MOBILE 컬럼은 어디서 써?", ("MOBILE",)),
        ("the sold loaves and the log", ()),  # used in the code, not defined there
        ("what does free_loaf do with counter.models", ("free_loaf",)),
        ("보고서 보내줘", ()),
    ],
)
def test_names_that_the_code_defines_are_found(
    bakery: Path, request_: str, found: tuple[str, ...]
) -> None:
    """As the request spells them; an ordinary word that is no name there is not one of them."""
    assert sorted(defined_names(request_, [bakery])) == sorted(found)


def test_little_is_looked_at(bakery: Path) -> None:
    """So many names and so many bytes, whatever is attached."""
    assert defined_names("mobile", [bakery], max_names=1) == ()  # they end before models.py
    assert defined_names("Regular to_row", [bakery], max_bytes=len(LETTERS)) == ("to_row",)


@pytest.mark.slow
def test_what_cannot_be_read_is_passed_over(tmp_path: Path, platform: Platform) -> None:
    """A link out of the tree, bytes that are no text, and a file instead of a folder."""
    (tmp_path / "a.py").symlink_to("/etc/hostname")
    (tmp_path / "b.py").write_bytes(b"\xff\xfe\x00class Odd:\n")
    (agent,) = (each for each in platform.team.agents if each.name == "insilico")

    assert agent.evidence("Odd", [Attachment(path=tmp_path)]).words == ("Odd",)
    assert agent.evidence("Odd", [Attachment(path=tmp_path / "b.py")]).score == 0
    assert agent.evidence("Odd", [Attachment(path=tmp_path / "not_there")]).score == 0
