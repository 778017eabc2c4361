"""Measure what becomes of the terms of a list, and which teams a request starts.

    python tests/bench/lists.py [open|kept ...] [--router embedded|cascade|step|plan] [--verbose]

Another author wrote the requests: terms in a list with a wish about the answer's form
(lists_strangers.yaml), and requests around one that the data team alone serves
(section_strangers.yaml). A term is `lost` if the answer has it neither in its table nor as not
done; the loss is `silent` if the run ends `ok` all the same. A request around one is `exact` if it
starts the teams that it needs alone, and `twice` if a row of its tables comes twice. Of the kept
halves only totals are looked at, so `--verbose` prints the others' rows alone. The platform routes
by examples, unless `--router` says otherwise: then a scripted model names the teams that are
needed, and workers that can serve.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

sys.path.append(str(Path(__file__).parents[1] / "support"))

from named_members import WORKERS, NamedMembers, named_members, repeated_rows, teams_of

from minerva_platform import Run

HERE = Path(__file__).parent

ROUTERS = ("embedded", "cascade", "step", "plan")
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


def team_fate_of(run: Run, teams: Sequence[str]) -> str:
    """Return `exact`, or `other` if a run has called other teams, or `twice`."""
    if repeated_rows(run.answer):
        return "twice"
    return "exact" if teams_of(run) == {*teams} else "other"


def measure(platform: NamedMembers, half: str, *, is_verbose: bool) -> Mapping[str, Counter[str]]:
    """Return the counts of one half, by the name of its file and the language."""
    counts = dict[str, Counter[str]]()
    for name in ("lists", "section"):
        for row in rows_of(name, half):
            teams = row.get("teams", ["data"])
            run = platform.ask(row["request"], {"platform": teams, **WORKERS})
            if name == "lists":
                key, fate = row["language"], fate_of(run, row["terms"])
            else:
                key, fate = row["kind"], team_fate_of(run, teams)
            counts.setdefault(f"{name} {key}", Counter())[fate] += 1
            if is_verbose and half == "open" and fate not in {"whole", "exact"}:
                print(f"{row['id']} {fate} {run.status} {sorted(teams_of(run))}: {row}")
                print(f"{run.answer}\n")
    return counts


def main() -> int:
    """Print a line for each kind of request in each half."""
    parser = argparse.ArgumentParser()
    parser.add_argument("halves", nargs="*", choices=[*HALVES, []])
    parser.add_argument("--router", default="embedded", choices=ROUTERS)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder, named_members(Path(folder), options.router) as platform:
        for half in options.halves or HALVES:
            counts = measure(platform, half, is_verbose=options.verbose)
            for name, fates in counts.items():
                told = ", ".join(f"{fate} {number}" for fate, number in sorted(fates.items()))
                print(f"{half:6}{name:16}{fates.total():4} requests: {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
