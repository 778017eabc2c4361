"""A pipeline of five workers: extract, transform, validate, then load or quarantine.

`platform.yaml` beside this file names the team as `./pipeline.py:Pipeline`. README.md shows how to
run it. The data team gives the standard names and the governance team what the policy finds, both
as hand-offs. No row is in a hand-off: a worker that needs the rows reads the source again, and
counts and checksums tell whether they are still the same.
"""

import os
from typing import Annotated

from minerva_data import DataTeam, RenamePlan as DataRenamePlan
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    AttachmentUse,
    BaseAgent,
    Team,
    effect,
)
from minerva_platform.routing import END, START, When, Workflow
from minerva_platform.text import code_span, markdown_table

from .contract import Extracted, Finding, Findings, Loaded, Mapped, Problem, RenamePlan, Verdict
from .count import digest
from .database import read_only
from .mapping import mapped_columns
from .quarantine import problem_table, put_aside
from .source import DatabaseTable, Source, TextFile, count_source
from .target import load_once

SOURCE = "PIPELINE_SOURCE"
"""The variable with the URL of the database to read from, where no file is attached."""


class PipelineInput(AgentInput):
    """The file to load, if it is none of Postgres."""

    files: Annotated[
        tuple[Attachment, ...], Attachment.of("*.csv", "*.tsv", "*.db", "*.sqlite", "*.sqlite3")
    ] = ()

    @property
    def source(self) -> Source:
        """Where the rows come from: the attached file, else the database of `PIPELINE_SOURCE`.

        Raises:
            AgentError: there is neither, or there are several files.
        """
        words = self.context or self.request
        if len(self.files) > 1:
            raise AgentError("Attach one CSV, TSV or SQLite file: each load is one run.")
        if not self.files:
            url = os.environ.get(SOURCE)
            if not url:
                raise AgentError(f"Attach a CSV, TSV or SQLite file, or set {SOURCE}.")
            return DatabaseTable(url, words)
        (file,) = self.files
        if file.path.suffix.casefold() in {".csv", ".tsv"}:
            return TextFile(file)
        return DatabaseTable(read_only(file.path), words, file)


class ExtractOutput(AgentOutput):
    """What was read."""

    extracted: Extracted


class Extract(BaseAgent[PipelineInput, ExtractOutput]):
    """Reads a source to its end, and counts its rows."""

    name = "extract"
    description = "Reads the rows of a CSV file, or of a table of SQLite or Postgres."
    examples = ("read the rows of visits.csv", "extract the table visits")
    input_mode = "context"

    def work(self, given: PipelineInput) -> ExtractOutput:
        """Count."""
        found = count_source(given.source)
        return ExtractOutput(
            extracted=found,
            summary=f"Read {found.counted.rows} rows of {code_span(found.name)}.",
            files=tuple(AttachmentUse(name=file.name, status="used") for file in given.files),
        )


class TransformInput(AgentInput):
    """What was read, and the standard names."""

    extracted: Extracted
    plan: RenamePlan


class TransformOutput(AgentOutput):
    """The names."""

    mapped: Mapped


class Transform(BaseAgent[TransformInput, TransformOutput]):
    """Gives each column its standard name. No value changes."""

    name = "transform"
    description = "Gives the columns of the rows their standard names."
    examples = ("give the columns their standard names", "rename the columns of the rows")

    def work(self, given: TransformInput) -> TransformOutput:
        """Look the columns up in the data team's plan."""
        mapped = mapped_columns(given.extracted, given.plan)
        kept = ", ".join(map(code_span, mapped.unresolved))
        more = f" Without a standard name, and kept: {kept}." if kept else ""
        renamed = len(mapped.columns) - len(mapped.unresolved)
        return TransformOutput(
            mapped=mapped,
            summary=f"{renamed} of {len(mapped.columns)} columns have a standard name.{more}",
        )


class ValidateInput(PipelineInput):
    """All that speaks for loading, and all that speaks against it."""

    extracted: Extracted
    mapped: Mapped
    findings: Findings


class ValidateOutput(AgentOutput):
    """Whether the rows may be loaded."""

    verdict: Verdict


class Validate(BaseAgent[ValidateInput, ValidateOutput]):
    """Decides whether the rows may be loaded."""

    name = "validate"
    description = "Checks the rows, their columns and the policy before they are loaded."
    examples = ("may these rows be loaded", "validate the rows before they are loaded")
    input_mode = "context"

    def work(self, given: ValidateInput) -> ValidateOutput:
        """Count again, and ask the policy."""
        again = count_source(given.source)
        rules = [one for one in given.findings.findings if not is_settled(one, given.mapped)]
        failed = [one for one in rules if speaks_against(one)]
        opened = [one for one in rules if one.status == "not_evaluated" and one not in failed]
        problems = [*given.extracted.problems, *given.mapped.problems]
        if again.digest != given.extracted.digest:
            problems.append(Problem(rule="changed", what="the source was changed meanwhile"))
        problems += [broken_rule(one) for one in failed]
        verdict = Verdict(
            ok=not problems,
            key=digest(given.mapped.table, given.extracted.digest),
            problems=tuple(problems),
            open_rules=tuple(dict.fromkeys(one.rule_id for one in opened)),
        )
        against = f"{len(problems)} problems speak" if problems else "Nothing speaks"
        return ValidateOutput(verdict=verdict, summary=f"{against} against loading these rows.")


def is_settled(finding: Finding, mapped: Mapped) -> bool:
    """True if a rule asks for the standard name that a column gets here."""
    column = finding.target.rpartition(".")[2]
    return finding.predicate == "standard_name" and column not in mapped.unresolved


def speaks_against(finding: Finding) -> bool:
    """True if a rule is broken, or if it found values about which somebody has to decide."""
    return finding.status == "fail" or (finding.status == "not_evaluated" and finding.count > 0)


def broken_rule(finding: Finding) -> Problem:
    """Return a rule of the policy that the rows break, in the governance team's masked words."""
    where = f"{code_span(finding.target)}, {finding.count} of {finding.total}"
    why = finding.evidence or finding.reason
    return Problem(rule=finding.rule_id, what=f"{where}: {why}")


class LoadInput(PipelineInput):
    """What was decided, and about what."""

    verdict: Verdict
    extracted: Extracted
    mapped: Mapped


class Load(BaseAgent[LoadInput, AgentOutput]):
    """Loads the rows once, in one transaction."""

    name = "load"
    description = "Loads the rows into the target database."
    examples = ("load the rows into the warehouse", "write the rows into the target table")
    input_mode = "context"

    def work(self, given: LoadInput) -> AgentOutput:
        """Load, unless this was done before."""
        if not given.verdict.ok:
            raise AgentError("The rows may not be loaded; `quarantine` takes them.")
        source, before = given.source, given.extracted.counted

        @effect("keyed")
        def load(key: str) -> Loaded:
            return load_once(source, given.mapped, key, before)

        done = load(given.verdict.key)
        table, name = code_span(given.mapped.table), code_span(given.extracted.name)
        said = (
            f"Loaded {name} into {table}."
            if done.is_new
            else f"{name} was loaded into {table} before. Nothing was changed."
        )
        counts = markdown_table(
            ("", "Rows", "Checksum"),
            [
                (f"before, in {name}", str(before.rows), code_span(before.checksum)),
                (f"after, in {table}", str(done.after.rows), code_span(done.after.checksum)),
            ],
        )
        pairs = zip(given.extracted.header, given.mapped.columns, strict=True)
        names = ", ".join(f"{code_span(old)} → {code_span(new)}" for old, new in pairs)
        open_rules = ", ".join(map(code_span, given.verdict.open_rules)) or "none"
        return AgentOutput(
            summary=f"**{said}**\n\n{counts}\n\nColumns: {names}\n\n"
            f"Rules that could not be evaluated: {open_rules}\n\nKey: {code_span(done.key)}"
        )


class Quarantine(BaseAgent[LoadInput, AgentOutput]):
    """Puts aside what may not be loaded, with a report."""

    name = "quarantine"
    description = "Puts rows aside that may not be loaded, and reports why."
    examples = ("put the rows into quarantine", "set the bad file aside with a report")
    input_mode = "context"

    def work(self, given: LoadInput) -> AgentOutput:
        """Copy the file, and write why."""
        if given.verdict.ok:
            raise AgentError("The rows may be loaded; `load` takes them.")
        source, name = given.source, code_span(given.extracted.name)
        counted = given.extracted.counted
        report = (
            f"**{name} was not loaded into {code_span(given.mapped.table)}.**\n\n"
            f"{problem_table(given.verdict.problems)}\n\n"
            f"Rows: {counted.rows}, checksum: {code_span(counted.checksum)}. "
            "Row 1 is the first below the header."
        )

        @effect("keyed")
        def put_into_quarantine(key: str) -> str:
            return str(put_aside(source.copy_to, key, f"{report}\n"))

        folder = put_into_quarantine(given.verdict.key)
        reason = "it lies in quarantine"
        return AgentOutput(
            summary=f"{report}\n\nA copy and this report lie in {code_span(folder)}.",
            artifacts=(Artifact(name="quarantine.md", content=f"{report}\n"),),
            files=tuple(
                AttachmentUse(
                    name=file.name, status="not_understood", reason=reason, must_mend=True
                )
                for file in given.files
            ),
        )


class Names(DataTeam):
    """The data team, which here gives names alone: nobody is asked about a migration."""

    def __init__(self) -> None:
        """Let names out, and no migration."""
        super().__init__(exports=(DataRenamePlan,))


class Pipeline(Team):
    """Loads a file or a table under standard names, if the policy allows it."""

    name = "pipeline"
    description = (
        "Loads a CSV file, or a table of SQLite or Postgres, into a database under standard "
        "names if the policy allows it, and puts it into quarantine otherwise."
    )
    members = (Extract, Transform, Validate, Load, Quarantine)
    router = Workflow(
        {
            START: "extract",
            "extract": "transform",
            "transform": "validate",
            "validate": When(
                Verdict, lambda verdict: verdict.ok, then="load", otherwise="quarantine"
            ),
            "load": END,
            "quarantine": END,
        }
    )
