"""What a router has learned is read back as it was, or learned again."""

import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import orjson
import pytest
from forms import spread

from minerva_platform.routing import MemberCard
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.training.model_cache import MAX_FILES, RouterStore

REQUESTS = ("the weather in Busan", "pay the invoice", "날씨 어때", "hello", "", "x" * 5_000)


def cards(*more: str) -> list[MemberCard]:
    """Return two members with examples."""
    weather = (
        "will it rain tomorrow",
        "내일 비 와?",
        "how warm is it outside",
        "기온 알려줘",
        *more,
    )
    money = ("pay this invoice", "송장 결제해줘", "how much do we owe", "미납 금액 알려줘")
    return [
        MemberCard(name="weather", description="…", examples=weather),
        MemberCard(name="money", description="…", examples=money),
    ]


def test_what_was_kept_decides_as_what_was_learned(tmp_path: Path) -> None:
    """To the last digit of every score, limits included."""
    learned = EmbeddedRouter(cards())
    for _ in range(2):
        kept = EmbeddedRouter(cards(), store=RouterStore(tmp_path))
        assert kept.thresholds == learned.thresholds
        assert [kept.choose(text) for text in REQUESTS] == [
            learned.choose(text) for text in REQUESTS
        ]
    assert len(list(tmp_path.iterdir())) == 1


def test_other_examples_are_learned_anew(tmp_path: Path) -> None:
    """No file is taken for what it is not."""
    EmbeddedRouter(cards(), store=RouterStore(tmp_path)).prepare()
    EmbeddedRouter(cards("is it foggy"), store=RouterStore(tmp_path)).prepare()

    assert len(list(tmp_path.glob("*.npz"))) == 2


class _Trap:
    """Makes a folder where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Say how to be unpickled."""
        return os.mkdir, (str(self.trace),)


@pytest.mark.slow
def test_an_edited_example_is_learned_by_its_router_and_those_above(tmp_path: Path) -> None:
    """Of nine workers in three teams, that is the router of one team and the platform's."""

    def routers(edit: str) -> list[EmbeddedRouter]:
        teams = {
            team: [
                MemberCard(
                    name=f"{team}_{n}",
                    description="…",
                    examples=(
                        f"{team} {n} one",
                        f"{team} {n} {edit if team + str(n) == 'b1' else 'two'}",
                    ),
                )
                for n in range(3)
            ]
            for team in "abc"
        }
        whole = [
            MemberCard(
                name=team, description="…", examples=tuple(t for w in cards for t in w.examples)
            )
            for team, cards in teams.items()
        ]
        store = RouterStore(tmp_path)
        return [EmbeddedRouter(members, store=store) for members in (whole, *teams.values())]

    for router in routers("two"):
        router.prepare()
    before = set(tmp_path.iterdir())
    for router in routers("edited"):
        router.prepare()

    assert len(before) == 4
    assert len(set(tmp_path.iterdir()) - before) == 2


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize("damage", spread(["empty", "cut", "text", "pickle", "one bit"], 3))
def test_a_file_that_is_damaged_is_learned_again(damage: str, tmp_path: Path) -> None:
    """It is replaced by a good one, and whatever is in it runs nothing."""
    store, trace = RouterStore(tmp_path / "routers"), tmp_path / "trace"
    EmbeddedRouter(cards(), store=store).prepare()
    (file,) = store.folder.glob("*.npz")
    whole = file.read_bytes()
    if damage == "pickle":
        trap = np.array([_Trap(trace)], dtype=object)
        content = io.BytesIO()
        np.savez(content, features=trap, numbers=trap)
        data = content.getvalue()
        file.write_bytes(hashlib.sha256(data).digest() + data)
    elif damage == "one bit":
        file.write_bytes(whole[:999] + bytes([whole[999] ^ 1]) + whole[1000:])
    else:
        file.write_bytes({"empty": b"", "cut": whole[:999], "text": b"no archive at all"}[damage])

    router = EmbeddedRouter(cards(), store=store)

    assert router.choose("pay the invoice") == EmbeddedRouter(cards()).choose("pay the invoice")
    assert file.read_bytes() == whole
    assert not trace.exists()


def test_a_folder_that_cannot_be_written_is_not_missed(tmp_path: Path) -> None:
    """The router works, it just learns again the next time."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    router = EmbeddedRouter(cards(), store=RouterStore(tmp_path / "file" / "routers"))

    assert router.choose("pay the invoice").goals[0].member == "money"


def test_the_oldest_are_forgotten(tmp_path: Path) -> None:
    """The folder does not grow for ever."""
    for number in range(MAX_FILES + 5):
        file = tmp_path / f"{number}.npz"
        file.write_bytes(b"")
        os.utime(file, (number, number))
    EmbeddedRouter(cards(), store=RouterStore(tmp_path)).prepare()

    left = {file.name for file in tmp_path.iterdir()}
    assert len(left) == MAX_FILES
    assert "0.npz" not in left
    assert f"{MAX_FILES + 4}.npz" in left


def test_another_process_decides_alike_and_reads_without_training(tmp_path: Path) -> None:
    """Whatever the order of members. A start after the first does not load the code that learns."""
    code = (
        "import pathlib, sys\n"
        "import orjson\n"
        "from minerva_platform.routing import MemberCard\n"
        "from minerva_platform.routing.examples_router import EmbeddedRouter\n"
        "from minerva_platform.routing.training.model_cache import RouterStore\n"
        "cards, requests = orjson.loads(sys.argv[2])\n"
        "members = [MemberCard(**card) for card in cards]\n"
        "router = EmbeddedRouter(members, store=RouterStore(pathlib.Path(sys.argv[1])))\n"
        "said = [router.choose(text).model_dump_json() for text in requests]\n"
        "learned = 'minerva_platform.routing.training.ridge' in sys.modules\n"
        "sys.stdout.buffer.write(orjson.dumps([learned, said]))\n"
    )
    here = EmbeddedRouter(cards(), store=RouterStore(tmp_path / "here"))
    shuffled = [card.model_dump() for card in reversed(cards())]
    given = orjson.dumps([shuffled, REQUESTS]).decode()
    command = [sys.executable, "-c", code, str(tmp_path / "there"), given]
    said = [
        orjson.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        for _ in range(2)
    ]

    decisions = [here.choose(text).model_dump_json() for text in REQUESTS]
    assert said == [[True, decisions], [False, decisions]]
