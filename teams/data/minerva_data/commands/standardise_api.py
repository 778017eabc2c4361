"""Standardise files and names from a program, as `minerva standardise` does.

with standardise("schema.sql", out="out", glossaries=["our-hospital"]) as done:
    print(done.tally.named, "of", done.tally.total)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from minerva_data.answers.report import ReportContent, report_text
from minerva_data.core.importing.contract_entries import contract_columns
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.contract_edit import ContractEdit, new_names
from minerva_data.core.standardising.files import kinds_to_write, write_tables
from minerva_data.core.standardising.job import (
    CONTRACT,
    MIGRATION,
    MODELS,
    Job,
    Progress,
    TableWriter,
)
from minerva_data.core.standardising.options import Emitted, StandardiseFault, Wishes
from minerva_data.core.standardising.source import Source, is_file_name, open_file, open_texts
from minerva_data.core.standardising.spool import Spool
from minerva_data.core.standardising.staging import Staging, check_out
from minerva_data.steps.glossaries import ImportedGlossaries
from minerva_platform import MinervaError
from minerva_reading import FileFault

REPORT = "report.md"
_NAME = "standardised-schema"
EDITED = "edited-"
"""Before the name of a contract that was given, where another file has its name."""

_SAID = "-- Left to a person: lines of a contract that say a renamed column by its old name."

What = str | Path | Iterable[str]
"""A file, a name or a sentence, or several of these as lines."""


class StandardiseError(MinervaError):
    """What was given cannot be standardised, or the files not written; says what to do."""


class Standardised(AbstractContextManager["Standardised"]):
    """What became of every column. Rows and findings lie on disk until it is closed."""

    def __init__(self, job: Job, staging: Staging, answering: tuple[str, ...]) -> None:
        self.tally = job.tally
        self.sources = dict(job.sources)
        """What was read by name: a schema, a list, names, the header of data, or text."""
        self.read_as = dict(job.read_as)
        """How files are read, by name: their encodings, dialects and why."""
        self.answering = answering
        """The glossaries that answered, the first before the others."""
        self.files: tuple[Path, ...] = ()
        self.wishes = job.wishes
        self._spool, self._staging = job.spool, staging
        self.rows, self.findings = job.spool.rows, job.spool.findings
        self.problems = job.spool.problems

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up what lies on disk; the files that were delivered stay."""
        self._spool.close()
        self._staging.close()

    def to_json(self) -> dict[str, Any]:
        """Return everything but the rows."""
        return {
            "sources": self.sources,
            "read_as": {name: one.model_dump() for name, one in self.read_as.items()},
            "glossaries": list(self.answering),
            "priority": list(self.wishes.priority),
            "style": self.wishes.style,
            "counts": self.tally.to_json(),
        }


def standardise(
    *inputs: What,
    out: str | Path | None = None,
    glossaries: Sequence[str] | None = None,
    wishes: Wishes | None = None,
    is_overwriting: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Standardised:
    """Standardise files, names and sentences; with `out`, write everything into that folder.

    A text that names a file (`schema.sql`), or one that is there, is read as a file. `glossaries`
    None: all that were imported, then the bundled one. Close the result, or use it in `with`.

    Raises:
        StandardiseError: nothing of it can be standardised, or the files cannot be written.
        GlossaryUnusableError: the imported glossaries cannot be read, or one is not there.
    """
    folder = Path(out) if out is not None else None
    answerers = ImportedGlossaries(tuple(glossaries) if glossaries is not None else None)
    answering = answerers.answering()
    wishes = wishes or Wishes()
    files = [Path(one) for one in inputs if isinstance(one, str | Path) and _is_file(one)]
    try:
        if folder is not None:
            check_out(folder, is_overwriting=is_overwriting, inputs=files)
        staging = Staging(folder, is_overwriting=is_overwriting)
        try:
            job = Job(wishes, Spool(staging.spool), on_progress)
            job.read_sources(_open_sources(inputs, answerers.lookup, wishes))
            return _finish(job, answerers.lookup(), staging, answering, files)
        except BaseException:
            staging.close()
            raise
    except (StandardiseFault, FileFault) as error:
        raise StandardiseError(str(error)) from error
    except OSError as error:
        where = error.filename or folder or "The working file"
        message = f"{where} cannot be read or written: {error.strerror or error}."
        raise StandardiseError(message) from error


def _finish(
    job: Job, lookup: Lookup, staging: Staging, answering: tuple[str, ...], files: Sequence[Path]
) -> Standardised:
    """Name what was read, and put the files in place if there is a place for them."""
    emit = kinds_to_write(job.wishes.emit) if staging.out else ()
    writer = TableWriter(staging.files, emit, name=_NAME, dialect=job.wishes.dialect)
    try:
        job.name(lookup, writer)
    finally:
        writer.close()
    done = Standardised(job, staging, answering)
    if staging.out:
        contracts = [path for path in files if path.suffix.casefold() in {".yml", ".yaml"}]
        if contracts:
            _edit_contracts(job, contracts, staging.files, emit)
        write_tables(job, staging.files, emit)
        if "report" in emit:
            about = ReportContent(
                job.spool, job.tally, job.wishes, job.sources, answering, job.read_as
            )
            text = "\n\n".join(report_text(about, job.wishes.language))
            (staging.files / REPORT).write_text(f"{text}\n", encoding="utf-8")
        done.files = staging.deliver(done.to_json())
    return done


def _edit_contracts(
    job: Job, contracts: Sequence[Path], folder: Path, emit: Sequence[Emitted]
) -> None:
    """Write the contracts that were given, with new names; a new one only for other sources."""
    names = new_names(job.spool.rows())
    for wanted, kind, own in (("odcs", "ODCS", CONTRACT), ("dbt", "dbt", MODELS)):
        paths = [path for path in contracts if contract_columns(path)[0] == kind]
        if wanted not in emit or not paths:
            continue
        if len(paths) == len(job.sources):
            (folder / own).unlink(missing_ok=True)
        for path in paths:
            edit = ContractEdit(path, names)
            name = f"{EDITED}{path.name}" if (folder / path.name).exists() else path.name
            (folder / name).write_text(edit.text, encoding="utf-8", newline="")
            lines = list(edit.lines())
            if lines and (folder / MIGRATION).exists():
                with (folder / MIGRATION).open("a", encoding="utf-8") as migration:
                    migration.writelines(f"{line}\n" for line in (_SAID, *lines))


def _open_sources(
    inputs: Sequence[What], lookup: Callable[[], Lookup], wishes: Wishes
) -> Iterator[Source]:
    """Yield what was given, texts that follow each other as one.

    Raises:
        StandardiseFault: a file is not there or of no known kind, or nothing is given.
    """
    texts: list[str] = []
    names: set[str] = set()
    for one in inputs:
        if isinstance(one, str) and not _is_file(one):
            texts.append(_unicode(one))
            continue
        if texts:
            yield open_texts(texts, lookup)
            texts = []
        if not isinstance(one, str | Path):
            yield open_texts(one, lookup, name="lines")
            continue
        opened = open_file(Path(one), wishes)
        yield opened if opened.name not in names else replace(opened, name=str(one))
        names.add(opened.name)
    if texts:
        yield open_texts(texts, lookup)


def _is_file(name: str | Path) -> bool:
    if isinstance(name, Path):
        return True
    try:
        return is_file_name(name) or (bool(name) and Path(name).exists())
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = text.encode("utf-8", "backslashreplace").decode()
        message = f"`{shown}` is no Unicode text. Type it in the terminal's own encoding."
        raise StandardiseFault(message) from error
    return text
