"""Every attached file is named in the answer, with what became of it."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import create_model

from minerva_platform import AgentInput, AgentOutput, Attachment, AttachmentUse, Run, Task, Team
from minerva_platform.contract.attachment import FileReport, FileStatus
from minerva_platform.contract.bounds import MAX_FILES, MAX_TEXT_BYTES
from minerva_platform.contract.result import Result
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.attached_files import merged_files, most_telling
from minerva_platform.runtime.border.firewall import convert_out
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

ALL = tuple[Attachment, ...]


def taker(name: str, *patterns: str, told: Any = None, fails: bool = False) -> StubAgent:
    """Return a worker that takes files by `patterns`; `told` are its reports, None for silence."""

    def behave(_: Any) -> Any:
        if fails:
            message = "no."
            raise ValueError(message)
        reports = {} if told is None else {"files": told}
        return {"summary": f"{name} answered", **reports}

    stub = StubAgent(name, behave=behave)
    takes: Any = Annotated[ALL, Attachment.of(*patterns)]
    stub.Input = create_model(f"{name}_takes", __base__=AgentInput, taken=(takes, ()))
    return stub


def use(name: str, status: Any = "used", reason: str = "") -> AttachmentUse:
    """Return what became of a file."""
    return AttachmentUse(name=name, status=status, reason=reason)


async def ask(*members: Any, files: Any = (), request: str = "go", **options: Any) -> Run:
    """Run a team of `members` for a request with `files`."""
    team = Team(name="root", description="…", members=members, router=EachOnceRouter())
    attachments = tuple(Attachment(path=path) for path in files)
    return await run_team(
        team.assembled, Task(request=request, attachments=attachments), RunOptions(**options)
    )


def team_of(name: str, *members: Any) -> Team:
    """Return a team that asks each of its members."""
    return Team(name=name, description="…", members=members, router=EachOnceRouter())


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """Return a file that is attached."""
    path = tmp_path / "schema.sql"
    path.touch()
    return path


@pytest.mark.parametrize(
    ("request_", "told", "line"),
    [
        ("go", use("schema.sql"), "Files: `schema.sql` used"),
        ("해줘", use("schema.sql"), "파일: `schema.sql` 사용함"),
        (
            "go",
            use("schema.sql", "unreadable", "line 3 ends early"),
            "Files: `schema.sql` unreadable (line 3 ends early)",
        ),
        (
            "해줘",
            use("schema.sql", "not_understood", "표가 없음"),
            "파일: `schema.sql` 이해하지 못함 (표가 없음)",
        ),
    ],
)
async def test_what_a_worker_tells_ends_the_answer(
    schema: Path, request_: str, told: AttachmentUse, line: str
) -> None:
    """In the person's language; the run object holds the same."""
    run = await ask(taker("a", "*.sql", told=[told]), files=[schema], request=request_)

    assert run.answer == f"a answered\n\n{line}"
    assert run.files == (told,)
    assert run.to_json_dict()["files"] == [told.model_dump()]


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (taker("a", "*.sql"), use("schema.sql", reason="given to `a`")),
        (
            taker("a", "*.sql", fails=True),
            use("schema.sql", "not_understood", "`a`, which was given it, failed"),
        ),
        (
            taker("a", "*.csv"),
            use("schema.sql", "not_understood", "no member that ran takes such a file"),
        ),
    ],
)
async def test_what_nobody_tells_is_not_made_up(
    schema: Path, member: StubAgent, said: AttachmentUse
) -> None:
    """The platform knows who was given the file, and whether that ended well."""
    run = await ask(member, files=[schema])

    assert run.files == (said,)


async def test_a_file_is_named_where_nobody_worked(schema: Path) -> None:
    """It would seem used otherwise."""
    team = Team(name="root", description="…", members=(StubAgent("a"),), router=ScriptedRouter())
    task = Task(request="go", attachments=(Attachment(path=schema),))

    run = await run_team(team.assembled, task)

    assert run.files == (use("schema.sql", "not_understood", "no member ran"),)


UNREADABLE = [use("schema.sql", "unreadable", "broken")]
NOT_UNDERSTOOD = [use("schema.sql", "not_understood", "no table")]


@pytest.mark.parametrize(
    ("first", "second", "best"),
    [
        (UNREADABLE, [use("schema.sql")], use("schema.sql")),
        (UNREADABLE, NOT_UNDERSTOOD, NOT_UNDERSTOOD[0]),
        (UNREADABLE, None, UNREADABLE[0]),
    ],
)
async def test_the_best_of_a_teams_reports_counts(
    schema: Path, first: Any, second: Any, best: AttachmentUse
) -> None:
    """And who tells counts before who was only given the file."""
    run = await ask(taker("a", "*.sql", told=first), taker("b", "*", told=second), files=[schema])

    assert run.files == (best,)


async def test_another_teams_silence_may_be_use(schema: Path) -> None:
    """A team that knows nothing of such reports is not said to have done nothing."""
    told = team_of("told", taker("a", "*.sql", told=UNREADABLE))
    silent = team_of("silent", taker("b", "*.sql"))

    run = await ask(told, silent, files=[schema])

    assert run.files == (use("schema.sql", reason="given to `b`"),)


async def test_a_directory_stands_for_its_files(tmp_path: Path) -> None:
    """Its used files are counted, the others are named; nothing outside of it is."""
    folder = tmp_path / "data"
    (folder / "in").mkdir(parents=True)
    names = ("a.csv", "in/b.csv", "c.bin")
    for name in names:
        (folder / name).touch()
    (tmp_path / "secret.csv").touch()
    told = [use("a.csv"), use("in/b.csv"), use("c.bin", "unreadable", "no text")]
    strange = [use("../secret.csv"), use("/etc/passwd")]
    (tmp_path / "other").mkdir()

    run = await ask(taker("a", "dir", told=told + strange), files=[folder, tmp_path / "other"])

    assert [(item.name, item.status) for item in run.files] == [
        ("data", "used"),
        ("a.csv", "used"),
        ("in/b.csv", "used"),
        ("c.bin", "unreadable"),
        ("other", "used"),
    ]
    line = run.answer.splitlines()[-1]
    assert line.startswith("Files: `data/` used; `c.bin` unreadable (no text); `other/` used")
    assert line.endswith("files inside that are used: 2")


async def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """A worker tells them in the order in which it was given them."""
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.csv").touch()
    told = [use("a.csv"), use("a.csv", "unreadable", "empty")]

    run = await ask(
        taker("a", "*.csv", told=told), files=[tmp_path / "x/a.csv", tmp_path / "y/a.csv"]
    )

    assert [item.status for item in run.files] == ["used", "unreadable"]


async def test_no_name_or_reason_leaves_its_line(tmp_path: Path) -> None:
    """A file may be called anything."""
    odd = tmp_path / "a`\n# x.csv"
    odd.touch()

    run = await ask(taker("a", "*", told=[use(odd.name, "unreadable", "x\n\n# y")]), files=[odd])

    assert run.answer.splitlines()[-1] == "Files: `` a` # x.csv `` unreadable (x # y)"


async def test_files_that_stay_are_named_only_if_used(minerva_home: Path, schema: Path) -> None:
    """A follow-up brought no file of its own."""
    with opened_engine(minerva_home / "state.db") as engine:
        options = {"home": minerva_home, "engine": engine, "thread_id": "talk"}
        await ask(StubAgent("b"), files=[schema], request="list the orders", **options)
        run = await ask(StubAgent("b"), request="list the payments", **options)
        given = await ask(taker("a", "*.sql"), request="list the invoices", **options)

    assert run.files == ()
    assert given.files == (use("schema.sql", reason="given to `a`"),)


def leave(files: list[AttachmentUse], store: ArtifactStore) -> Result:
    """Let reports pass the firewall."""
    state = {"output": {"summary": "s", "files": files}}
    return convert_out(StubAgent("a"), state, path="t/a", role="goal", store=store)[0]


def test_reports_are_bounded(tmp_path: Path) -> None:
    """What was not used is kept before what was; texts are cut, names are made text."""
    many = [use(f"{n}.csv") for n in range(MAX_FILES + 40)]
    bad = [use("bad\udcff.csv", "unreadable", "x" * 5000)]

    result = leave(many + bad, ArtifactStore(tmp_path))

    assert (len(result.files), result.more_files, result.cut) == (MAX_FILES, 41, 2)
    assert result.files[-1].name == "bad\\udcff.csv"
    assert len(result.files[-1].reason.encode()) <= MAX_TEXT_BYTES


def test_merged_reports_are_bounded() -> None:
    """Two members of many files make no longer list."""
    results = [
        Result(
            agent=name,
            path=f"t/{name}",
            status="ok",
            more_files=7,
            files=tuple(FileReport(name=f"{name}{n}", status="used") for n in range(MAX_FILES)),
        )
        for name in "ab"
    ]

    files, more = merged_files(results, across_teams=False)

    assert (len(files), more) == (MAX_FILES, MAX_FILES + 7)
    assert most_telling([]) == ([], 0)


@pytest.mark.parametrize("status", ["used", "not_understood"])
@pytest.mark.parametrize("silent", ["", "other"])
def test_what_the_person_has_to_mend_is_told_whoever_else_had_the_file(
    status: FileStatus, silent: str
) -> None:
    """A team that has no use for a broken policy does not make the answer whole."""
    broken = FileReport(name="p.yaml", status="unreadable", must_mend=True)
    other = FileReport(name="p.yaml", status=status, silent=silent)
    results = [
        Result(agent=str(at), path=f"t/{at}", status="ok", files=(report,))
        for at, report in enumerate([other, broken, other])
    ]

    assert merged_files(results, across_teams=True) == ((broken,), 0)


async def test_an_input_called_files_is_no_report(schema: Path) -> None:
    """A worker from before there were reports may have such a key in its state."""
    agent = taker("a", "*.sql")
    takes: Any = Annotated[ALL, Attachment.of("*.sql")]
    agent.Input = create_model("takes_files", __base__=AgentInput, files=(takes, ()))
    state = {"output": {"summary": "s", "files": [Attachment(path=schema)]}}

    output: Any = agent.state_to_output(state)

    assert isinstance(output, AgentOutput)
    assert output.files == ()
