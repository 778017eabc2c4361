"""What a conversation adds to a database, against its useful bytes.

200 turns of one thread over the shipped teams: four requests in turn, of which one calls two teams
and gives hand-offs. Useful bytes are the JSON of the turns, hand-offs by reference. What is added
is how much the database has grown, indexes included, since it held one turn of another thread.
Empty tables have a size of their own, which no thread adds to: 0.1 MB in SQLite, 0.5 MB in
Postgres, where each table and index begins with pages, and VACUUM adds maps of 32 KB. The last
column is the whole database, these included. Artifacts are not counted.

Postgres is vacuumed as it is in use: by autovacuum, which looks each second here instead of each
minute, because people ask 200 questions in hours and this bench in seconds. A VACUUM before each
measurement makes it independent of the last such look. No VACUUM FULL is done.

    python tests/bench/storage.py
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import text

from minerva_platform import Platform
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import URL_VARIABLE, find_place
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.engine.postgres import PostgresEngine

TURNS = 200
REQUESTS = (
    "find the standard abbreviation of the column patient_number",
    "환자번호의 표준 약어와 도메인을 알려줘",
    "개인정보 처리방침에 보유 기간이 어떻게 적혀 있는지 알려줘",
    "환자번호의 표준 약어를 알려주고, 이 CSV에 주민등록번호가 들어 있는지 점검해줘",
)


@contextmanager
def databases() -> Generator[dict[str, str]]:
    """Give the addresses of empty databases by their kind."""
    from postgres import running_cluster  # noqa: PLC0415  # `main` makes it to be found

    with TemporaryDirectory() as folder, running_cluster() as cluster:
        yield {"SQLite": f"sqlite:///{folder}/state.db", "Postgres": cluster.url}
        close_engines()


def ask(app: Platform, number: int, thread: str) -> None:
    """Ask the request of a number in a thread."""
    run = app.ask(REQUESTS[number % len(REQUESTS)], thread=thread)
    assert run.status in {"ok", "ok_degraded"}, run


def prepare(engine: Engine) -> None:
    """Let Postgres look each second for what is to be vacuumed."""
    statements = "ALTER SYSTEM SET autovacuum_naptime = '1s'", "SELECT pg_reload_conf()"
    for statement in statements:
        _on_postgres(engine, statement)


def tidy(engine: Engine) -> None:
    """Let Postgres reuse the room of rows that nobody sees any more."""
    _on_postgres(engine, "VACUUM")


def _on_postgres(engine: Engine, statement: str) -> None:
    if isinstance(engine, PostgresEngine):
        engine.outside_transactions(lambda connection: connection.execute(text(statement)))


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    from room import room_of  # noqa: PLC0415  # see above

    print(f"{'':<12}{'turns':>6}{'useful':>12}{'added':>12}{'ratio':>8}{'whole':>12}")
    with TemporaryDirectory() as home, databases() as addresses:
        for name, address in addresses.items():
            os.environ[URL_VARIABLE] = address
            app = Platform(home=Path(home) / name)
            with opened_engine(find_place(Path(home))) as engine:
                prepare(engine)
                ask(app, 0, "before")
                tidy(engine)
                before = room_of(engine)
                for number in range(TURNS):
                    ask(app, number, "t")
                tidy(engine)
                whole = room_of(engine)
            new = whole.since(before)
            told = f"{new.useful:>12,}{new.on_disk:>12,}{new.ratio:>8.2f}{whole.on_disk:>12,}"
            print(f"{name:<12}{TURNS:>6}{told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
