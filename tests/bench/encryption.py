"""What encryption at rest costs: a run of the shipped teams with and without a key.

40 runs of each, in turn, each kind in a thread and a home of its own, on SQLite. CPU of the whole
process, by which a busy machine counts less than by a clock. Then the store is turned to another
key, as `minerva encrypt` does.

    python tests/bench/encryption.py
"""

import base64
import os
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from minerva_platform import Platform
from minerva_platform.storage.engine.encryption import EARLIER_VARIABLE, KEY_VARIABLE
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.maintenance.reencryption import reencrypt

RUNS = 40
REQUESTS = (
    "find the standard abbreviation of the column patient_number",
    "환자번호의 표준 약어와 도메인을 알려줘",
    "개인정보 처리방침에 보유 기간이 어떻게 적혀 있는지 알려줘",
    "환자번호의 표준 약어를 알려주고, 이 CSV에 주민등록번호가 들어 있는지 점검해줘",
)
KEYS = tuple(base64.b64encode(bytes([number] * 32)).decode() for number in (1, 2))


def ask(app: Platform, key: str, number: int) -> float:
    """Ask; return the CPU milliseconds."""
    os.environ[KEY_VARIABLE] = key
    began = time.process_time()
    run = app.ask(REQUESTS[number % len(REQUESTS)], thread="bench")
    assert run.status in {"ok", "ok_degraded"}, run
    return (time.process_time() - began) * 1_000


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    with TemporaryDirectory() as folder:
        homes = {"plain": (Path(folder, "a"), ""), "encrypted": (Path(folder, "b"), KEYS[0])}
        apps = {name: Platform(home=home) for name, (home, _) in homes.items()}
        for name, (_, key) in homes.items():
            for number in range(len(REQUESTS)):
                ask(apps[name], key, number)  # what is made once is made
        times = {name: list[float]() for name in homes}
        for number in range(RUNS):
            for name, (_, key) in homes.items():
                times[name].append(ask(apps[name], key, number))
        medians = {name: median(each) for name, each in times.items()}
        print(f"{'':<12}{'CPU ms a run':>14}{'ratio':>8}{'state.db':>12}")
        for name, (home, _) in homes.items():
            size = (home / "state.db").stat().st_size
            ratio = medians[name] / medians["plain"]
            print(f"{name:<12}{medians[name]:>14.1f}{ratio:>8.2f}{size:>12,}")
        os.environ[KEY_VARIABLE], os.environ[EARLIER_VARIABLE] = KEYS[1], KEYS[0]
        began = time.process_time()
        home = homes["encrypted"][0]
        with opened_engine(home / "state.db") as engine:
            reencrypt(engine, find_artifacts(home), pause=lambda _: None)
        print(f"turned to another key: {(time.process_time() - began) * 1_000:.0f} ms of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
