"""Measure how many turns of conversations are understood without a model.

    python tests/bench/conversations.py [tuning|test|development|seen|kept ...] [--verbose]

A turn is right if the workers who should answer work and no team of others does, and its answer
holds and lacks what the file says. Rules were made with `tuning` (conversations.yaml), `seen`
(conversations_strangers.yaml) and `development` in view, the latter two by other authors. Of the
other halves only totals were looked at, so --verbose tells of these alone. `joined` counts turns
that stand alone and were understood with words of earlier turns, `sure` wrong turns whose run
ended `ok` with an answer.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NotRequired, TypedDict

import yaml

from minerva_platform import Platform, Run
from minerva_platform.run_context.blocking import run_sync

ROOT = Path(__file__).parents[2]
OWN = Path(__file__).with_suffix(".yaml")
STRANGERS = OWN.with_stem("conversations_strangers")
FILES = ROOT / "configs/examples/hospital"
HALVES = {
    "tuning": OWN,
    "test": OWN,
    "development": OWN.with_stem("conversations_development"),
    "seen": STRANGERS,
    "kept": OWN.with_stem("conversations_strangers_kept"),
}
LOOKED_AT = ("tuning", "development", "seen")
KINDS = ("first", "follow", "alone", "courtesy", "about")


class Turn(TypedDict):
    """What a person types, and what has to come of it."""

    say: str
    kind: Literal["first", "follow", "alone", "courtesy", "about"]
    asks: list[str]
    holds: NotRequired[list[str]]
    lacks: NotRequired[list[str]]


class Talk(TypedDict):
    """Turns of one thread."""

    id: str
    half: NotRequired[Literal["tuning", "test", "seen", "kept"]]
    files: NotRequired[list[str]]
    turns: list[Turn]


@dataclass(frozen=True)
class Judged:
    """A turn, the run it became, and why that is wrong."""

    talk: Talk
    turn: Turn
    run: Run
    faults: tuple[str, ...]

    @property
    def is_joined(self) -> bool:
        """True if the turn stands alone, and words of earlier ones were put to it."""
        understood = " ".join(self.run.understood.split())
        words = " ".join(self.turn["say"].split())
        return self.turn["kind"] in ("alone", "about") and understood not in words

    @property
    def is_surely_wrong(self) -> bool:
        """True if the turn is wrong, and its run tells of no doubt, nor asks back."""
        doubts = self.run.status != "ok" or self.run.reason == "asked_back"
        return bool(self.faults) and not doubts


def main() -> int:
    """Print the share of right turns; 0 if every turn came to an end."""
    words = sys.argv[1:]
    if unknown := set(words) - {*HALVES, "--verbose"}:
        print(f"No half {', '.join(sorted(unknown))}; there are: {', '.join(HALVES)}.")
        return 2
    halves = [
        half for half, path in HALVES.items() if half in words or (not words and path.exists())
    ]
    print(f"{'half':12}{'kind':10}{'right':>7}{'of':>5}{'share':>8}{'joined':>8}{'sure':>6}")
    for half in halves:
        judged = run_sync(_judge, half)
        for kind in (*KINDS, "all"):
            of_kind = [one for one in judged if kind in ("all", one.turn["kind"])]
            if not of_kind:
                continue
            right = sum(not one.faults for one in of_kind)
            joined, sure = (sum(each) for each in zip(*map(_counted, of_kind), strict=True))
            share = f"{right:7}{len(of_kind):5}{right / len(of_kind):8.3f}"
            print(f"{half:12}{kind:10}{share}{joined:8}{sure:6}")
        if "--verbose" in words and half in LOOKED_AT:
            _tell(judged)
    return 0


def _counted(one: Judged) -> tuple[bool, bool]:
    return one.is_joined, one.is_surely_wrong


async def _judge(half: str) -> list[Judged]:
    """Hold every conversation of `half`, each in a thread of its own."""
    talks: list[Talk] = yaml.safe_load(HALVES[half].read_text(encoding="utf-8"))
    judged: list[Judged] = []
    with TemporaryDirectory() as home:
        app = Platform(home=Path(home))
        for talk in talks:
            if talk.get("half", half) != half:
                continue
            paths = [FILES / name for name in talk.get("files", ())]
            for turn in talk["turns"]:
                run = await app.aask(turn["say"], attachments=paths, thread=talk["id"])
                judged.append(Judged(talk, turn, run, tuple(_faults(turn, run))))
                paths = []  # the thread remembers them
    return judged


def _faults(turn: Turn, run: Run) -> Iterator[str]:
    """Yield what is wrong with `run`."""
    workers = {hop.path.rsplit("/", 1)[-1]: hop.team for hop in run.hops}
    asked = turn["asks"]
    for name in asked:
        if name not in workers:
            yield f"{name} did not work"
    teams = {workers[name] for name in asked if name in workers}
    for name, team in workers.items():
        if team not in teams:
            yield f"{name} worked"
    if run.status == "failed" and (asked or turn["kind"] in ("courtesy", "about")):
        yield f"failed: {run.reason}"
    for text in turn.get("holds", ()):
        if text not in run.answer:
            yield f"without {text}"
    for text in turn.get("lacks", ()):
        if text in run.answer:
            yield f"with {text}"


def _tell(judged: list[Judged]) -> None:
    """Print each wrong turn with what the platform understood."""
    for one in judged:
        if one.faults:
            said = one.run.understood.replace("\n", " / ") or one.turn["say"]
            print(f"{one.talk['id']} {one.turn['say']!r} as {said!r}: {'; '.join(one.faults)}")


if __name__ == "__main__":
    sys.exit(main())
