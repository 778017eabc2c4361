"""Measure the teams on public input that nobody of this project wrote.

    MINERVA_STRANGERS=FOLDER python tests/bench/run.py strangers

None of that input is ours to ship. `MINERVA_STRANGERS` names a folder that holds what the modules
beside this file name in their docstrings: each `_strangers_*.py` has a function
`measure(data: Path) -> bool`, which prints its tables of what it finds in the folder and returns
whether its targets hold. A module whose input is not there says so and holds.
"""

import os
import sys
from importlib import import_module
from pathlib import Path

DATA = "MINERVA_STRANGERS"
HERE = Path(__file__).parent
FETCHED = frozenset({"_strangers_fields"})
"""Modules that bring their input along, so that they need no folder."""


def main() -> int:
    """Print the tables of every module; return 1 if a target does not hold."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"{DATA} is not set. Set it to the folder of public data; it holds:")
    elif not Path(folder).is_dir():
        print(f"{DATA}={folder} is no folder.")
        return 2
    failed: list[str] = []
    for path in sorted(HERE.glob("_strangers_*.py")):
        module = import_module(path.stem)
        print(f"-- {path.stem.removeprefix('_strangers_')}: {module.__doc__}")
        if (folder or path.stem in FETCHED) and not module.measure(Path(folder or "")):
            failed.append(path.stem)
    if failed:
        print(f"A target does not hold: {', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
