"""The pipeline of `configs/examples/pipeline`: names, policy, one load or quarantine."""

import csv
import hashlib
import re
import shlex
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import copies
import pytest
from answers import without_effects
from pipelines import (
    BAD,
    FOLDER,
    GOOD,
    POLICY,
    REQUEST,
    TARGET,
    Warehouse,
    contents,
    module,
    postgres_warehouse,
    quarantined,
    sqlite_warehouse,
    warehouse_of,
)
from postgres import Cluster
from typer.testing import CliRunner

from minerva_platform import AgentError, Attachment, Platform, Run
from minerva_platform.cli.main import app
from minerva_platform.config.settings import Settings

HEADER, *ROWS = map(tuple, csv.reader(GOOD.read_text(encoding="utf-8").splitlines()))
NAMES = ("PT_NO", "PT_NM", "BRDT", "EML_ADDR", "HSPTLZ_YMD", "RMRK")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Platform:
    """The teams of the example; its routers learn once."""
    return Platform(settings=Settings(FOLDER), home=tmp_path_factory.mktemp("home"))


@pytest.fixture
def ask(platform: Platform, minerva_home: Path) -> Callable[..., Run]:
    """Return what asks the platform in a home of the test's own."""
    platform.home = minerva_home

    def asked(*files: Path, request: str = REQUEST) -> Run:
        return platform.ask(request, attachments=[*files, *POLICY])

    return asked


@pytest.fixture(params=["sqlite", "postgres"])
def warehouse(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Warehouse:
    """Give a target of each kind."""
    if request.param == "sqlite":
        made = sqlite_warehouse(tmp_path)
    else:
        cluster: Cluster = request.getfixturevalue("postgres_server")
        made = postgres_warehouse(cluster.url)
    monkeypatch.setenv(TARGET, made.url)
    return made


def told(run: Run) -> list[tuple[str, str]]:
    """Return rows and checksum before and after, as the answer has them."""
    return re.findall(
        r"\| (?:before|after), in `[^`]*` \| (\d+) \| `([0-9a-f]{64})` \|", run.answer
    )


@pytest.mark.slow
def test_values_that_may_be_resident_numbers_are_not_loaded(
    ask: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy leaves one number among other remarks to a person; nobody has decided."""
    made = sqlite_warehouse(tmp_path)
    monkeypatch.setenv(TARGET, made.url)
    lines = GOOD.read_text(encoding="utf-8").splitlines()
    row = [*next(csv.reader([lines[1]]))]
    row[-1] = "841226-1234567"
    file = tmp_path / "doubtful.csv"
    file.write_text("\n".join([*lines, ",".join(row)]) + "\n", encoding="utf-8")

    run = ask(file, request="load doubtful.csv")

    assert "not loaded" in run.answer.lower() or "quarantine" in run.answer.lower()
    assert "PII-RRN-01" in run.answer
    assert contents(made) == {"pipeline_loads": []}


@pytest.mark.small(databases=1)
@pytest.mark.slow
def test_a_good_file_is_loaded_once_under_standard_names(
    ask: Callable[..., Run], warehouse: Warehouse
) -> None:
    """The answer has rows and checksums before and after. A second run changes nothing."""
    first = ask(GOOD)
    loaded = warehouse.tables()
    second = ask(GOOD)

    assert first.status == second.status == "ok"
    (did,) = first.effects
    assert (did.name, did.outcome) == ("load", "done")
    assert first.answer.startswith(f"Done: `load` (key: {did.arguments['key'][:59]}")
    assert without_effects(first.answer).startswith("**Loaded `visits.csv` into `visits`.**")
    said = without_effects(second.answer)
    assert said.startswith("**`visits.csv` was loaded into `visits` before. Nothing was")
    assert [row[:-1] for row in loaded["visits"]] == ROWS
    assert loaded == warehouse.tables()
    assert [rows for rows, _ in told(first)] == ["4", "4"]
    assert len({checksum for _, checksum in told(first) + told(second)}) == 1
    assert all(f"→ `{name}`" in first.answer for name in NAMES)


@pytest.mark.small("postgres")
@pytest.mark.slow
def test_a_bad_file_goes_to_quarantine_with_a_report(
    ask: Callable[..., Run], warehouse: Warehouse, minerva_home: Path
) -> None:
    """The report names each rule and its rows, and no value. A second run changes nothing."""
    run = ask(BAD)
    aside = quarantined(minerva_home)
    report = next(text.decode() for name, text in aside.items() if name.endswith("report.md"))

    assert (run.status, [use.must_mend for use in run.files]) == ("ok", [True, False, False])
    assert [(did.name, did.outcome) for did in run.effects] == [("put_into_quarantine", "done")]
    assert "**`visits-bad.csv` was not loaded into `visits`.**" in run.answer
    assert "| `cells` | 3 | a row has more or fewer cells than the header |" in report
    assert "| `PII-RRN-01` | - | `visits-bad.csv.MEMO`, 3 of 3: row 1 841226-1******" in report
    assert report.strip() in run.answer
    assert BAD.read_bytes() in aside.values()
    assert "visits" not in warehouse.tables()
    assert (ask(BAD).status, quarantined(minerva_home)) == ("ok", aside)


@pytest.mark.small("sqlite")
@pytest.mark.slow
def test_a_table_of_a_database_is_loaded_like_the_file(
    ask: Callable[..., Run],
    warehouse: Warehouse,
    postgres_server: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SQLite is attached, Postgres is named by a variable, and the rows have one checksum."""
    table = ", ".join(f'"{name}" text' for name in HEADER)
    statements = (
        f"CREATE TABLE visits ({table})",
        f"INSERT INTO visits VALUES {', '.join(map(str, ROWS))}",  # noqa: S608  # our own rows
        "CREATE TABLE beds (number text)",
    )
    sqlite_warehouse(tmp_path, "source %3F?#").execute(*statements)
    named = postgres_warehouse(postgres_server.url)
    named.execute(*statements)

    runs = [ask(GOOD), ask(tmp_path / "source %3F?#.db")]
    monkeypatch.setenv("PIPELINE_SOURCE", named.url)
    runs.append(ask())

    assert [without_effects(run.answer).partition(" into ")[0] for run in runs] == [
        "**Loaded `visits.csv`",
        "**`source %3F?#.db:visits` was loaded",
        "**`visits` was loaded",
    ]
    assert len({checksum for run in runs for _, checksum in told(run)}) == 1
    assert len(warehouse.tables()["visits"]) == 4


KILLED = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
from sqlalchemy import Engine, event
from minerva_platform import Attachment
from minerva_platform.config.settings import Settings
from minerva_platform.assembly.registry import find_teams

folder, file, *names = sys.argv[1:]
find_teams(["./pipeline.py:Pipeline"], settings=Settings(Path(folder)))
source, target, contract = (import_module(f"minerva_files.{name}") for name in
                            ("source", "target", "contract"))
event.listen(Engine, "commit", lambda _: os.kill(os.getpid(), signal.SIGKILL))
given = source.TextFile(Attachment(path=Path(file)))
mapped = contract.Mapped(table="visits", columns=tuple(names))
target.load_once(given, mapped, "k", source.count_source(given).counted)
"""


@pytest.mark.small(databases=1)
def test_a_process_killed_before_the_commit_leaves_nothing_and_another_one_loads(
    warehouse: Warehouse,
) -> None:
    """The rows were all sent. tests/chaos kills whole runs, everywhere."""
    command = (sys.executable, "-c", KILLED, str(FOLDER), str(GOOD), *NAMES)
    killed = copies.run(command, check=False, capture_output=True)
    assert (killed.returncode, warehouse.tables()) == (-signal.SIGKILL, {}), killed.stderr

    source = module("source")
    given = source.TextFile(Attachment(path=GOOD))
    mapped = module("contract").Mapped(table="visits", columns=NAMES)
    for _ in range(2):
        counted = source.count_source(given).counted
        assert module("target").load_once(given, mapped, "k", counted).after == counted
    assert [row[:-1] for row in warehouse.tables()["visits"]] == ROWS


HOSTILE: dict[str, tuple[bytes, str, tuple[int, ...]]] = {
    "empty": (b"", "empty", ()),
    "blank lines": (b"\n\n", "empty", ()),
    "no rows": (b"A,B\n", "empty", ()),
    "too few cells": (b"A,B\n1,2\n3\n4,5\n6\n", "cells", (2, 4)),
    "too many cells": (b"A,B\n1,2,3\n", "cells", (1,)),
    "two columns of one name": (b"A,B,a\n1,2,3\n", "header", ()),
    "a column without a name": (b"A,,C\n1,2,3\n", "header", ()),
    "too many columns": (b",".join(b"c%d" % n for n in range(1001)) + b"\n", "header", ()),
    "NUL in a cell": (b"A,B\n1,2\n3,4\0\n", "nul", (2,)),
    "NUL in a name": (b"A,B\0\n1,2\n", "nul", ()),
    "no text": (b"A,B\n\xff\xfe\xfd,2\n", "encoding", ()),
    "an open quote": (b'A,B\n1,"2\n3,4\n', "format", ()),
    "a word after a quote": (b'A,B\n1,"2"x\n', "format", ()),
    "a long cell": (b"A\n" + b"x" * 200_000 + b"\n", "format", ()),
    "a long line": (b"A\n" + b"x," * 1_000_000, "format", ()),
}
"""Files that are not loaded, and the rule and rows that are named."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_table_has_a_problem(name: str, tmp_path: Path) -> None:
    """It is read to where it breaks, and no row of it is lost in silence."""
    content, rule, rows = HOSTILE[name]
    file = tmp_path / "rows.csv"
    file.write_bytes(content)
    source = module("source")
    found = source.count_source(source.TextFile(Attachment(path=file)))

    assert [(one.rule, one.rows) for one in found.problems] == [(rule, rows)]
    assert found.digest == source.TextFile(Attachment(path=file)).file_digest()


def test_a_problem_of_many_rows_names_some_and_counts_all(tmp_path: Path) -> None:
    """A hand-off stays small, whatever the file is."""
    file = tmp_path / "rows.csv"
    file.write_text("A,B\n" + "1\n" * 5000)
    source = module("source")
    (problem,) = source.count_source(source.TextFile(Attachment(path=file))).problems

    assert (problem.rows, problem.count) == (tuple(range(1, 21)), 5000)
    assert module("quarantine").rows_of(problem).endswith("19, 20 and 4980 more")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_the_encoding_of_a_file_changes_no_row(encoding: str, tmp_path: Path) -> None:
    """The checksum is of the texts, whatever their bytes and line ends are."""
    file = tmp_path / "rows.csv"
    file.write_bytes("이름,비고\r\n김민지,=1+1\r\n".encode(encoding))
    source = module("source")
    found = source.count_source(source.TextFile(Attachment(path=file)))

    assert (found.header, found.counted.rows, found.problems) == (("이름", "비고"), 1, ())
    assert found.counted.checksum == hashlib.sha256('["김민지","=1+1"]'.encode()).hexdigest()


STRANGE = ('a"b', "x'); DROP TABLE visits; --", "%s", "%(c0)s", ":c1", "select", "한글", "a.b")
"""Names that mean something to SQL, to drivers or to Python."""


@pytest.mark.small(databases=1)
def test_each_name_is_quoted(warehouse: Warehouse, tmp_path: Path) -> None:
    """A name is data, and a cell is data, too."""
    file = tmp_path / "rows.csv"
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([STRANGE, STRANGE])
    source = module("source")
    given = source.TextFile(Attachment(path=file))
    found = source.count_source(given)
    mapped = module("contract").Mapped(table='visits" --', columns=STRANGE)
    loaded = module("target").load_once(given, mapped, "k", found.counted)

    assert (loaded.after, loaded.is_new) == (found.counted, True)
    assert warehouse.tables()['visits" --'] == [(*STRANGE, "k")]


@pytest.mark.small(databases=1)
def test_a_table_with_another_schema_is_left_as_it_is(
    ask: Callable[..., Run], warehouse: Warehouse
) -> None:
    """The load fails with both schemas in its words, and the run says so."""
    warehouse.execute("CREATE TABLE visits (other integer)", "INSERT INTO visits VALUES (7)")
    run = ask(GOOD)

    assert run.status == "ok_degraded"
    assert "`visits` is there with another schema: it has the columns `other`" in str(run.bypassed)
    assert contents(warehouse) == {"visits": [(7,)], "pipeline_loads": []}


def test_a_file_that_changes_between_the_steps_is_not_loaded(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    """The rows that came out are not those that were checked; all of it is taken back."""
    file = tmp_path / "rows.csv"
    file.write_text("A\n1\n")
    source = module("source")
    given = source.TextFile(Attachment(path=file))
    found = source.count_source(given)
    file.write_text("A\n2\n")
    mapped = module("contract").Mapped(table="visits", columns=("A",))

    with pytest.raises(AgentError, match="`visits` holds 1 rows of this load with the checksum"):
        module("target").load_once(given, mapped, "k", found.counted)
    assert warehouse.tables() == {}


def test_a_file_that_is_no_database_goes_to_quarantine(
    ask: Callable[..., Run], tmp_path: Path, minerva_home: Path
) -> None:
    """Its bytes are kept as they are."""
    file = tmp_path / "visits.db"
    file.write_bytes(b"no database at all")
    run = ask(file)

    assert "| `format` | - | the database says: file is not a database |" in run.answer
    assert file.read_bytes() in quarantined(minerva_home).values()


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("PAT_ID,STRANGER", "only one of the source and the schema has `STRANGER`, `PAT_NM`"),
        ("PAT_ID", "only one of the source and the schema has `PAT_NM`, `BIRTH_DT`"),
    ],
)
def test_columns_that_the_schema_does_not_have_are_a_problem(header: str, words: str) -> None:
    """A column without a plan would get no standard name, and a missing one no value."""
    contract, mapping = module("contract"), module("mapping")
    plan = contract.RenamePlan(
        columns=[
            {"table": "clinic.visits", "column": name, "physical_name": new, "status": "renamed"}
            for name, new in zip(HEADER, NAMES, strict=True)
        ]
    )
    extracted = contract.Extracted(
        name="visits.csv",
        table="visits",
        header=header.split(","),
        counted=contract.Counted(rows=1, checksum="0"),
        digest="0",
    )
    mapped = mapping.mapped_columns(extracted, plan)

    assert [(one.rule, one.what[: len(words)]) for one in mapped.problems] == [("columns", words)]


@pytest.mark.slow
def test_nothing_to_read_is_a_sentence(
    ask: Callable[..., Run], minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing lies in quarantine then: there is nothing that is bad. No password is in it."""
    nothing, two = ask(), ask(GOOD, BAD)
    monkeypatch.setenv("PIPELINE_SOURCE", "postgresql://me:s3cret@/clinic?host=/nowhere")
    unreachable = ask()
    monkeypatch.setenv("PIPELINE_SOURCE", "oracle://me:s3cret@db/clinic")
    other = ask()

    assert "The source cannot be read: the database says: connection " in str(unreachable.bypassed)
    assert "A database is `sqlite:////PATH/FILE` or `postgresql://" in str(other.bypassed)
    assert "s3cret" not in f"{unreachable!r} {other!r}"
    assert quarantined(minerva_home) == {}

    assert "Attach a CSV, TSV or SQLite file, or set PIPELINE_SOURCE." in str(nothing.bypassed)
    assert "Attach one CSV, TSV or SQLite file: each load is one run." in str(two.bypassed)


README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_of_the_page_say_what_it_shows(
    minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are typed in the example's folder, one after another, and end as their comments say."""
    typed, _ = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("MINERVA_CONFIG", ".")
    said = ""
    for line in typed.splitlines():
        words, _, comment = line.partition(" # ")
        if words.startswith("minerva "):
            done = CliRunner().invoke(app, shlex.split(words)[1:], prog_name="minerva")
            assert done.exit_code == (2 if "ends with 2" in comment else 0), done.output
            said += done.stdout

    shown = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert [text for text in shown if text not in said] == []
    assert "was loaded into `visits` before. Nothing was changed." in said
    assert len(warehouse_of(minerva_home).tables()["visits"]) == 4


def test_the_page_shows_the_workflow_of_the_file() -> None:
    """And it names each module and each variable."""
    (shown,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    source = (FOLDER / "pipeline.py").read_text(encoding="utf-8")

    assert textwrap.indent(shown, "    ") in source
    assert [path.name for path in FOLDER.glob("*.py") if f"`{path.name}`" not in README] == []
    variables = re.findall(
        r"\bPIPELINE_[A-Z]+", "".join(p.read_text() for p in FOLDER.glob("*.py"))
    )
    assert [name for name in variables if f"| `{name}` |" not in README] == []


def test_a_rule_about_names_is_settled_by_the_new_names(
    ask: Callable[..., Run], tmp_path: Path
) -> None:
    """It fails for the columns as they are, and these are not loaded under their old names."""
    policy = tmp_path / "names.yaml"
    policy.write_text(
        "apiVersion: minerva/v1\npolicy: {id: names, version: 1}\nrules:\n"
        "- {id: NAME-01, severity: low, applies_to: {kind: column}, "
        "require: {standard_name: true}}\n"
    )
    run = ask(GOOD, policy)

    assert without_effects(run.answer).startswith("**Loaded `visits.csv` into `visits`.**")
