"""What a conversation takes on disk, against its useful bytes.

200 turns of one thread over the shipped teams: four requests in turn, of which one calls two teams
and gives hand-offs. Useful bytes are the JSON of the turns, hand-offs by reference. What is on
disk is the whole of the database, its schema and indexes included; artifacts are not counted.

    python tests/bench/storage.py
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from minerva_platform import Platform
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.engine.place import URL_VARIABLE, find_place

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


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    from room import room_of  # noqa: PLC0415  # see above

    print(f"{'':<12}{'turns':>6}{'useful':>12}{'on disk':>12}{'ratio':>8}")
    with TemporaryDirectory() as home, databases() as addresses:
        for name, address in addresses.items():
            os.environ[URL_VARIABLE] = address
            app = Platform(home=Path(home) / name)
            for number in range(TURNS):
                run = app.ask(REQUESTS[number % len(REQUESTS)], thread="t")
                assert run.status in {"ok", "ok_degraded"}, run
            with opened_engine(find_place(Path(home))) as engine:
                found = room_of(engine)
            print(f"{name:<12}{TURNS:>6}{found.useful:>12,}{found.on_disk:>12,}{found.ratio:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
