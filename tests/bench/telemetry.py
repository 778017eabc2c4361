"""What OpenTelemetry costs a short command: CPU of `minerva demo` beside a dead collector.

Run it: `python tests/bench/telemetry.py`. The budget is 5 % more CPU than without, in the median
of pairs that ran one after the other; the whole process counts, importing and leaving included.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median

ROUNDS = 9
BUDGET = 1.05
DEAD = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
WAYS: Mapping[str, Mapping[str, str]] = {
    "off": {},
    "off again": {},
    "spans": {**DEAD, "OTEL_METRICS_EXPORTER": "none"},
    "spans and metrics": DEAD,
    "prometheus": {"OTEL_METRICS_EXPORTER": "prometheus"},
}
ROOT = Path(__file__).parents[2]
_FOREIGN = ("OTEL_", "MINERVA_", "PYTHONDONTWRITEBYTECODE")


def demo_cpu_s(home: str, settings: Mapping[str, str]) -> float:
    """Return the CPU seconds of one `minerva demo`."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [Path(sys.executable).with_name("minerva"), "demo"],
        cwd=ROOT,
        env={**known, "MINERVA_HOME": home, **settings},
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> dict[str, list[float]]:
    """Return CPU seconds by way, round by round."""
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as home:
        demo_cpu_s(home, DEAD)  # writes bytecode and what routers learn
        for _ in range(ROUNDS):
            for way, settings in WAYS.items():
                seconds[way].append(demo_cpu_s(home, settings))
    return seconds


def main() -> int:
    """Print a line for each way; return 1 over budget."""
    seconds = measure()
    ratios: dict[str, float] = {}
    for way, each in seconds.items():
        ratios[way] = median(one / off for one, off in zip(each, seconds["off"], strict=True))
        print(f"{way:<18} {median(each):6.3f} s  {ratios[way]:6.3f} x")
    return 1 if ratios["spans and metrics"] > BUDGET else 0


if __name__ == "__main__":
    sys.exit(main())
