"""Score the wordings of a half through the platform and the team alone.

python score_wordings.py open|kept [-v] [--other]

A wording is served if the answer names most places (60 %) of the uses of the tree's field, or of
the lines that call or name the function or class that it asks about.
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).parent
half = sys.argv[1]
verbose = "-v" in sys.argv and half == "open"
other = "--other" in sys.argv
os.environ["MINERVA_HOME"] = tempfile.mkdtemp()
os.chdir(os.environ["MINERVA_HOME"])

import logging

logging.disable(logging.CRITICAL)
from minerva_platform import Platform
from minerva_platform.app import Platform as _P  # noqa: F401

PLACE = re.compile(r"`([\w./-]+):(\d+)`")


def wanted(tree: Path, names):
    said = json.loads((tree / "expected.json").read_text())
    field = said["field"].rpartition(".")[2]
    if any(name.rpartition(".")[2] == field for name in names):
        return set(said["uses"])
    found = set()
    for name in names:
        last = name.rpartition(".")[2]
        for path in tree.rglob("*.py"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(rf"\b{last}\b", line) and not re.search(rf"^\s*from .* import|\bdef {last}|class {last}", line):
                    found.add(f"{path.relative_to(tree)}:{number}")
    return found


names = {"open": ("open.yaml", "other.yaml"), "kept": ("kept.yaml", "other_kept.yaml")}[half]
rows = yaml.safe_load((HERE / "wordings" / names[other]).read_text())
only = [a for a in sys.argv[2:] if a.isdigit()]
if only:
    rows = [rows[int(i)] for i in only]
total = {}
for where in ("platform", "team"):
    platform = Platform() if where == "platform" else Platform(only_team="insilico")
    for number, row in enumerate(rows):
        tree = HERE / "uses" / half / row["tree"]
        run = platform.ask(row["text"], attachments=[tree])
        answer = run.answer if hasattr(run, "answer") else str(run)
        status = getattr(run, "status", "?")
        if other:
            text = answer.casefold()
            unknown = bool(re.search(r"no \w+ `|없습니다|nearest|가까운", text))
            lost = bool(re.search(r"not understood|not followed|not taken into account|반영하지|알아보지 못|이해하지 못|처리하지|no team|no_route|cannot|unserved", text)) or status == "no_route"
            got = "no_route" if status == "no_route" else status
            key = row["expect"]
            total[where, key, got] = total.get((where, key, got), 0) + 1
            if verbose:
                print("=" * 20, where, number, row["text"], row["expect"], status, "unknown" * unknown, "lost" * lost)
                print(answer[:1100])
            continue
        want = wanted(tree, row["names"])
        places = {f"{p}:{n}" for p, n in PLACE.findall(answer)}
        hit = len(want & places) / min(len(want), 25) if want else float(row['names'][0].rpartition('.')[2] in answer and bool(re.search('Nothing was found|찾은 것이 없습니다', answer)))
        served = hit >= 0.6
        total[where] = total.get(where, 0) + served
        if verbose:
            print(where, number, "served" if served else "NOT", f"{hit:.2f}", status, row["text"])
            if "-a" in sys.argv and not served:
                print("   ", answer[:900].replace("\n", "\n    "))
    platform.close()
print(half, "other" if other else "asked", len(rows), {"/".join(k) if isinstance(k, tuple) else k: v for k, v in sorted(total.items(), key=str)})
