"""Count the attached files and the unusable words that answers name, on strangers' requests.

    python tests/bench/attachments.py [--verbose]

The cases and their files (attachments.yaml, attachments_blind.yaml, attachments/files) are by an
author who saw neither code nor examples; `make.py` there writes the binary ones. Of the blind half
nobody saw a row, and only its totals are printed. Requests go to the whole platform.
"""

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from _given_files import lay_out

from minerva_platform import Attachment, Run, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions

HERE = Path(__file__).parent
FILES = HERE / "attachments" / "files"
HALVES = {"development": HERE / "attachments.yaml", "blind": HERE / "attachments_blind.yaml"}
ANY = "any_but_silent"
"""An expectation that any honest status fulfils."""
HALF = 0.5
"""Share of an expected part's words that a named part must hold to be the same."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Case:
    """A request with its files, and what its answer must say of them and of its words."""

    id: str
    request: str
    attach: tuple[str, ...]
    files: dict[str, str]
    unused_words: tuple[str, ...]

    def reported_name(self, file: str) -> str:
        """Return how a run names `file`: by its own name, or relative to the directory."""
        for attached in self.attach:
            if file == attached:
                return Path(file).name
            if file.startswith(f"{attached}/"):
                return file.removeprefix(f"{attached}/")
        return file


def read_cases(path: Path) -> list[Case]:
    """Read a half of the cases."""
    rows: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Case(
            row["id"],
            row["request"],
            tuple(row["attach"]),
            row["files"],
            tuple(row["unused_words"]),
        )
        for row in rows
    ]


def main() -> int:
    """Print a table of both halves."""
    platform = build_platform()
    platform.prepare()
    totals = {
        half: asyncio.run(_measured(platform, read_cases(path), shows=half == "development"))
        for half, path in HALVES.items()
    }
    print("| of strangers' requests | development | blind |\n| --- | --- | --- |")
    for label, done, of in (
        ("attached files named", "named", "files"),
        ("with the right status", "right", "files"),
        ("unusable words named", "told", "words"),
    ):
        cells = (f"{total[done]}/{total[of]}" for total in totals.values())
        print(f"| {label} | {' | '.join(cells)} |")
    for label, key in (
        ("false alarms among words", "alarms"),
        ("runs that failed", "failed"),
        ("requests", "requests"),
    ):
        print(f"| {label} | {' | '.join(str(total[key]) for total in totals.values())} |")
    return 0


async def _measured(platform: AssembledTeam, cases: Sequence[Case], *, shows: bool) -> Counter[str]:
    total: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        given = Path(folder, "files")
        lay_out(FILES, given)
        for case in cases:
            task = Task(
                request=case.request,
                attachments=tuple(Attachment(path=given / name) for name in case.attach),
            )
            run = await run_team(platform, task, RunOptions(home=Path(folder, "home")))
            count, faults = counted(case, run)
            total += count
            if shows and faults and "--verbose" in sys.argv:
                print(f"{case.id} {case.request!r}: {'; '.join(faults)}")
    return total


def counted(case: Case, run: Run) -> tuple[Counter[str], list[str]]:
    """Return what `run` gets right of `case`, and what is wrong in words."""
    count = Counter(requests=1, failed=int(run.status == "failed"))
    faults: list[str] = []
    statuses: dict[str, str] = {use.name: use.status for use in run.files}
    for file, expected in case.files.items():
        status = statuses.get(case.reported_name(file))
        is_right = status is not None and expected in {ANY, status}
        count.update(files=1, named=int(status is not None), right=int(is_right))
        if not is_right:
            faults.append(f"{file} is {status or 'not named'}, not {expected}")
    said = (*run.unused, *run.unserved)
    for words in case.unused_words:
        is_told = any(is_same(words, part) for part in said)
        count.update(words=1, told=int(is_told))
        if not is_told:
            faults.append(f"missed {words!r}")
    for part in said:
        if not any(is_same(words, part) for words in case.unused_words):
            count["alarms"] += 1
            faults.append(f"false alarm {part!r}")
    return count, faults


def is_same(expected: str, part: str) -> bool:
    """Tell whether `part` names at least half of the words of `expected`."""
    wanted = set(_WORD.findall(expected.casefold()))
    named = set(_WORD.findall(part.casefold()))
    return bool(wanted) and len(wanted & named) >= HALF * len(wanted)


if __name__ == "__main__":
    sys.exit(main())
