"""Run the benchmarks beside this file, each in a fresh interpreter, and print their tables.

    python tests/bench/run.py [NAME …]

A benchmark is a module with a `main() -> int`; what begins with `_` is shared by several. None of
them takes another's warm caches, imports or threads along.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
_CALL_MAIN = (
    "import sys, minerva_platform; "  # before langgraph, which reads the platform's setting once
    "sys.path[0], name = sys.argv[1:]; sys.argv = [name]; sys.exit(__import__(name).main())"
)


def run(name: str) -> bool:
    """Run one benchmark and tell whether it came to its end."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    command = (sys.executable, "-c", _CALL_MAIN, str(HERE), name)
    status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    print(f"-- exit {status}, {time.monotonic() - began:.1f} s\n", flush=True)
    return status == 0


def main(names: Sequence[str]) -> int:
    """Run the named benchmarks, or all; return the exit status."""
    there = sorted(path.stem for path in HERE.glob("[!_]*.py") if path.name != Path(__file__).name)
    unknown = [name for name in names if name not in there]
    if unknown:
        print(f"No benchmark `{unknown[0]}`; there are: {', '.join(there)}.")
        return 2
    failed = [name for name in names or there if not run(name)]
    if failed:
        print(f"Failed: {', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
