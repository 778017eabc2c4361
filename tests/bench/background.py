"""Count how many messages about a run of the queue reach it, and how many typed answers are read.

    python tests/bench/background.py [open|kept|typed|typed_kept ...]

Each request is put into the queue of a thread of its own by the platform's own start of background
runs, whichever member its words choose, so the later message alone is measured. Who asks for news
or stops it finds it waiting, who asks for its result finds it ended, with the installed teams. A
yes goes to a run of a worker that asks a person, and whose examples these requests are. Messages
that miss are named; of a kept half only totals are looked at. Of the typed answers that miss,
`wrong` ones are read as a value that is not meant, which is worse than to ask again.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from minerva_platform import Platform, Team, agent, ask_approval
from minerva_platform.people.typed_answer import typed_answer

HERE = Path(__file__).parent
FILES = {
    "open": HERE / "background_strangers.yaml",
    "kept": HERE / "background_strangers_kept.yaml",
    "typed": HERE / "typed_strangers.yaml",
    "typed_kept": HERE / "typed_strangers_kept.yaml",
}
SCHEMAS: dict[str, Any] = {
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
}


def do(request: str) -> str:
    """Does what a person lets it do."""
    return "done" if ask_approval("Go on?", tool="go", arguments={"what": request}) else "not done"


async def reaches(app: Platform, item: dict[str, Any]) -> bool:
    """Return whether what is said reaches the run of its thread."""
    thread, kind = item["id"], item["kind"]
    run = await app.asubmit(item["first"], thread=thread)
    if kind in {"result", "yes"}:
        async with app.worker_process() as process:
            await process.work(until_empty=True)
    said = await app.aask(item["say"].replace("{id}", run.run_id[:8]), thread=thread)
    now = app.find(run.run_id)
    if kind == "yes":
        return (said.run_id, now.answer) == (run.run_id, "done")
    if kind == "stop":
        return now.status == "cancelled"
    is_about = said.reason == "about" and run.run_id[:8] in said.answer
    return is_about and (kind == "news" or now.answer in said.answer)


async def conversations(items: list[dict[str, Any]], home: Path) -> Counter[tuple[str, bool]]:
    """Return how many messages of each kind reach their run."""
    doer = agent(examples=[item["first"] for item in items])(do)
    team = Team(name="office", description="Does things.", members=(doer,))
    counts = Counter[tuple[str, bool]]()
    with Platform(home=home) as all_teams, Platform(teams=[team], home=home / "office") as office:
        for item in items:
            is_there = await reaches(office if item["kind"] == "yes" else all_teams, item)
            counts[item["kind"], is_there] += 1
            if not is_there:
                item["misses"] = item["say"]
    return counts


def typed(items: list[dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield the type of each question, and whether the answer is read as it is meant."""
    for item in items:
        schema = SCHEMAS.get(item["type"]) or {"enum": item["values"]}
        value = typed_answer(item["answer"], schema, today=date.fromisoformat(item["today"]))
        value = None if value == item["answer"] != item["means"] else value
        is_read = value == item["means"]
        item["wrong"] = not is_read and value is not None
        if not is_read:
            item["misses"] = f"{item['answer']} -> {value!r}"
        yield item["type"], is_read


def main() -> int:
    """Print a line for each kind of each file, and what misses of those that may be read."""
    for name in sys.argv[1:] or FILES:
        items = yaml.safe_load(FILES[name].read_text(encoding="utf-8"))
        with TemporaryDirectory() as folder:
            counts = (
                Counter(typed(items))
                if name.startswith("typed")
                else asyncio.run(conversations(items, Path(folder)))
            )
        kinds = [] if name.endswith("kept") else sorted({kind for kind, _ in counts})
        told = [
            f"{kind} {counts[kind, True]}/{counts[kind, True] + counts[kind, False]}"
            for kind in kinds
        ]
        right = sum(count for (_, is_right), count in counts.items() if is_right)
        if name.startswith("typed"):
            told.append(f"wrong {sum(item['wrong'] for item in items)}")
        print(f"{name:11} {right}/{len(items)}  {'  '.join(told)}", flush=True)
        if not name.endswith("kept"):
            print(
                *(f"  {item['id']}: {item['misses']}" for item in items if "misses" in item),
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
