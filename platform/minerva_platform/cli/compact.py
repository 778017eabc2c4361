"""`minerva compact`: closed files of records become Parquet, which is smaller and read faster."""

from pathlib import Path

from minerva_observability import ParquetReaderMissingError
from minerva_platform.cli.progress import say
from minerva_platform.cli.stream import write_json
from minerva_platform.errors import RunError
from minerva_platform.settings import home_directory

_MIB = 2**20


def compact(source: Path | None, *, as_json: bool) -> None:
    """Convert the closed segments of `source`, or of the home folder, and tell what was done.

    Raises:
        RunError: DuckDB is not installed, or a file cannot be read, locked or written.
    """
    folder = source or home_directory()
    try:
        from minerva_observability import CompactionError, compact_records  # noqa: PLC0415  # heavy
    except ModuleNotFoundError as error:
        raise RunError(str(ParquetReaderMissingError())) from error
    if not folder.exists():
        message = f"There is no {folder}. Name a folder of records, or set MINERVA_HOME."
        raise RunError(message)
    try:
        done = compact_records(folder)
    except (OSError, CompactionError) as error:
        message = f"Records are not compacted, the file stays as it is: {error}"
        raise RunError(message) from error
    if as_json:
        write_json(
            {
                "converted": [str(path) for path in done.converted],
                "in_use": [str(path) for path in done.in_use],
                "written": [str(path) for path in done.written],
                "rows": done.rows,
                "duplicates": done.duplicates,
                "rejected": done.rejected,
                "bytes_before": done.bytes_before,
                "bytes_after": done.bytes_after,
            }
        )
        return
    if done.converted:
        files = "file" if len(done.converted) == 1 else "files"
        say(
            f"{len(done.converted)} {files}, {done.rows:,} rows:"
            f" {done.bytes_before / _MIB:,.1f} MiB are {done.bytes_after / _MIB:,.1f} MiB now."
        )
    else:
        say(f"Nothing to compact in {folder}.")
    if done.duplicates:
        say(f"{done.duplicates:,} rows were there already, left out.")
    if done.rejected:
        say(f"{done.rejected:,} lines hold no record; they are kept in runs/rejected.txt.")
    for path in done.in_use:
        say(f"{path} is being written to; it waits for the next time.")
