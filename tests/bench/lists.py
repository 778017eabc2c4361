"""Measure what becomes of the terms of a list, and which teams a request starts.

    python tests/bench/lists.py [open|kept ...] [--verbose]

Another author wrote the requests: terms in a list with a wish about the answer's form
(lists_strangers.yaml), and requests around one that the data team alone serves
(section_strangers.yaml). A term is `lost` if the answer has it neither in its table nor as not
done; the loss is `silent` if the run ends `ok` all the same. Of the kept halves only totals are
looked at, so `--verbose` prints the others' rows alone. The platform routes by examples.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from minerva_platform import Run, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions

HERE = Path(__file__).parent
HALVES = {"open": "", "kept": "_kept"}


def rows_of(name: str, half: str) -> list[dict[str, Any]]:
    """Return the requests of one half."""
    text = (HERE / f"{name}_strangers{HALVES[half]}.yaml").read_text("utf-8")
    rows: list[dict[str, Any]] = yaml.safe_load(text)
    return rows


def fate_of(run: Run, terms: Sequence[str]) -> str:
    """Return `whole`, or how the answer loses some of `terms`."""
    answer = " ".join(run.answer.split())
    if all(term in answer for term in terms):
        return "whole"
    return "silent" if run.status == "ok" else "lost"


def teams_of(run: Run) -> set[str]:
    """Return the teams that a run has called."""
    return {hop.path.split("/")[1].partition("#")[0] for hop in run.hops}


async def measure(half: str, *, is_verbose: bool) -> Mapping[str, Counter[str]]:
    """Return the counts of one half, by the name of its file and the language."""
    platform, counts = build_platform(), dict[str, Counter[str]]()
    for name in ("lists", "section"):
        for row in rows_of(name, half):
            run = await run_team(platform, Task(request=row["request"]), RunOptions())
            if name == "lists":
                key, fate = row["language"], fate_of(run, row["terms"])
            else:
                key, fate = row["kind"], "exact" if teams_of(run) == {*row["teams"]} else "other"
            counts.setdefault(f"{name} {key}", Counter())[fate] += 1
            if is_verbose and half == "open" and fate not in {"whole", "exact"}:
                print(f"{row['id']} {fate} {run.status} {sorted(teams_of(run))}: {row}")
                print(f"{run.answer}\n")
    return counts


def main() -> int:
    """Print a line for each kind of request in each half."""
    words = [word for word in sys.argv[1:] if word != "--verbose"]
    for half in words or HALVES:
        counts = asyncio.run(measure(half, is_verbose="--verbose" in sys.argv))
        for name, fates in counts.items():
            told = ", ".join(f"{fate} {number}" for fate, number in sorted(fates.items()))
            print(f"{half:6}{name:16}{fates.total():4} requests: {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
