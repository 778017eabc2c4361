"""Measure what the words after an effect do, in conversations of three authors.

    python tests/bench/errands.py [shaped|seen|kept ...]

Each worker of the office does its deed whenever it is called, whatever the words. A row tells of
one file: after each deed two messages that ask, complain or thank; new requests; questions that
come first; words after a cancelled request. `unasked` counts messages that did the same deed or
another one, `needless` new requests that asked a person first. The rules were made with `shaped`
(errands.yaml) in view and with `seen` (errands_strangers.yaml); of `kept`
(errands_strangers_kept.yaml) only totals are looked at.
"""

import asyncio
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1] / "support"))

from errand_office import Fails, Held, Talk, cut_off, errands, first_turn, said  # after the path

from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine

HERE = Path(__file__).parent
FILES = {
    "shaped": HERE / "errands.yaml",
    "seen": HERE / "errands_strangers.yaml",
    "kept": HERE / "errands_strangers_kept.yaml",
}


async def measure(words: Path, options: RunOptions) -> Counter[str]:
    """Return the counts of one file: once with workers that report, once with such that fail."""
    world, held, items = Fails(), Held(), said(words)
    talk, cut = Talk(errands(world), options, world), Talk(errands(held), options, held)
    for item in items["questions"]:
        await talk.question(item)
    for world.fails_after in (False, True):
        for item in items["after"]:
            thread = f"{item['id']}-{world.fails_after}"
            told = await first_turn(talk, item, thread)
            talk.counts["told_at_once"] += told
            await talk.turns(item, told=told, thread=thread)
        for item in items["new"]:
            thread = f"{item['id']}-{world.fails_after}"
            await first_turn(talk, item, thread)
            await talk.request(item, thread)
    for item in items["cancelled"]:
        await cut_off(cut, held, item)
    return talk.counts + cut.counts


def row(name: str, found: Counter[str]) -> str:
    """Return the line of one file."""
    requests = found["requests"]
    cells = (
        f"{found['told_at_once']}/{found['deeds']}",
        str(found["messages"]),
        str(found["did_same"]),
        str(found["did_other"]),
        str(found["questions"]),
        f"{requests - found['not_carried_out']}/{requests}",
        str(found["needless"]),
        f"{found['questions_did']}/{found['asked_first']}",
        f"{found['cancelled_did']}/{found['cancelled']}",
    )
    return "".join((name.ljust(8), *(cell.rjust(10) for cell in cells)))


def main() -> int:
    """Print a line for each file."""
    heads = ("told", "messages", "same", "other", "asked", "new_done", "needless", "first_did")
    print(row("", Counter())[:8] + "".join(head.rjust(10) for head in (*heads, "cut_did")))
    for name in sys.argv[1:] or FILES:
        with TemporaryDirectory() as folder, opened_engine(Path(folder) / "state.db") as engine:
            found = asyncio.run(measure(FILES[name], RunOptions(engine=engine, home=Path(folder))))
        print(row(name, found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
