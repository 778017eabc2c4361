"""Everything that `minerva doctor` looks at: configuration, database, artifacts and records."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, func, select

from minerva_observability.records import RecordReader
from minerva_platform.cli.maintenance.open_store import OpenedStore
from minerva_platform.cli.teams.check import find_all_problems
from minerva_platform.config.settings import Settings, find_settings, home_directory
from minerva_platform.errors import MinervaError, SettingsError, StateError
from minerva_platform.storage.engine.database_file import is_lost
from minerva_platform.storage.engine.location import Place, find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.engine.refusals import remedy_of
from minerva_platform.storage.files.artifacts import ArtifactPlace, find_artifacts
from minerva_platform.storage.ledger.schema import checkpoints, runs, turns
from minerva_platform.storage.maintenance.artifact_folder import stored_contents
from minerva_platform.storage.maintenance.examination.artifacts import examine_artifacts
from minerva_platform.storage.maintenance.examination.checkpoints import examine_checkpoints
from minerva_platform.storage.maintenance.examination.database import (
    examine_file,
    examine_folder,
    examine_keys,
    examine_tables,
    is_damaged,
    lost_finding,
)
from minerva_platform.storage.maintenance.examination.finding import Finding
from minerva_platform.storage.maintenance.examination.rows import examine_rows
from minerva_platform.storage.maintenance.examination.runs import examine_runs
from minerva_platform.storage.maintenance.restored import find_restored
from minerva_platform.storage.queue.background_runs import count_workers


@dataclass(slots=True)
class Examination:
    """What was looked at, and what was found."""

    home: Path
    place: Place | None = None
    """The database; None if the configuration names none that can be used."""
    artifacts: ArtifactPlace | None = None
    """Where artifacts lie; None if the configuration names a folder that cannot be used."""
    findings: list[Finding] = field(default_factory=list[Finding])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """How much of each kind was looked at."""
    can_be_opened: bool = False
    """True if the rows of the database could be read."""


def examine(config: Path | None) -> Examination:
    """Look at everything; change nothing."""
    examination = Examination(home_directory())
    settings = _read_settings(config, examination)
    if settings is not None:
        problems, _ = find_all_problems(settings)
        where = str(settings.folder or "defaults")
        examination.findings += [
            Finding("configuration", where, "check", {"problem": problem}) for problem in problems
        ]
    examination.findings += examine_folder(examination.home)
    if examination.place is not None:
        _examine_place(examination, examination.place)
    examination.findings += _of_records(examination)
    return examination


def _read_settings(config: Path | None, examination: Examination) -> Settings | None:
    settings: Settings | None = None
    url = files = None
    try:
        settings = find_settings(config)
        url, files = settings.platform.storage.url, settings.platform.storage.files
    except SettingsError as error:
        examination.findings.append(_of_settings(config, error))
        settings = None  # the home's own database is looked at
    try:
        examination.place = find_place(examination.home, url)
    except SettingsError as error:
        examination.findings.append(_of_settings(config, error))
    try:
        examination.artifacts = find_artifacts(examination.home, files)
    except SettingsError as error:
        examination.findings.append(_of_settings(config, error))
    return settings


def _of_settings(config: Path | None, error: SettingsError) -> Finding:
    return Finding("configuration", str(config or "configs"), "check", {"problem": str(error)})


def _examine_place(examination: Examination, place: Place) -> None:
    if isinstance(place, Path):
        if place.parent != examination.home:
            examination.findings += examine_folder(place.parent)
        if is_lost(place):
            examination.findings.append(lost_finding(place))
            return
        if not place.exists():
            return
        try:
            examination.findings += examine_file(place)
        except OSError as error:
            values = {"cause": f"{error.strerror}. {remedy_of(error, place)}"}
            examination.findings.append(Finding("database_unusable", str(place), "doctor", values))
            return
        if is_damaged(examination.findings):
            return
    try:
        with opened_engine(place) as engine:
            artifacts = examination.artifacts or find_artifacts(examination.home)
            store = OpenedStore(examination.home, engine, artifacts)
            examination.findings += _of_rows(store, examination)
    except (StateError, SettingsError) as error:
        values = {"cause": str(error)}
        examination.findings.append(Finding("database_unusable", str(place), "doctor", values))


def _of_rows(store: OpenedStore, examination: Examination) -> list[Finding]:
    used_elsewhere, engine = store.digests_elsewhere(), store.engine

    def look(connection: Connection) -> list[Finding]:
        tables = {"runs": runs, "turns": turns, "checkpoints": checkpoints}
        missing = examine_tables(connection)
        if missing:
            return missing
        for name, table in tables.items():
            count = select(func.count()).select_from(table)
            examination.counts[name] = connection.execute(count).scalar_one()
        examination.counts["workers"] = count_workers(connection, engine)
        examination.counts["artifacts"] = len(stored_contents(connection, store.artifacts))
        return [
            *_of_mark(connection, str(engine.place)),
            *examine_keys(connection),
            *examine_rows(connection),
            *examine_checkpoints(connection),
            *examine_runs(connection, engine),
            *examine_artifacts(
                connection, store.artifacts, now=time.time(), used_elsewhere=used_elsewhere
            ),
        ]

    findings = engine.read(look, empty=list[Finding]())
    examination.can_be_opened = True
    return findings


def _of_mark(connection: Connection, where: str) -> Iterator[Finding]:
    if (copy := find_restored(connection)) is not None:
        counts = {"runs": len(copy.runs), "questions": copy.questions, "count": len(copy.effects)}
        yield Finding("restored_copy", where, "doctor --this-is-the-store", counts)


def _of_records(examination: Examination) -> Iterator[Finding]:
    reader = RecordReader(examination.home, damaged_only=True)
    try:
        for _ in reader:
            """Rows on damaged lines; what is wrong with the lines is in the summary."""
    except (OSError, MinervaError) as error:
        values = {"count": 0, "cause": str(error)}
        yield Finding("records_unreadable", str(examination.home), "runs", values)
        return
    summary = reader.summary
    examination.counts["records"] = summary.good
    counts = Counter(bad.file for bad in summary.bad_lines)
    for file, count in counts.items():
        first = next(bad for bad in summary.bad_lines if bad.file == file)
        values = {"count": count, "cause": f"{first.cause}, {first.detail}"}
        yield Finding("records_unreadable", f"{file}:{first.line}", "compact", values)
