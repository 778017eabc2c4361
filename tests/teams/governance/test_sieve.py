"""What SQL tells of a cell is what Python would tell."""

import random
import re
from collections.abc import Sequence

import duckdb
import pytest
from forms import IS_WHOLE, spread

from minerva_governance.core.detection.column_tally import ColumnTally
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.sql_prefilter import (
    FIRST_KIND,
    OUT_OF_SIGHT,
    UNSETTLED,
    sieve,
)
from minerva_governance.core.kinds.catalogue import bundled_catalogue
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.kinds.review_context import current_catalogue, use_kinds

SEED = 20_261_124
CELLS = 60 if IS_WHOLE else 20
"""Of each sort for each kind."""
_PARTS = (
    *("010", "-", "1234", "5678", " ", "850101", "1234567", "@", "kim", ".kr", "example.com"),
    *("주민", "번호", "김민준", "2024-03-01", "T", "12:30", "MDEwLTEyMzQtNTY3OA==", "0x3031302d"),
    *("***", "xxxx", "null", "N/A", "\\N", "여권", "M12345678", "4111111111111111", "+82", "(0)"),
    *("10", "2001:db8::1", "192.168.10.20", "dob", "ssn ", "078-05-1120", "\t", "０１０", "\u200b"),
    *("A", "b", "=", "_", "/", "\\x", "deadbeefdead", "19", "800229", "-3", "000000", ", ", "#"),
)

_SIGNS = ("~", "_", "|", "\\", "+", ",", ":", "][", " - ", ") (", "  ", "•", " / ", "; ", "일 ")
_WRITINGS = (
    *(
        " {} ",
        "no. {}",
        "{}.0",
        "{},00",
        '="{}"',
        "'{}",
        "({})",
        "[{}]",
        "<{}>",
        "{};{}",
        "{} / {}",
    ),
    *(
        "ID: {}",
        "NIF: {}",
        "BSN={}",
        "PESEL#{}",
        "주민번호: {}",
        "NHS{}",
        "DE{}",
        "{} kg",
        "{}  {}",
    ),
    *("&#48;{}", "%2B{}", "tel:{}", "{}\t", "“{}”", "{}, {}", "Steuer-ID:  {} (neu)"),
)


def like(form: str, rng: random.Random) -> str:
    """Return a text that often has `form`: its classes filled, its repeats shortened."""
    text = re.sub(r"\(\?:|\(\?i:", "(", form)
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "[":
            end = text.index("]", at + 2)
            letters = [each for each in text[at + 1 : end] if each not in "^\\"] or ["a"]
            if "0-9" in text[at:end]:
                letters = list("0123456789")
            count = re.match(r"\{([0-9]+)", text[end + 1 :])
            out += [rng.choice(letters) for _ in range(int(count[1]) if count else 1)]
            at = end + 1
        elif letter == "{":
            at = text.index("}", at) + 1
        elif letter == "\\":
            out.append(text[at + 1])
            at += 2
        else:
            if letter == "|" and rng.random() < 0.5:
                break
            if letter not in "()?*+|^$":
                out.append(letter)
            at += 1
    return "".join(out)


def cells_for(kinds: Sequence[Kind], rng: random.Random) -> list[str]:
    """Return texts like the forms of `kinds`, and joined parts, clean and spoiled."""
    forms = [
        form
        for kind in kinds
        for form in (
            *(kind.form, kind.weak, kind.told, kind.named, kind.sure, kind.sure_named),
            kind.joined.replace("?P<value>", "?:"),
        )
        if form
    ]
    shaped = [like(rng.choice(forms), rng) for _ in range(CELLS if forms else 0)]
    digits = [rng.randrange(10 ** rng.randrange(5, 17)) for _ in range(CELLS)]
    joined = ["".join(rng.choices(_PARTS, k=rng.randrange(1, 5))) for _ in range(CELLS)]
    births = [
        f"{rng.randrange(100):02}{rng.randrange(14):02}{rng.randrange(33):02}"
        f"{rng.choice(['-', '', ' - '])}{rng.randrange(10)}{rng.randrange(10**6):06}"
        for _ in range(CELLS)
    ]
    phones = [
        rng.choice(["01{}-{}-{}", "01{}{}{}", "0{}-{}-{}", "{}-{}-{}"]).format(
            rng.randrange(100), rng.randrange(100, 10_000), rng.randrange(1_000, 10_000)
        )
        for _ in range(CELLS)
    ]
    found = [*shaped, *joined, *births, *phones, *map(str, digits)]
    wrapped = [rng.choice(_WRITINGS).replace("{}", each) for each in found]
    floats = [f"{each[0]}.{each[1:]}E{len(each) - 1}" for each in map(str, digits)]
    cut = [each[:-1] for each in found]
    return [*found, *wrapped, *floats, *cut, *(apart(each, rng) for each in found)]


def apart(text: str, rng: random.Random) -> str:
    """Return the letters and digits of `text` with one odd sign between its groups."""
    sign = rng.choice(_SIGNS)
    groups = re.findall(r"[^\W_]{1,4}", text) if rng.random() < 0.5 else re.split(r"[^\w]+", text)
    return rng.choice(("{}", "nif={}&x=1", "<td>{}</td>", "N'{}'", "[{}]", "kim {} home")).format(
        sign.join(groups)
    )


def answers(cells: list[str], promised: Entity | None) -> list[int | None]:
    """Return what SQL answers."""
    known = sieve(current_catalogue(), promised)
    with duckdb.connect() as database:
        found = database.execute(
            f"SELECT {known.sql('text')} FROM (SELECT unnest($1::VARCHAR[]) AS text)",  # noqa: S608
            [cells],
        ).fetchall()
    return [answer for (answer,) in found]


def check(promised: Entity | None, cells: list[str]) -> int:
    """Assert that all answers are Python's; return how many cells SQL settled."""
    known = sieve(current_catalogue(), promised)
    settled = 0
    for cell, answer in zip(cells, answers(cells, promised), strict=True):
        if answer == UNSETTLED:
            continue
        settled += 1
        tally = ColumnTally("c", promised)
        tally.add(1, cell)
        hits = {known.kind(answer): 1} if answer is not None and answer >= FIRST_KIND else {}
        expected = (int(answer is not None), int(answer == OUT_OF_SIGHT), hits)
        assert (tally.value_count, tally.out_of_sight, dict(tally.hits)) == expected, (
            cell,
            promised,
        )
    return settled


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize("promised", spread([None, *bundled_catalogue().ids], 8))
def test_sql_never_answers_otherwise_than_python(promised: Entity | None) -> None:
    """On texts like every form, spoiled and wrapped, whatever the column is called."""
    rng = random.Random(f"{SEED} {promised}")  # noqa: S311  # the same cells each time
    kinds = list(bundled_catalogue().kinds.values())
    asked = [kinds] if promised is None else [[bundled_catalogue().kinds[promised]], kinds]
    cells = [cell for each in asked for cell in cells_for(each, rng)]

    assert check(promised, cells) > len(cells) // 10


def test_kinds_that_a_person_added_are_not_missed() -> None:
    """Their values may have neither digit nor sign; SQL leaves all that may be one."""
    own = Kind(
        id="STAFF_BADGE", category="internal_id", ko="사번", en="badge", form="[A-Z]{3}-[a-z]{4}"
    )
    with use_kinds([own]):
        assert answers(["KOR-abcd", "x KOR-abcd y", "plain text", "2024-03-01"], None) == [
            1,
            1,
            0,
            0,
        ]
        rng = random.Random(SEED)  # noqa: S311  # the same cells each time
        check(None, cells_for([own, *bundled_catalogue().kinds.values()], rng))


def test_a_kind_that_a_person_replaced_is_not_settled_as_ours() -> None:
    """Its values may look like those of another kind, which SQL would count unasked."""
    own = (
        bundled_catalogue()
        .kinds["KR_BRN"]
        .model_copy(update={"form": "010-[0-9]{4}-[0-9]{4}", "check": ""})
    )
    with use_kinds([own]):
        assert answers(["010-1234-5678"], None) == [UNSETTLED]


def test_sql_settles_what_columns_are_full_of() -> None:
    """Dates, amounts, order numbers, names, phones, e-mail: none of them is left to Python."""
    cells = [
        "2024-03-01",
        "2024-03-01 12:30:00",
        "1250000",
        "ORD-2024-0000123",
        "김민준",
        "서울특별시",
    ]
    cells += ["010-1234-5678", "kim@example.com", "850101-1234567", "true", "12.75", "null", ""]

    assert UNSETTLED not in answers(cells, None)
