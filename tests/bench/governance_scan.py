"""What looking at every cell of large files costs, against a bare query of four patterns and one k.

    .venv/bin/python tests/bench/governance_scan.py [ROWS]

The baseline is what one would type into DuckDB: four `regexp_matches` over all eight columns and
the smallest class of two columns. The team's side looks for all kinds in all columns and counts k.
Each is a process of its own, in turn, and the ratio is that of their CPU seconds. Then the same
rows are read from every other format: the personal columns and their counts must be the same. A
workbook holds fewer rows, so it is held against a CSV of these. 2,200,000 rows. With more, only the
formats that DuckDB reads by itself are compared: rows of the others pass through Python.
"""

import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import openpyxl

from minerva_governance.core.counting.classes import k_anonymity
from minerva_governance.core.detection.data_file_scan import open_tables, scan_files
from minerva_governance.core.reading.source_files import Source

ROWS, SHEET_ROWS, ROUNDS = 2_200_000, 50_000, 3
BY_DUCKDB, BY_PYTHON = ("tsv", "parquet"), ("db", "jsonl", "xlsx")
MOST, MOST_BYTES = 3.0, 500_000_000
QUASI = ("BRTH_DE", "SIDO")
LATE = "880505-1234567"
PATTERNS = (
    "[0-9]{6}-?[1-4][0-9]{6}",
    "01[016789]-?[0-9]{3,4}-?[0-9]{4}",
    "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+",
    "[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}",
)
NAMES = ("ORD_NO", "CUST_NM", "HP_NO", "EMAIL", "BRTH_DE", "SIDO", "MEMO", "REG_DT")
MADE = f"""
    WITH drawn AS (
        SELECT i, [(hash(i * 10 + n) % 1000000)::INTEGER FOR n IN range(10)] AS h
        FROM range($rows) AS numbers(i)
    )
    SELECT 'ORD-2024-' || lpad(i::VARCHAR, 8, '0') AS ORD_NO,
        ['김', '이', '박', '최', '정'][1 + h[1] % 5] || ['민준', '서연', '지우'][1 + h[2] % 3]
            AS CUST_NM,
        printf('010-%04d-%04d', h[3] % 10000, h[4] % 10000) AS HP_NO,
        printf('user%d@example.com', h[5]) AS EMAIL,
        strftime(DATE '1940-01-01' + h[6] % 25000, '%Y-%m-%d') AS BRTH_DE,
        ['서울', '부산', '대구', '인천'][1 + h[7] % 4] AS SIDO,
        CASE WHEN i = $rows - 2 THEN 'called, {LATE}'
            ELSE printf('delivered in %d min, box %d', h[8] % 90, h[9] % 500) END AS MEMO,
        strftime(TIMESTAMP '2024-01-01' + to_seconds(h[10] * 31), '%Y-%m-%d %H:%M:%S') AS REG_DT
    FROM drawn
"""  # noqa: S608  # our own text


def make(folder: Path, rows: int) -> dict[str, Path]:
    """Write the same rows in every format, and a short CSV beside the workbook."""
    paths = {kind: folder / f"rows.{kind}" for kind in ("csv", "tsv", "jsonl", "parquet", "db")}
    paths |= {"short.csv": folder / "short.csv", "xlsx": folder / "short.xlsx"}
    with duckdb.connect() as database:
        database.execute("SET enable_progress_bar = false")
        database.execute("CREATE TABLE made AS " + MADE, {"rows": rows})
        for kind in ("csv", "tsv", "jsonl", "parquet"):
            how = {"csv": "HEADER", "tsv": "HEADER, DELIMITER '\t'", "jsonl": "FORMAT json"}
            options = how.get(kind, "FORMAT parquet")
            database.execute(f"COPY made TO '{paths[kind]}' ({options})")
        end = f"FROM made LIMIT {SHEET_ROWS} OFFSET {max(0, rows - SHEET_ROWS)}"
        database.execute(f"COPY ({end}) TO '{paths['short.csv']}' (HEADER)")
        short = database.execute(end).fetchall()
        with sqlite3.connect(paths["db"]) as lite:
            lite.execute(f"CREATE TABLE rows ({', '.join(NAMES)})")
            cursor = database.execute("FROM made")
            while batch := cursor.fetchmany(50_000):
                lite.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch)
        lite.close()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    for row in [NAMES, *short]:
        sheet.append(row)
    book.save(paths["xlsx"])
    return paths


def bare(path: Path) -> dict[str, Any]:
    """Run the baseline."""
    counts = ", ".join(
        f"count(*) FILTER (regexp_matches({name}, '{pattern}'))"
        for name in NAMES
        for pattern in PATTERNS
    )
    with duckdb.connect(config={"threads": 2}) as database:
        database.execute("SET enable_progress_bar = false")
        source = f"read_csv('{path}', all_varchar = true)"
        database.execute(f"SELECT {counts} FROM {source}").fetchall()  # noqa: S608
        classes = f"SELECT count(*) AS n FROM {source} GROUP BY {', '.join(QUASI)}"  # noqa: S608
        database.execute(f"SELECT min(n) FROM ({classes})").fetchall()  # noqa: S608
    return {}


def ours(path: Path) -> dict[str, Any]:
    """Look at all cells, and count k; return what was found."""
    scanned = scan_files([Source.of(path)], promises={}, language="en")
    (scan,) = scanned.scans
    (table,) = open_tables(Source.of(path))
    (figures,) = k_anonymity(table, [QUASI], minimum=5)
    columns = [[each.name, each.sampled, sorted(each.hits.items())] for each in scan.columns]
    late = [hit.row for hit in scan.columns[6].evidence.get("KR_RRN", ())]
    return {"rows": scan.rows, "gaps": scan.gaps, "columns": columns, "late": late, "k": figures.k}


def measure(name: str, path: Path) -> dict[str, Any]:
    """Run one side in a process of its own; return what it found and what it cost."""
    command = [sys.executable, __file__, name, str(path)]
    done = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    return dict(json.loads(done.stdout))


def one(name: str, path: Path) -> int:
    """Be that process."""
    began, cpu = time.monotonic(), time.process_time()
    found = {"bare": bare, "ours": ours}[name](path)
    found |= {"s": time.monotonic() - began, "cpu": time.process_time() - cpu}
    found["bytes"] = _peak()
    print(json.dumps(found))
    return 0


def _peak() -> int:
    """Return the most bytes of memory this process had; `ru_maxrss` begins with its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def told(label: str, runs: list[dict[str, Any]]) -> None:
    """Print the medians of one side."""
    figures = [median(run[key] for run in runs) for key in ("s", "cpu", "bytes")]
    print(f"  {label:24}{figures[0]:9.1f} s{figures[1]:9.1f} CPU s{figures[2] / 1e6:9,.0f} MB")


def main() -> int:
    """Print the table; exit 1 where a bar or the inventory is missed."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with TemporaryDirectory() as folder:
        paths = make(Path(folder), rows)
        size = paths["csv"].stat().st_size / 1e6
        print(f"{rows:,} rows of {len(NAMES)} columns, {size:,.0f} MB of CSV; medians of {ROUNDS}")
        sides: dict[str, list[dict[str, Any]]] = {"bare": [], "ours": []}
        for _ in range(ROUNDS):
            for name, runs in sides.items():
                runs.append(measure(name, paths["csv"]))
        told("bare DuckDB", sides["bare"])
        told("every kind, and k", sides["ours"])
        ratio = median(
            run["cpu"] / other["cpu"]
            for run, other in zip(sides["ours"], sides["bare"], strict=True)
        )
        most = max(run["bytes"] for run in sides["ours"])
        found = sides["ours"][0]
        speed = rows * len(NAMES) / median(run["cpu"] for run in sides["ours"])
        print(f"  ratio {ratio:.2f} (at most {MOST}), {speed:,.0f} values a CPU second")
        print(f"  the number in the last row but one: row {found['late']}, k = {found['k']}")
        is_good = ratio <= MOST and most < MOST_BYTES and found["late"] == [rows - 1]
        short = measure("ours", paths["short.csv"])
        for kind in BY_DUCKDB if rows > ROWS else (*BY_DUCKDB, *BY_PYTHON):
            run = measure("ours", paths[kind])
            same = short if kind == "xlsx" else found
            keys = ("rows", "gaps", "columns", "late", "k")
            is_same = all(run[key] == same[key] for key in keys)
            is_good = is_good and is_same and run["bytes"] < MOST_BYTES
            told(f"{kind}: {'the same' if is_same else 'DIFFERS'}", [run])
    return 0 if is_good else 1


if __name__ == "__main__":
    is_part = len(sys.argv) > 1 and sys.argv[1] in {"bare", "ours"}
    sys.exit(one(sys.argv[1], Path(sys.argv[2])) if is_part else main())
