"""Score `find_callers` on the callers of a half: python score_callers.py open|kept [-v].

A hit in `may_or_may_not` or `left_out` counts for nothing (a hit in `left_out` is listed apart).
"""

import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
half, verbose = sys.argv[1], "-v" in sys.argv and sys.argv[1] == "open"

import os

os.environ["MINERVA_HOME"] = tempfile.mkdtemp()

from minerva_insilico.commands.refreshed_index import Tree, refreshed_index
from minerva_insilico.core.queries.caller import find_callers

total = {"callers": 0, "hit": 0, "exact": 0, "wrong": 0, "left_out": 0, "other": 0, "hits": 0}
for folder in sorted((HERE / "callers" / half).iterdir()):
    said = json.loads((folder / "expected.json").read_text())
    with refreshed_index(Tree(folder, heeds_ignore=True)) as index:
        page = find_callers(index, said["target"], limit=1000)
    hits = {f"{hit.path}:{hit.line}": hit.why for hit in page.items}
    want, wrong = set(said["callers"]), set(said["not_callers"])
    known = want | wrong | set(said["may_or_may_not"]) | set(said["left_out"])
    total["hits"] += len(hits)
    total["callers"] += len(want)
    total["hit"] += len(want & set(hits))
    total["exact"] += sum(hits.get(one) == "exact" for one in want)
    total["wrong"] += len(wrong & set(hits))
    total["left_out"] += len(set(said["left_out"]) & set(hits))
    total["other"] += len(set(hits) - known)
    if verbose:
        print(folder.name, said["target"])
        print("  missed", sorted(want - set(hits)))
        print("  not exact", sorted(one for one in want if hits.get(one) == "same_name"))
        print("  wrong", sorted((one, hits[one]) for one in wrong & set(hits)))
        print("  left out", sorted(set(said["left_out"]) & set(hits)))
        print("  other", sorted(set(hits) - known))
right = total["hit"]
false = total["wrong"] + total["left_out"] + total["other"]
print(half, total, f"recall {right / total['callers']:.3f} precision {right / (right + false):.3f}")
