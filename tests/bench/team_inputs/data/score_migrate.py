"""Score migrations of a half of tests/bench/team_inputs/data/migrate on real databases.

    .venv/bin/python tests/bench/team_inputs/data/score_migrate.py open|kept

Each file is loaded, migrated, compared with `renames`, rolled back and compared with the start.
PostgreSQL is the wheel's, MySQL is MariaDB of the system. Of kept only totals are printed.
"""

import json
import os
import pwd
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "tests/support")
from postgres import running_cluster  # noqa: E402

from minerva_data.core.schema.migration import migration_sql, rollback_sql  # noqa: E402
from minerva_data.core.schema.record import Row  # noqa: E402
from minerva_data.core.audit.table import refuse_collisions  # noqa: E402
from minerva_data.core.schema.schema_file import read_schema_file  # noqa: E402

HALF = sys.argv[1]
FOLDER = Path(__file__).parent / "migrate" / HALF
PG = """SELECT table_schema||'.'||table_name||'.'||column_name||':'||data_type||':'||coalesce(column_default,'')
||':'||is_nullable FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog','information_schema')
AND (table_schema, table_name) IN (SELECT table_schema, table_name FROM information_schema.tables WHERE table_type='BASE TABLE')
ORDER BY table_schema, table_name, ordinal_position"""
MY = """SELECT CONCAT_WS(':', CONCAT(table_name,'.',column_name), column_type, IFNULL(column_default,'~'), is_nullable, extra,
column_comment, IFNULL(collation_name,''), IFNULL(generation_expression,'')) FROM information_schema.columns WHERE table_schema=DATABASE()
AND table_name IN (SELECT table_name FROM information_schema.tables WHERE table_schema=DATABASE() AND table_type='BASE TABLE')
ORDER BY table_name, ordinal_position"""


class Mariadb:
    def __init__(self, folder):
        self.folder = Path(folder)
        user = pwd.getpwnam("nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)
        self.kw = dict(user=user.pw_uid, group=user.pw_gid, extra_groups=[], cwd=folder)
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", "--auth-root-authentication-method=normal", "--skip-test-db"],
                       check=True, capture_output=True, **self.kw)
        self.process = subprocess.Popen(["mariadbd", "--no-defaults", f"--datadir={folder}/data", f"--socket={folder}/s", "--skip-networking",
                                         "--innodb-flush-method=nosync", f"--pid-file={folder}/pid", "--character-set-server=utf8mb4"],
                                        stdout=subprocess.DEVNULL, stderr=open(self.folder / "log", "w"), **self.kw)
        for _ in range(300):
            if self.run("", "SELECT 1").returncode == 0:
                break
            time.sleep(0.1)

    def run(self, database, sql, *options):
        return subprocess.run(["mariadb", "--no-defaults", f"--socket={self.folder}/s", "-uroot", "--batch", "--skip-column-names", *options,
                               *([database] if database else [])], input=sql, text=True, capture_output=True)

    def fresh(self, name):
        assert self.run("", f"DROP DATABASE IF EXISTS `{name}`; CREATE DATABASE `{name}` CHARACTER SET utf8mb4").returncode == 0
        return lambda sql: self.run(name, sql)

    def close(self):
        self.process.terminate()
        self.process.wait()


class Postgres:
    def __init__(self, cluster):
        self.cluster = cluster

    def psql(self, database, sql):
        return subprocess.run([self.cluster.programs / "bin/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.cluster.folder,
                               "-U", "postgres", database], input=sql, text=True, capture_output=True)

    def fresh(self, name):
        done = self.psql("postgres", f"DROP DATABASE IF EXISTS {name};\nCREATE DATABASE {name};\n")
        assert done.returncode == 0, done.stderr
        return lambda sql: self.psql(name, sql)


def column(item):
    return f"{item.full_table}.{item.name}"


def plan(path, db, renames):
    schema = read_schema_file(path, dialect=db)
    wanted = {key.casefold(): new for key, new in renames.items()} if db == "mysql" else renames
    fold = str.casefold if db == "mysql" else str
    rows, found = [], set()
    for ordinal, item in enumerate(schema.columns):
        key = f"{item.parent}.{item.name}" if item.parent else column(item)
        new = wanted.get(fold(key))
        found |= {fold(key)} if new else set()
        rows.append(Row(ordinal=ordinal, item=item, status="renamed" if new else "standard", physical_name=new or item.name,
                        confidence=1.0 if new else None))
    return refuse_collisions(rows), [key for key in wanted if key not in found]


def main():
    expected = json.loads((FOLDER / "expected.json").read_text())
    totals = dict.fromkeys(("files", "loaded", "columns to rename", "renamed", "left with a word", "migration ran", "as planned", "rollback ran",
                            "as at the start", "must name", "named"), 0)
    with running_cluster() as cluster, tempfile.TemporaryDirectory(prefix="my") as folder:
        Path(folder).chmod(0o755)
        maria = Mariadb(folder)
        servers = {"postgres": Postgres(cluster), "mysql": maria, "mariadb": maria}
        try:
            for name, case in expected.items():
                score(name, case, servers, totals)
        finally:
            maria.close()
    print(json.dumps(totals, indent=1))


def score(name, case, servers, totals):
    notes, path = [], FOLDER / name
    totals["files"] += 1
    server = servers.get(case["db"])
    run = server.fresh(path.stem.lower())
    loaded = run(path.read_text())
    totals["loaded"] += loaded.returncode == 0
    if loaded.returncode:
        notes.append(f"not loaded: {loaded.stderr[:300]}")
    rows, lost = plan(path, "mysql" if case["db"] == "mariadb" else case["db"], case["renames"])
    if lost:
        notes.append(f"columns not read: {lost}")
    there, back = migration_sql(rows), rollback_sql(rows)
    query = PG if case["db"] == "postgres" else MY
    before = run(query + ";").stdout
    moved = run(there)
    totals["migration ran"] += moved.returncode == 0
    if moved.returncode:
        notes.append(f"migration: {moved.stderr[:400]}")
    after = run(query + ";").stdout
    names = {one.split(":")[0] for one in after.splitlines()}
    schema = "public." if case["db"] == "postgres" else ""
    is_whole = True
    for old, new in case["renames"].items():
        table, _, last = old.rpartition(".")
        full = f"{schema if '.' not in table else ''}{table}"
        done = any(one.casefold() == f"{full}.{new}".casefold() for one in names)
        if case["db"] == "mysql":
            done = any(one.casefold().endswith(f"{table}.{new}".casefold()) for one in names)
        said = any(f"{old} -> " in line for line in there.splitlines() if line.startswith(("-- Refused", "-- Not sure")))
        totals["columns to rename"] += 1
        totals["renamed"] += done
        totals["left with a word"] += said and not done
        if not done:
            is_whole = is_whole and said
            notes.append(f"{'left' if said else 'LOST'}: {old} -> {new}")
    totals["as planned"] += is_whole and len(before.splitlines()) == len(after.splitlines())
    returned = run(back)
    totals["rollback ran"] += returned.returncode == 0
    if returned.returncode:
        notes.append(f"rollback: {returned.stderr[:400]}")
    totals["as at the start"] += run(query + ";").stdout == before
    comments = "\n".join(line for line in there.splitlines() if line.startswith("--"))
    for one in case["must_name"]:
        totals["must name"] += 1
        totals["named"] += one in comments
        if one not in comments:
            notes.append(f"not named: {one}")
    if HALF == "open":
        print(name, *notes, sep="\n   ")
        if "-v" in sys.argv:
            print(there)


main()
