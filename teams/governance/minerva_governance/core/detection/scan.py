"""Scan many data files; one that cannot be read is said and does not stop the others."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from minerva_governance.core.detection.data_file import DataFile, open_data_file
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.inventory import DataScan, scan_data
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.report.wording import Language, Problem, UnreadableError


def scan_files(
    paths: Sequence[Path],
    *,
    promises: Mapping[str, Entity],
    sample_rows: int,
    language: Language,
) -> tuple[list[DataScan], list[Problem]]:
    """Return the scans, and why files were left out."""
    scans: list[DataScan] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            data = open_data_file(path, sample_rows=sample_rows)
            scans.append(scan_data(data, sample_rows=sample_rows, promises=promises))
        except UnreadableError as error:
            message = error.reason.said_in(language)
            problems.append(Problem(file=mask_text(path.name), message=message))
    return scans, problems


def open_again(scan: DataScan) -> DataFile:
    """Return the file that `scan` looked at, to be read once more by the same reading."""
    return DataFile(
        path=Path(scan.source),
        encoding=scan.encoding,
        delimiter=scan.delimiter,
        columns=tuple(column.name for column in scan.columns),
        has_header=scan.has_header,
    )
