"""The folder for what may not be loaded, with a report of why."""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from minerva_observability.file_lock import open_lock_file, wait_for_lock
from minerva_platform.config import home_directory
from minerva_platform.text import code_span, markdown_table

from .contract import Problem

QUARANTINE = "PIPELINE_QUARANTINE"
"""The variable with the folder for what is not loaded. Without it: `quarantine` in the home."""
REPORT = "report.md"


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """Give a file to write; it gets its name once it is whole."""
    part = path.with_name(f"{path.name}.part")
    yield part
    part.replace(path)


def put_aside(copy_to: Callable[[Path], None], key: str, report: str) -> Path:
    """Copy what is not loaded into a folder of its own, with the report of why."""
    quarantine = Path(os.environ.get(QUARANTINE) or home_directory() / "quarantine").absolute()
    folder = quarantine / key[:16]
    quarantine.mkdir(mode=0o700, parents=True, exist_ok=True)  # persons may be in what is bad
    folder.mkdir(exist_ok=True)
    lock = open_lock_file(quarantine / ".lock")
    try:
        wait_for_lock(lock)
        kept = folder / REPORT
        if not kept.exists() or kept.read_text(encoding="utf-8") != report:
            copy_to(folder)
            with whole_file(kept) as part:  # it is there once all else is
                part.write_text(report, encoding="utf-8")
    finally:
        os.close(lock)
    return folder


def problem_table(problems: Iterable[Problem]) -> str:
    """Return the problems as a table to read."""
    rows = [(code_span(one.rule), rows_of(one), one.what) for one in problems]
    return markdown_table(("Rule", "Rows", "What"), rows)


def rows_of(problem: Problem) -> str:
    """Return the rows of a problem: `2, 5 and 3 more`."""
    named = ", ".join(map(str, problem.rows))
    more = problem.count - len(problem.rows)
    return f"{named} and {more} more" if more > 0 else named or "-"
