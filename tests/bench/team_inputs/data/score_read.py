"""Score `minerva standardise` on a half: python score_read.py tests/bench/team_inputs/data/read/open [-v].

Run with the interpreter of the clone to measure. For a folder named `kept` totals only are printed.
A file is right if its tables, columns, comments and columns by table are those expected (or one of
`also_fine`); `told` if they are not but something is reported unread or the command refuses;
`silent` if they are wrong and nothing is said. Dialect halves: `right` if the dialect said is one
that is expected, `asked` if the command asked for it, `wrong` otherwise.
"""
import json, os, re, sys, tempfile
from collections import Counter
kinds = Counter()
from pathlib import Path

folder = Path(sys.argv[1]); verbose = "-v" in sys.argv and folder.name != "kept"
os.environ["MINERVA_HOME"] = tempfile.mkdtemp()
from typer.testing import CliRunner
from minerva_platform.cli.main import app as _app  # noqa: F401
from minerva_data.commands.standardise import app

def run(path, *options):
    out = Path(tempfile.mkdtemp()) / "out"
    done = CliRunner().invoke(app, [str(path), "--json", "--out", str(out), *options])
    said = None
    if done.exit_code in (0, 5):
        said = json.loads(done.stdout)
    error = str(done.exception) if done.exception and not isinstance(done.exception, SystemExit) else ""
    return done.exit_code, said, error or done.output[:300]

def facts(said):
    by = {}; comments = set()
    for row in said["rows"]:
        item = row["item"]
        table = ".".join([*item.get("table_path", []), item.get("table") or ""])
        by.setdefault(table, []).append(item["name"])
        if (item.get("comment") or "").strip(): comments.add(f"{table}.{item['name']}")
    return by, comments

def same(by, want):
    if not want: return True
    def last(name): return re.sub(r"\s+(?=\.)", "", name).rsplit(".", 1)[-1].casefold()
    a = {last(t): sorted(c.casefold() for c in cs) for t, cs in by.items()}
    b = {last(t): sorted(c.casefold() for c in cs) for t, cs in want.items()}
    return a == b

def judge(path, want):
    code, said, error = run(path, "--emit", "csv")
    if said is None:
        if any(one.get("refused") for one in want.get("also_fine", [])): return "right", f"refused: {error[:160]}"
        return "told", f"exit {code}: {error[:200]}"
    by, comments = facts(said)
    got = {"tables": len(by), "columns": sum(map(len, by.values())), "comments": len(comments)}
    options = [{**want, **one, "_alt": bool({"tables", "columns"} & set(one))} for one in [{}, *want.get("also_fine", [])]]
    for o in options:
        low, high = o.get("comments_range", [o.get("comments"), o.get("comments")])
        ok = got["tables"] == o["tables"] and got["columns"] == o["columns"]
        ok = ok and (o["_alt"] or low is None or low <= got["comments"] <= high)
        if o.get("_alt") and ok or ok and same(by, want.get("columns_by_table")):
            if said["problems"] and not want.get("unread_ok", True):
                kinds[f"right, but reports a {'loss' if any(p.get('is_loss', True) for p in said['problems']) else 'note'}"] += 1
                return "told", f"right, but reports {said['problems'][:2]}"
            return "right", f"{got} exit {code}"
    state = "told" if any(p.get("is_loss", True) for p in said["problems"]) or code == 5 else "silent"
    for what in ("tables", "columns", "comments"):
        if got[what] != want.get(what):
            kinds[f"{state}: {what} {'missing' if got[what] < want.get(what, 0) else 'too many'}"] += 1
    if all(got[w] == want.get(w) for w in ("tables", "columns")):
        kinds[f"{state}: names differ" if not same(by, want.get("columns_by_table")) else f"{state}: names same"] += 1
    diff = {t: by.get(t) for t in by} if verbose else ""
    return state, f"{got} want { {k: want.get(k) for k in ('tables','columns','comments')} } {diff} problems {said['problems'][:6]}"

OURS = {"postgres", "oracle", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks"}

def judge_dialect(path, want):
    """right: the one dialect that fits is named, or several (or none known) are told or asked for;
    undecided: one is expected, and several are told; wrong: another one, or one where several fit."""
    wanted = {"databricks" if one == "spark" else one for one in want["dialects"]}
    must_ask = len(wanted) > 1 or not wanted <= OURS
    code, said, error = run(path)
    if said is None:
        asked = "--dialect" in error or "--encoding" in error
        return ("right" if asked and must_ask else "undecided" if asked else "refused"), f"{error[:200]} want {want}"
    one = next(iter(said["read_as"].values()))
    names = {one["dialect"], *one["other_dialects"]}
    if must_ask:
        return ("right" if len(names) > 1 else "wrong"), f"{one} want {want}"
    return ("right" if names == wanted else "undecided" if wanted <= names else "wrong"), f"{one} want {want}"

expected = json.loads((folder / "expected.json").read_text())
is_dialect = "dialect" in folder.parent.name
totals = Counter()
for name, want in sorted(expected.items()):
    if not (folder / name).exists(): continue
    try: state, why = (judge_dialect if is_dialect else judge)(folder / name, want)
    except Exception as error: state, why = "crashed", repr(error)[:200]
    totals[state] += 1
    if verbose and (state != "right" or "-vv" in sys.argv): print(f"{name}: {state}: {why}\n")
    elif folder.name != "kept": print(f"{name}: {state}")
print(folder.parent.name, folder.name, dict(totals))
print(dict(kinds))
