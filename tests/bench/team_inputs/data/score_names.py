"""Score how names are taken: python score_names.py open|kept HOME [-v]   (HOME is a MINERVA_HOME).

certain: a name is proposed without a choice, none of `must_not` is in it and, where a glossary is
imported, its confidence is at least .9. choice: no name is decided (columns are not renamed), and
alternatives are shown or the parts in the way are named. unknown: no name is decided.
Prints totals only; -v lists misses of the open half.
"""
import os, sys
from pathlib import Path
half, home = sys.argv[1], sys.argv[2]
os.environ["MINERVA_HOME"] = home
import yaml
from minerva_data.core.store.store import FILE, GlossaryStore
from minerva_data.core.schema.record import Item
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.steps.glossaries import ALL_IMPORTED
try:
    from minerva_data.core.lookup.overlap import as_candidate, is_foreign
    def recommend_all(lookup, items):
        silent = is_foreign(lookup, items)
        return [as_candidate(lookup.recommend(i)) if silent else lookup.recommend(i) for i in items]
except ImportError:
    def recommend_all(lookup, items):
        return [lookup.recommend(i) for i in items]
lookup = ALL_IMPORTED.lookup()
is_imported = (Path(home) / FILE).exists()
rows = yaml.safe_load((Path(__file__).parent / "names" / f"{half}.yaml").read_text("utf-8"))
right = {"certain": 0, "choice": 0, "unknown": 0}; total = dict(right); forbidden = 0; renamed = 0
for row in rows:
    item = Item(name=row["name"], comment=row.get("comment"), table=row.get("table"))
    (found,) = recommend_all(lookup, [item])
    best, want = found.best, row["verdict"]
    total[want] += 1
    bad = best is not None and any(x in best.physical_name.split("_") or x == best.physical_name for x in row.get("must_not", []))
    forbidden += bad
    renamed += best is not None and want != "certain"
    if want == "certain":
        ok = best is not None and not bad and (not is_imported or best.confidence >= .9)
    elif want == "choice":
        ok = best is None and bool(found.alternatives or found.unresolved_parts)
    else:
        ok = best is None
    right[want] += ok
    if half == "open" and "-v" in sys.argv and not ok:
        print(row["name"], row.get("comment"), row.get("table"), want, "->", best and (best.logical_name, best.physical_name, best.method, best.confidence), found.reason, found.unresolved_parts, [a.physical_name for a in found.alternatives])
print(half, "imported" if is_imported else "fresh", "right", sum(right.values()), "of", len(rows),
      {k: f"{right[k]}/{total[k]}" for k in total}, "decided though choice/unknown", renamed, "forbidden", forbidden)
