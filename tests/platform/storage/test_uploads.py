"""Files that people give to a server: kept for a tenant, and copied to where a run works."""

import os
import shutil
import stat
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pytest
from filled import DAY, fill
from hosts import Host, host
from langgraph.types import Send, interrupt
from ledger import Store, rows
from pydantic import create_model
from sqlalchemy import update

from minerva_platform import AgentInput, Attachment, Run, Task, Team
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import StateError, UploadGoneError, UploadNameError
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.uploads import (
    Upload,
    find_upload,
    keep_upload,
    local_upload,
    safe_name,
)
from minerva_platform.storage.ledger.schema import contents, runs, uploads
from minerva_platform.storage.maintenance.forget import forget, plan_forget
from minerva_platform.storage.maintenance.prune import PrunePlan, PruneRule, plan_prune, prune
from minerva_platform.storage.server.tenant_rows import Sight
from minerva_platform.testing import EachOnceRouter, StubAgent

DATA = "id,name\n1,환자\n".encode()
NAME = "환자 목록.csv"


def give(where: Host, data: bytes = DATA, name: str = NAME, *, age: float = 0.0) -> Upload:
    """Give a file to a host's server, some seconds ago."""
    kept = keep_upload(where.engine, where.store, Sight("local"), name, data, now=time.time() - age)
    mine = update(contents).where(contents.c.sha256 == kept.sha256)
    where.engine.write(lambda at: at.execute(mine.values(given=time.time() - age)))
    return kept


def found(engine: Engine, tenant: str, sha256: str, name: str | None = None) -> Upload | None:
    """Find an upload."""
    look = partial(find_upload, sight=Sight(tenant), sha256=sha256, name=name)
    return engine.read(look, empty=None)


def task_for(where: Host, *given: Upload) -> Task:
    """Return a task with uploads as the server attaches them."""
    paths = [local_upload(where.home, where.store, each.sha256, each.name) for each in given]
    return Task(request="go", attachments=tuple(Attachment(path=path) for path in paths))


def office(*, asks: bool = False) -> Team:
    """Return a team whose worker reads the attached tables."""

    def read(given: Any) -> dict[str, Any]:
        if asks:
            interrupt("may I?")
        return {"summary": " ".join(f"{t.path}: {t.path.read_text()}" for t in given.tables)}

    reader = StubAgent("reader", behave=read)
    takes: Any = Annotated[tuple[Attachment, ...], Attachment.of("*.csv")]
    reader.Input = create_model("reader_takes", __base__=AgentInput, tables=(takes, ()))
    return Team(name="office", description="…", members=(reader,), router=EachOnceRouter())


def pruned(where: Host, rule: PruneRule) -> PrunePlan:
    """Prune as the command does on a host; return what was planned."""
    work = partial(
        plan_prune, engine=where.engine, place=where.artifacts, rule=rule, now=time.time()
    )
    plan = where.engine.read(work, empty=PrunePlan())
    prune(where.engine, plan)
    return plan


def copies(where: Host) -> list[str]:
    """Return the copies of uploads in a home."""
    return sorted(str(path.relative_to(where.home)) for path in where.home.glob("uploads/*/*"))


@pytest.mark.small(databases=1)
def test_an_upload_is_kept_once(store: Store, tmp_path: Path) -> None:
    """As a row and a content, however often it is given."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        assert give(here) == give(here)
        assert rows(engine, uploads.c.name, uploads.c.bytes) == [(NAME, len(DATA))]
        assert rows(engine, contents.c.content) == [(DATA,)]


def test_only_its_tenant_finds_an_upload(store: Store, tmp_path: Path) -> None:
    """Another one's is none, whatever its name; a name that was not given is none either."""
    with store.opened() as engine:
        kept = give(host(engine, tmp_path / "a"))
        assert found(engine, "local", kept.sha256) == kept
        assert found(engine, "local", kept.sha256, NAME) == kept
        assert found(engine, "local", kept.sha256, "other.csv") is None
        assert found(engine, "others", kept.sha256) is None


def test_the_name_that_was_given_last_is_found(store: Store, tmp_path: Path) -> None:
    """One content may have several."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        give(here, name="old.csv", age=60)
        kept = give(here, name="new.csv")
        assert found(engine, "local", kept.sha256) == kept


@pytest.mark.parametrize(
    "name", ["a.csv", "환자 목록.csv", ".env", "e\u0301.txt", "가" * 85, "a..b", "Shot\u202f1.png"]
)
def test_a_plain_name_is_taken_as_it_is(name: str) -> None:
    """In whichever form its letters are composed."""
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        ("a ", "ends with a space"),
        (".", "but of a folder"),
        ("..", "but of a folder"),
        ("...", "but of a folder"),
        ("../a", "holds a path"),
        ("/etc/passwd", "holds a path"),
        ("a\\b", "holds a path"),
        ("a\0b", r"a control character \(U\+0000, character 2\)"),
        ("a\nb", "a control character"),
        ("a\u2028b", "a line break"),
        ("cod\u202egnp.exe", "turns the direction"),
        ("a\u2066b", "turns the direction"),
        ("a\u200bb", "an invisible character"),
        ("a\u00adb", "an invisible character"),
        ("a\u3164b", "an invisible character"),
        ("a\ufe0fb", "an invisible character"),
        ("a\U000e0041b", "an invisible character"),
        ("a\udcffb", "is no Unicode text"),
        ("가" * 85 + "b", "has 256 bytes"),
    ],
)
def test_a_name_that_leads_elsewhere_or_hides_is_refused(name: str, said: str) -> None:
    """It says what is wrong and where, and can itself be written anywhere."""
    with pytest.raises(UploadNameError, match=said) as raised:
        safe_name(name)
    assert str(raised.value).isascii()


def test_a_refused_name_leaves_nothing(store: Store, tmp_path: Path) -> None:
    """Neither a row nor a file."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        with pytest.raises(UploadNameError):
            give(here, name="../x")
        assert here.files() == []
        assert rows(engine, uploads.c.name) == []


def test_the_copy_of_an_upload_is_its_owners_alone(store: Store, tmp_path: Path) -> None:
    """0600 in folders of 0700, and found again by its path."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        kept = give(here)
        path = local_upload(here.home, here.store, kept.sha256, NAME)

        assert path == here.home / "uploads" / kept.sha256 / NAME
        assert path.read_bytes() == DATA
        modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, *path.parents[:2])]
        assert modes == [0o600, 0o700, 0o700]
        assert Attachment(path=path).upload_key == (kept.sha256, NAME)


@pytest.mark.parametrize("path", ["/data/a.csv", "/uploads/a.csv", f"/uploads/{'g' * 64}/a.csv"])
def test_another_path_is_no_upload(path: str) -> None:
    """Only a folder that a sha-256 names, below `uploads`."""
    assert Attachment(path=Path(path)).upload_key is None


@pytest.mark.parametrize("change", ["text", "link", "none"])
def test_a_copy_that_was_changed_is_made_anew(change: str, store: Store, tmp_path: Path) -> None:
    """A run gets what was given; a link that was planted there is not followed."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        kept = give(here)
        path = local_upload(here.home, here.store, kept.sha256, NAME)
        other = tmp_path / "other"
        other.write_bytes(DATA if change == "link" else b"")
        if change == "text":
            path.write_text("changed")
        if change == "link":
            path.unlink()
            path.symlink_to(other)

        assert local_upload(here.home, here.store, kept.sha256, NAME).read_bytes() == DATA
        assert not path.is_symlink()


def test_a_folder_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    """A file stands where the folder of copies should be; nothing half-made is left."""
    with opened_engine(tmp_path / "state.db") as engine:
        here = host(engine, tmp_path / "a")
        kept = give(here)
        (here.home / "uploads").write_text("in the way")
        with pytest.raises(StateError, match="cannot be written"):
            local_upload(here.home, here.store, kept.sha256, NAME)


def test_an_upload_that_is_gone_says_so(tmp_path: Path) -> None:
    """With its name, and what to do."""
    with opened_engine(tmp_path / "state.db") as engine:
        here = host(engine, tmp_path / "a")
        with pytest.raises(UploadGoneError, match=r"`x.csv`.*Upload it again"):
            local_upload(here.home, here.store, "0" * 64, "x.csv")


@pytest.mark.small(databases=1)
async def test_another_host_works_on_the_file(store: Store, tmp_path: Path) -> None:
    """A worker process whose home has never had it takes the run from the queue."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        team, ended = office(), list[Any]()
        await submit_team(team.assembled, task_for(first, give(first)), first.options())
        shutil.rmtree(first.home)
        process = WorkerProcess(
            lambda _: team.assembled, second.options(), on_end=lambda _, end: ended.append(end)
        )
        await process.work(until_empty=True)

        (run,) = ended
        assert isinstance(run, Run)
        assert run.status == "ok", run.answer
        assert f"{second.home}/uploads/" in run.answer
        assert DATA.decode().strip() in run.answer


@pytest.mark.small(databases=1)
async def test_a_run_that_waited_goes_on_with_the_file_of_this_home(
    store: Store, tmp_path: Path
) -> None:
    """Its kept state names the file in the home in which it began."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        team = office(asks=True)
        paused = await run_team(team.assembled, task_for(first, give(first)), first.options())
        yes = DecisionBatch({paused.interrupts[0].id: {"type": "respond", "value": "yes"}})
        run = await resume_team(team.assembled, paused.run_id, yes, second.options())

        assert run.status == "ok", run.answer
        assert f"{second.home}/uploads/" in run.answer
        assert [use.name for use in run.files] == [NAME]


@pytest.mark.small(databases=1)
async def test_a_file_stays_with_its_thread_on_another_host(store: Store, tmp_path: Path) -> None:
    """The next turn, asked elsewhere, works on it again."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        await run_team(office().assembled, task_for(first, give(first)), first.options())
        shutil.rmtree(first.home)
        run = await run_team(office().assembled, Task(request="and again"), second.options())

        assert f"{second.home}/uploads/" in run.answer


@pytest.mark.small(databases=1)
async def test_a_file_that_is_gone_is_said_and_left_out(store: Store, tmp_path: Path) -> None:
    """The run does what it can without it."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        task = task_for(here, give(here))
        shutil.rmtree(here.home)
        engine.write(lambda at: at.execute(contents.delete()))
        run = await run_team(office().assembled, task, here.options())

        assert run.status == "ok_degraded"
        assert ["is not kept any more" in entry.cause for entry in run.bypassed] == [True]


async def test_a_file_of_ones_own_in_such_a_folder_is_no_upload(tmp_path: Path) -> None:
    """It is read where it lies, although nobody has uploaded it."""
    own = tmp_path / "uploads" / ("a" * 64) / "own.csv"
    own.parent.mkdir(parents=True)
    own.write_bytes(DATA)
    with opened_engine(tmp_path / "state.db") as engine:
        here = host(engine, tmp_path / "a")
        task = Task(request="go", attachments=(Attachment(path=own),))
        run = await run_team(office().assembled, task, here.options())

    assert (run.status, str(own) in run.answer) == ("ok", True)


@pytest.mark.small(databases=1)
async def test_prune_leaves_the_upload_of_a_run(store: Store, tmp_path: Path) -> None:
    """However old it is: the run's row names it."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        await run_team(office().assembled, task_for(here, give(here, age=9 * DAY)), here.options())
        pruned(here, PruneRule(older_than_s=3600))

        assert len(copies(here)) == 1
        assert [name for (name,) in rows(engine, uploads.c.name)] == [NAME]


@pytest.mark.small(databases=1)
def test_prune_removes_an_upload_that_no_run_has_used_for_a_day(
    store: Store, tmp_path: Path
) -> None:
    """Its row, its content and its copy, whatever the limit of the runs is."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        old, new = give(here, age=2 * DAY), give(here, b"new", age=DAY / 2)
        for each in (old, new):
            age(here, local_upload(here.home, here.store, each.sha256, NAME), 2 * DAY)
            age(here, here.artifacts.folder / each.sha256, 2 * DAY)
        fill(engine, "r1", ended=time.time())
        plan = pruned(here, PruneRule(keep=9))

        assert {file.digest for file in plan.files} == {old.sha256}
        assert rows(engine, uploads.c.sha256) == rows(engine, contents.c.sha256) == [(new.sha256,)]
        assert copies(here) == [f"uploads/{new.sha256}/{NAME}"]
        assert rows(engine, runs.c.run_id) == [("r1",)]


def age(where: Host, path: Path, seconds: float) -> None:
    """Let a file be of an earlier time."""
    at = time.time() - seconds
    assert path.is_relative_to(where.home)
    os.utime(path, (at, at))


def test_prune_leaves_an_upload_that_is_given_again_meanwhile(store: Store, tmp_path: Path) -> None:
    """Between the plan and its deed; the content stays with its row."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        give(here, age=2 * DAY)
        now = time.time()
        work = partial(
            plan_prune, engine=engine, place=here.artifacts, rule=PruneRule(keep=9), now=now
        )
        plan = engine.read(work, empty=PrunePlan())
        kept = give(here)
        prune(engine, plan)

        assert found(engine, "local", kept.sha256) == kept
        assert here.store.read_bytes(kept.sha256) == DATA


@pytest.mark.small(databases=1)
async def test_an_upload_goes_with_the_last_run_that_used_it(store: Store, tmp_path: Path) -> None:
    """If it is older than a day."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        kept = give(here, age=2 * DAY)
        run = await run_team(office().assembled, task_for(here, kept), here.options())
        for path in (*here.home.glob("uploads/*/*"), here.artifacts.folder / kept.sha256):
            age(here, path, 2 * DAY)
        pruned(here, PruneRule(named_ids=(run.run_id,)))

        assert (copies(here), rows(engine, uploads.c.name)) == ([], [])
        assert rows(engine, contents.c.sha256) == []


@pytest.mark.small(databases=1)
async def test_forget_erases_the_uploads_that_only_the_thread_used(
    store: Store, tmp_path: Path
) -> None:
    """Row, content and copy; a file that another thread works on stays."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        mine, shared = give(here), give(here, b"id\n2\n", "shared.csv")
        await run_team(office().assembled, task_for(here, mine, shared), here.options())
        await run_team(office().assembled, task_for(here, shared), here.options("other"))
        work = partial(plan_forget, engine=engine, place=here.artifacts, thread_id="t")
        plan = engine.read(work, empty=None)
        assert plan is not None
        forget(engine, plan)

        assert copies(here) == [f"uploads/{shared.sha256}/shared.csv"]
        assert rows(engine, uploads.c.name) == [("shared.csv",)]
        assert rows(engine, contents.c.sha256) == [(shared.sha256,)]


@pytest.mark.parametrize("kind", ["text", "path", "model", "dataclass"])
def test_a_kept_state_names_the_copy_of_this_home(kind: str, minerva_home: Path) -> None:
    """However a worker keeps the path; what stands around it stays as it is."""
    digest = "a" * 64
    here = minerva_home / "uploads" / digest / NAME
    here.parent.mkdir(parents=True)
    here.touch()
    away = Path("/away") / "uploads" / digest / NAME
    forms: dict[str, Any] = {
        "text": str(away),
        "path": away,
        "model": Attachment(path=away),
        "dataclass": Send("reader", {"file": away}),
    }
    kept = {"file": forms[kind], 1: [str(away.parent / "other"), "uploads", None]}
    serde = StrictSerializer().with_msgpack_allowlist({Attachment})
    read = serde.loads_typed(serde.dumps_typed(kept))

    assert str(here.absolute()) in str(read["file"])
    assert read[1] == [str(away.parent / "other"), "uploads", None]
