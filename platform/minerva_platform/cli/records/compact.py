"""`minerva compact`: closed files of records become Parquet, which is smaller and read faster."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_observability.records import ParquetReaderMissingError
from minerva_platform.cli.io.stream import write_json
from minerva_platform.cli.records.commands import CompactOptions
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import home_directory
from minerva_platform.errors import RunError

if TYPE_CHECKING:  # its import needs DuckDB
    from minerva_observability.compaction import Compaction

_MIB = 2**20


def compact_source(options: CompactOptions) -> None:
    """Convert the closed segments of a folder, or of the home folder, and report the result.

    Raises:
        RunError: DuckDB is not installed, or a file cannot be read, locked, converted or written.
            All other files were converted and reported.
    """
    folder = options.source or home_directory()
    try:
        from minerva_observability.compaction import compact_records  # noqa: PLC0415  # heavy
    except ModuleNotFoundError as error:
        raise RunError(str(ParquetReaderMissingError())) from error
    if not folder.exists():
        message = f"There is no {folder}. Name a folder of records, or set MINERVA_HOME."
        raise RunError(message)
    try:
        done = compact_records(folder)
    except OSError as error:
        message = f"Records are not compacted, the file stays as it is: {error}"
        raise RunError(message) from error
    if options.as_json:
        write_json(_as_json(done))
    else:
        _tell(done, folder)
    if done.errors:
        raise RunError("\n".join(["Not converted:", *(str(error) for error in done.errors)]))


def _as_json(done: "Compaction") -> dict[str, Any]:
    return {
        "converted": [str(path) for path in done.segments],
        "failed": [str(error) for error in done.errors],
        "in_use": [str(path) for path in done.in_use],
        "written": [str(path) for path in done.files],
        "rows": done.rows,
        "duplicates": done.duplicates,
        "rejected": done.bad_lines,
        "bytes_before": done.bytes_before,
        "bytes_after": done.bytes_after,
    }


def _tell(done: "Compaction", folder: Path) -> None:
    if done.segments:
        files = "file" if len(done.segments) == 1 else "files"
        say(
            f"{len(done.segments)} {files}, {done.rows:,} rows:"
            f" {done.bytes_before / _MIB:,.1f} MiB are {done.bytes_after / _MIB:,.1f} MiB now."
        )
    elif not done.errors:
        say(f"Nothing to compact in {folder}.")
    if done.duplicates:
        say(f"{done.duplicates:,} rows were there already, left out.")
    if done.bad_lines:
        say(f"{done.bad_lines:,} lines hold no record; they are kept in runs/rejected.txt.")
    for path in done.in_use:
        say(f"{path} is being written to; it waits for the next time.")
