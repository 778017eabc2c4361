"""Requests that another author wrote, answered with a public standard imported.

- `glossary/standard_terms_2025-11.csv`: as for `names`

The requests lie in `tests/bench/strangers/`. Their author saw neither rules nor examples of the
team. The truth of `in_table` and `yes_no` was taken by script from the standard (공공데이터
공통표준용어, 8th edition, Korean Ministry of the Interior and Safety, KOGL type 1, attribution).
Of the files `*_blind` nobody looked at a row: only their totals are printed.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from _strangers_names import STANDARD, imported_home

from minerva_data import RetrievalAgent
from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.language.text import key
from minerva_platform import AgentError

HERE = Path(__file__).parent / "strangers"
SHOP = "english_shop.sql"
_YES, _NO = ("yes", "예", "네"), ("no", "아니")

Answer = dict[str, Any]
Entry = dict[str, str]


def measure(data: Path) -> bool:
    """Print how many requests of each file are answered right; True if no shop column misleads."""
    if not (data / STANDARD).is_file():
        print(f"not measured, not there: {data / STANDARD}\n")
        return True
    with imported_home(data / STANDARD):
        agent = RetrievalAgent()
        print(f"  {'file':<16}{'requests':>9}{'right':>7}{'first':>7}{'open':>6}{'wrong':>7}")
        for name, outcome in _OUTCOMES.items():
            for path in (HERE / f"{name}.yaml", HERE / f"{name}_blind.yaml"):
                entries = yaml.safe_load(path.read_text(encoding="utf-8"))
                counts = Counter(outcome(entry, _asked(agent, entry)) for entry in entries)
                cells = f"{counts['right']:>7}{counts['first']:>7}{counts['open']:>6}"
                print(f"  {path.stem:<16}{len(entries):>9}{cells}{counts['wrong']:>7}")
        holds = _shop(agent)
    print()
    return holds


def _asked(agent: RetrievalAgent, entry: Entry) -> Answer:
    """Return the answer to a request; {} if nothing in it could be read as a name."""
    try:
        return agent.invoke({"request": entry["request"]})
    except AgentError:
        return {}


def named(entry: Entry, answer: Answer) -> str:
    """`right`: exactly the column's name is recommended; `first`: it is the first proposal."""
    items = answer["recommendation"]["items"] if answer else []
    decided = [item["best"]["physical_name"] for item in items if item["best"]]
    if decided:
        return "right" if decided == [entry["expected"]] else "wrong"
    offered = [item["alternatives"][0]["physical_name"] for item in items if item["alternatives"]]
    return "first" if offered == [entry["expected"]] else "open"


def yes_or_no(entry: Entry, answer: Answer) -> str:
    """`right`: the answer begins with the right one of yes and no."""
    said = answer["summary"].lstrip("*# ").casefold() if answer else ""
    found = "yes" if said.startswith(_YES) else "no" if said.startswith(_NO) else ""
    return "open" if not found else "right" if found == entry["expected"] else "wrong"


def read(entry: Entry, answer: Answer) -> str:
    """`right`: exactly the column was read as the name asked for; no term is wanted."""
    items = answer["recommendation"]["items"] if answer else []
    names = [key(item["item"]["name"]) for item in items]
    return "open" if not names else "right" if names == [key(entry["column"])] else "wrong"


_OUTCOMES: dict[str, Callable[[Entry, Answer], str]] = {
    "in_table": named,
    "yes_no": yes_or_no,
    "composed": read,
}


def _shop(agent: RetrievalAgent) -> bool:
    """Print what becomes of an English shop's columns; True if none is renamed at confidence 1."""
    answer = agent.invoke({"request": "standardise", "schemas": [str(HERE / SHOP)]})
    found = [item for item in answer["recommendation"]["items"] if item["best"]]
    bundled = [
        item["best"]["confidence"]
        for item in found
        if any(row["source"] == SEED_NAME for row in item["best"]["citations"])
    ]
    total = answer["recommendation"]["total"]
    highest = f", at most at confidence {max(bundled):.2f}" if bundled else ""
    print(f"  {SHOP}: {len(found)} of {total} columns named, {len(bundled)} with the bundled")
    print(f"  glossary's help{highest} (target: below 1)")
    return not bundled or max(bundled) < 1
