"""Join served requests with out-of-scope ones by script, and count the halves said not to be done.

The halves are single and out-of-scope requests of requests.yaml and requests_blind.yaml, dealt by
a seed, in both orders and both languages. Pairs of two teams' requests show what is called not
done although a team serves it; so do the served requests of both files as they are.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from _clauses import Span, span_of

from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.evaluation.cases import Case, read_cases
from minerva_platform.evaluation.outcome import Outcome, foreseen

HERE = Path(__file__).parent
FILES = (HERE / "requests.yaml", HERE / "requests_blind.yaml")
ASK_NOTHING = frozenset(
    "out-04 out-18 out-20 out-23 blind-159 blind-160 blind-180 blind-186 blind-205".split()
)
"""Greetings, thanks and laments. They are no work that could be left undone."""
OURS = "check the invoices and pay them"
"""Two wishes of nobody's, of which a neighbour takes the first."""
PAIRS = 100
"""Joined requests of each language."""
MAX_CHARACTERS = 120
"""Characters of a half. Longer ones are stories of several sentences."""

_END = re.compile(r"[.!?。！？~\s]+$")
_PLEA_KO = re.compile(r"(?<=[가-힣])(?:(?:줘|줘요|주세요|주십시오)|(?P<do>해|하세요))$")


class Half(NamedTuple):
    """One request, and its team if there is one."""

    text: str
    team: str


class Joined(NamedTuple):
    """A request made of two, and the span of the half that nobody serves."""

    text: str
    teams: frozenset[str]
    nobodys: Span | None
    joining: str


def _sentences(first: str, second: str) -> str:
    end = "" if first.endswith(("?", ".", "!")) else "."
    return f"{first}{end} {second}"


def _by(joint: str) -> Callable[[str, str], str]:
    def join(first: str, second: str) -> str:
        return f"{_END.sub('', first)}{joint}{_uncapitalised(second)}"

    return join


def _uncapitalised(text: str) -> str:
    first = text.partition(" ")[0]
    return text[0].lower() + text[1:] if re.fullmatch(r"[A-Z][a-z']+", first) else text


def _go(first: str, second: str) -> str:
    """Join by -고; a first half that ends in no plea is joined by 그리고."""
    bare = _END.sub("", first)
    plea = _PLEA_KO.search(bare)
    if plea is None:
        return _by(" 그리고 ")(first, second)
    return f"{bare[: plea.start()]}{'하' if plea['do'] else '주'}고 {second}"


JOININGS: dict[str, dict[str, Callable[[str, str], str]]] = {
    "en": {
        "and": _by(" and "),
        ", and": _by(", and "),
        "then": _by(", then "),
        "comma": _by(", "),
        "sentences": _sentences,
    },
    "ko": {
        "-고": _go,
        "그리고": _by(" 그리고 "),
        "comma": _by(", "),
        "sentences": _sentences,
    },
}


def join(first: Half, second: Half, language: str, joining: str) -> Joined:
    """Return the two halves as one request."""
    text = JOININGS[language][joining](first.text, second.text)
    teams = frozenset({first.team, second.team} - {""})
    if all((first.team, second.team)):
        return Joined(text, teams, None, joining)
    border = len(text) - len(second.text)
    words = text[border:] if first.team else text[:border].strip(" ,.")
    return Joined(text, teams, span_of(words, text), f"{joining} {language}")


def _halves(cases: Sequence[Case], language: str) -> tuple[list[Half], list[Half]]:
    short = [c for c in cases if c.language == language and len(c.text) <= MAX_CHARACTERS]
    whole = [c for c in short if "\n" not in c.text and c.id not in ASK_NOTHING]
    served = [Half(c.text.strip(), min(c.teams)) for c in whole if c.kind == "single"]
    strange = [Half(c.text.strip(), "") for c in whole if c.kind == "out_of_scope"]
    return served, [*strange, Half(OURS, "")] if language == "en" else strange


def half_served(cases: Sequence[Case]) -> Iterator[Joined]:
    """Yield requests of which one half is served and the other is not."""
    for language, joinings in JOININGS.items():
        random = Random(language)  # noqa: S311  # a seeded draw, no secret
        served, strange = (random.sample(part, len(part)) for part in _halves(cases, language))
        pairs = zip(cycle(served), cycle(strange), cycle(joinings), strict=False)
        for number, (one, other, joining) in enumerate(islice(pairs, PAIRS)):
            halves = (one, other) if number // len(joinings) % 2 else (other, one)
            yield join(*halves, language, joining)


def both_served(cases: Sequence[Case]) -> Iterator[Joined]:
    """Yield requests whose halves are two teams' work."""
    for language, joinings in JOININGS.items():
        random = Random(language)  # noqa: S311  # a seeded draw, no secret
        served, _ = _halves(cases, language)
        pairs = zip(random.sample(served, len(served)), cycle(joinings), strict=False)
        for one, joining in islice(pairs, PAIRS // 2):
            other = random.choice([half for half in served if half.team != one.team])
            yield join(one, other, language, joining)


def decisions(platform: AssembledTeam, texts: Sequence[str]) -> list[Outcome]:
    """Return what the platform would do with each text."""
    cases = [
        Case(id=text, where="", text=text, teams=frozenset(), kind="", language="")
        for text in texts
    ]
    return [asyncio.run(foreseen(platform, case)) for case in cases]


def is_named(request: Joined, outcome: Outcome) -> bool:
    """True if the half that nobody serves is said not to be done."""
    return any(
        request.nobodys is not None and span_of(words, request.text).covers(request.nobodys)
        for words in outcome.unserved
    )


def is_false_alarm(request: Joined, outcome: Outcome) -> bool:
    """True if something else is said not to be done."""
    told = [span_of(words, request.text) for words in outcome.unserved]
    return any(request.nobodys is None or not words.covers(request.nobodys) for words in told)


def main() -> int:
    """Print the shares."""
    platform = build_platform()
    cases = [case for file in FILES for case in read_cases(file)]
    halves = list(half_served(cases))
    outcomes = decisions(platform, [request.text for request in halves])
    found = [is_named(*pair) for pair in zip(halves, outcomes, strict=True)]
    _print("unserved half named", found, ">= 0.75")
    for joining in sorted({request.joining for request in halves}):
        pairs = zip(halves, found, strict=True)
        _print(f"  {joining}", [named for request, named in pairs if request.joining == joining])
    _print("something else named", [is_false_alarm(*p) for p in zip(halves, outcomes, strict=True)])
    _print("exact teams", [o.teams == r.teams for r, o in zip(halves, outcomes, strict=True)])
    both = list(both_served(cases))
    outcomes = decisions(platform, [request.text for request in both])
    _print("two teams: exact", [o.teams == r.teams for r, o in zip(both, outcomes, strict=True)])
    _print("two teams: something named", [bool(o.unserved) for o in outcomes])
    served = [case for case in cases if case.teams]
    outcomes = decisions(platform, [case.text for case in served])
    _print("served as they are: something named", [bool(o.unserved) for o in outcomes], "<= 0.04")
    for text in (OURS, f"find the callers of get_user and {OURS}"):
        (outcome,) = decisions(platform, [text])
        print(f"{text!r}: {sorted(outcome.teams)}, not done: {list(outcome.unserved)}")
    return 0


def _print(label: str, values: Sequence[bool], target: str = "") -> None:
    print(f"{label:40} {sum(values) / len(values):6.3f}  {target:8} {len(values)} requests")


if __name__ == "__main__":
    raise SystemExit(main())
