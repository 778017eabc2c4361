"""What it costs to start: CPU time (user and system) of a whole process, bytecode present.

People wait for `minerva --help`, completion and every command in a script; the target leaves room
for the machine's own interpreter start.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

RUNS = 7
HELP_TARGET_MS = 300.0
MINERVA = str(Path(sys.executable).with_name("minerva"))
CASES = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "import minerva_platform": (sys.executable, "-c", "import minerva_platform"),
    "import minerva_observability": (sys.executable, "-c", "import minerva_observability"),
    "minerva --help": (MINERVA, "--help"),
    "minerva --version": (MINERVA, "--version"),
    "minerva teams": (MINERVA, "teams"),
    "minerva explain": (MINERVA, "explain", "환자번호의 표준 약어"),
}
"""From the floor upwards: `teams` loads the teams, and with them LangGraph; `explain` also what the
routers have learned (the first run of all learns it)."""


def cpu_ms(command: tuple[str, ...]) -> float:
    """Return the CPU milliseconds of one run of `command`, which must succeed."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, capture_output=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> int:
    """Print a table of medians."""
    print(f"{'CPU ms, median of ' + str(RUNS):<32}{'median':>9}{'over python':>13}")
    floor = 0.0
    for name, command in CASES.items():
        cpu_ms(command)  # writes the bytecode
        median = statistics.median(cpu_ms(command) for _ in range(RUNS))
        floor = floor or median
        target = f"   target {HELP_TARGET_MS:.0f}" if name == "minerva --help" else ""
        print(f"{name:<32}{median:>9.1f}{median / floor:>12.1f}x{target}")
    return 0
