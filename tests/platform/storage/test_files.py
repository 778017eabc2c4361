"""Artifacts in the database or in a shared folder: what one host has made, another one reads."""

import hashlib
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from filled import DAY, SETTLED, fill
from hosts import Host, host
from langgraph.types import interrupt
from ledger import Store, rows
from sqlalchemy import text, update

from minerva_platform import Artifact, Handoff, Platform, Run, RunError, Task, Team
from minerva_platform.cli.ask.delivery import check_folder, deliver
from minerva_platform.config.settings import Settings, find_settings
from minerva_platform.contract.bounds import MAX_INLINE
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.contract.values import Content
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import SettingsError, StateError
from minerva_platform.langgraph import as_graph
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactStore, find_artifacts
from minerva_platform.storage.ledger.schema import contents, runs
from minerva_platform.storage.maintenance.backup import back_up, dump_command
from minerva_platform.storage.maintenance.examination.artifacts import examine_artifacts
from minerva_platform.storage.maintenance.examination.finding import Finding
from minerva_platform.storage.maintenance.forget import forget, plan_forget
from minerva_platform.storage.maintenance.prune import PrunePlan, PruneRule, plan_prune, prune
from minerva_platform.storage.maintenance.repair import mend
from minerva_platform.testing import EachOnceRouter, StubAgent

LARGE = "x" * (MAX_INLINE + 1)
REPORT = "# a report"
ASKED = "ask reporter for its part number 1"


class Parts(Handoff):
    """A list of parts that is too large for graph state."""

    kind: ClassVar[str] = "office.parts"
    text: str


def office(*, asks: bool = True) -> Team:
    """Return a team that makes parts and a report, and whose reader of parts asks a person."""

    def read(given: Any) -> dict[str, Any]:
        heard = interrupt("may I?") if asks else "nothing"
        return {"summary": f"{len(given.office_parts.text)} characters, {heard}"}

    def report(_: Any) -> dict[str, Any]:
        return {"summary": "made", "artifacts": [Artifact(name="r.md", content=REPORT)]}

    maker = StubAgent("maker", gives=[Parts(text=LARGE)])
    reader = StubAgent("reader", needs=[Parts], behave=read)
    members = (maker, StubAgent("reporter", behave=report), reader)
    return Team(name="office", description="…", members=members, router=EachOnceRouter())


def yes(run: Run) -> DecisionBatch:
    """Return the answer to the run's question."""
    return DecisionBatch({run.interrupts[0].id: {"type": "respond", "value": "yes"}})


def texts(run: Run) -> list[str]:
    """Return what lies at the paths of the run's artifacts."""
    return [Path(artifact.path).read_text() for artifact in run.artifacts]


def keep(where: Host, words: str, *, at: float | None = None) -> str:
    """Keep a text as a run does, at a time in seconds since 1970; return its sha-256."""
    digest = where.store.write(Content.of(words))
    where.store.save([digest])
    if at is not None:
        os.utime(where.artifacts.folder / digest, (at, at))
        mine = update(contents).where(contents.c.sha256 == digest)
        where.engine.write(lambda connection: connection.execute(mine.values(given=at)))
    return digest


def lose(where: Host) -> None:
    """Let a host lose its home."""
    shutil.rmtree(where.home)


def pruned(where: Host, rule: PruneRule) -> PrunePlan:
    """Prune as the command does on a host; return what was planned."""
    now = time.time()
    work = partial(plan_prune, engine=where.engine, place=where.artifacts, rule=rule, now=now)
    plan = where.engine.read(work, empty=PrunePlan())
    prune(where.engine, plan)
    return plan


def findings(where: Host) -> list[str]:
    """Return what the doctor says of the artifacts, seen from a host."""
    look = partial(examine_artifacts, place=where.artifacts, now=time.time())
    return [finding.code for finding in where.engine.read(look, empty=list[Finding]())]


@pytest.mark.small(databases=1)
async def test_a_run_goes_on_where_its_files_have_never_been(store: Store, tmp_path: Path) -> None:
    """The hand-off that the reader needs and the report of before come from the database."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        paused = await run_team(office().assembled, Task(request="go"), first.options())
        assert paused.status == "needs_human"
        lose(first)
        run = await resume_team(office().assembled, paused.run_id, yes(paused), second.options())

        assert (run.status, f"{len(LARGE)} characters, yes" in run.answer) == ("ok", True)
        assert texts(run) == [REPORT]
        assert {Path(each.path).parent for each in run.artifacts} == {second.artifacts.folder}


@pytest.mark.small(databases=1)
async def test_hosts_that_share_a_folder_read_each_others_files(
    store: Store, tmp_path: Path
) -> None:
    """Nothing of them lies in the homes or in the database."""
    (tmp_path / "shared").mkdir()
    with store.opened() as engine:
        first = host(engine, tmp_path / "a", str(tmp_path / "shared"))
        second = host(engine, tmp_path / "b", "../shared")
        paused = await run_team(office().assembled, Task(request="go"), first.options())
        lose(first)
        run = await resume_team(office().assembled, paused.run_id, yes(paused), second.options())

        assert (run.status, texts(run)) == ("ok", [REPORT])
        assert not (second.home / "artifacts").exists()
        assert rows(engine, contents.c.sha256) == []


@pytest.mark.small(databases=1)
async def test_a_run_whose_contents_cannot_be_kept_names_none(store: Store, tmp_path: Path) -> None:
    """It stops and can go on; no row of it holds the address of what is not there."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        engine.write(lambda at: at.execute(text("ALTER TABLE contents RENAME TO away")))
        run = await run_team(office(asks=False).assembled, Task(request="go"), here.options())
        assert (run.status, run.artifacts) == ("failed", ())
        assert [status for (status,) in rows(engine, runs.c.status)] == ["queued"]
        digest = Content.of(REPORT).sha256
        assert digest not in str(rows(engine, runs.c.run, runs.c.understood))

        engine.write(lambda at: at.execute(text("ALTER TABLE away RENAME TO contents")))
        again = await resume_team(
            office(asks=False).assembled, run.run_id, DecisionBatch({}), here.options()
        )
        assert again.status == "ok"
        assert (digest,) in rows(engine, contents.c.sha256)


def test_what_one_host_keeps_another_reads(store: Store, tmp_path: Path) -> None:
    """To the byte; a copy of it stays in the reader's folder."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        data = bytes(range(256)) * 40
        digest = first.store.write(Content.of_bytes(data))
        first.store.save([digest])

        assert second.files() == []
        assert second.store.read_bytes(digest) == data
        assert second.files() == [digest]


def test_the_same_content_is_one_row_and_is_given_anew(store: Store, tmp_path: Path) -> None:
    """So that prune sees on every host that somebody has just given it."""
    with store.opened() as engine:
        here, there = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        keep(here, "same", at=SETTLED)
        keep(there, "same")

        ((given,),) = rows(engine, contents.c.given)
        assert given > SETTLED


def test_a_copy_that_was_changed_is_made_anew(store: Store, tmp_path: Path) -> None:
    """The database has what its address says."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        digest = keep(here, "right")
        (here.artifacts.folder / digest).write_text("wrong")

        assert here.store.read_text(digest) == "right"
        assert (here.artifacts.folder / digest).read_text() == "right"


def test_a_row_that_was_changed_is_refused(store: Store, tmp_path: Path) -> None:
    """And nothing of it reaches the folder."""
    with store.opened() as engine:
        first, second = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        digest = keep(first, "right")
        engine.write(lambda at: at.execute(update(contents).values(content=b"wrong")))

        with pytest.raises(StateError, match="holds another content"):
            second.store.read_text(digest)
        assert second.files() == []


def test_what_is_nowhere_is_said_with_the_folder(store: Store, tmp_path: Path) -> None:
    """As it is without a database."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        with pytest.raises(RunError, match="is not in"):
            here.store.read_text("0" * 64)


@pytest.mark.slow
def test_a_database_that_cannot_be_reached_is_a_typed_error(tmp_path: Path) -> None:
    """For who keeps a content, and for who reads one."""
    place = PostgresPlace("postgresql://nobody@127.0.0.1:1/none")
    with opened_engine(place) as engine:
        here = host(engine, tmp_path / "a")
        digest = here.store.write(Content.of("x"))
        with pytest.raises(StateError):
            here.store.save([digest])
        with pytest.raises(StateError):
            here.store.read_text("0" * 64)


@pytest.mark.parametrize(
    ("files", "said"),
    [("nowhere", "is no folder here. Mount it, or make it"), ("a-file", "is no folder here")],
)
def test_a_folder_that_is_not_there_is_refused(files: str, said: str, tmp_path: Path) -> None:
    """It is not made: it may be another host's, and not mounted."""
    (tmp_path / "a-file").touch()
    with pytest.raises(SettingsError, match=said):
        find_artifacts(tmp_path, files)
    assert not (tmp_path / "nowhere").exists()


def configured(folder: Path, words: str) -> Settings:
    """Return the settings of a platform.yaml with these words."""
    folder.mkdir()
    (folder / "platform.yaml").write_text(words, encoding="utf-8")
    return find_settings(folder)


def test_the_database_keeps_files_only_if_it_keeps_runs(tmp_path: Path) -> None:
    """With `keep_state: false` there is none."""
    settings = configured(tmp_path / "c", "keep_state: false\nstorage:\n  files: database\n")
    with pytest.raises(SettingsError, match="needs `keep_state: true`"):
        _ = settings.platform


async def test_the_configuration_says_where_a_platforms_files_lie(
    minerva_home: Path, tmp_path: Path
) -> None:
    """`find` on another host then names files that are there."""
    settings = configured(tmp_path / "c", "storage:\n  files: database\n")
    with Platform(settings=settings, teams=[office(asks=False)]) as platform:
        run = await platform.aask(ASKED)
        shutil.rmtree(minerva_home / "artifacts")
        found = platform.find(run.run_id)

    assert texts(found) == [REPORT]


def test_a_platform_in_anothers_graph_keeps_its_files_in_the_database(
    minerva_home: Path, tmp_path: Path
) -> None:
    """The graph around it keeps the run; the contents are for every host all the same."""
    settings = configured(tmp_path / "c", "storage:\n  files: database\n")
    with Platform(settings=settings, teams=[office(asks=False)]) as platform:
        answer = as_graph(platform).invoke({"request": ASKED})
    with opened_engine(minerva_home / "state.db") as engine:
        assert [(answer["artifacts"][0]["sha256"],)] == [
            row for row in rows(engine, contents.c.sha256) if row == (Content.of(REPORT).sha256,)
        ]
        assert rows(engine, runs.c.run_id) == []


def test_out_takes_an_artifact_that_another_host_made(minerva_home: Path, tmp_path: Path) -> None:
    """By its address, because the path of the run leads nowhere here."""
    settings = configured(tmp_path / "c", "storage:\n  files: database\n")
    with Platform(settings=settings, teams=[office(asks=False)]) as platform:
        run = platform.ask(ASKED)
    shutil.rmtree(minerva_home / "artifacts")
    out = check_folder(tmp_path / "out")
    deliver(run, out, config=settings.folder)

    assert (out / "r.md").read_text() == REPORT


@pytest.mark.small(databases=1)
def test_prune_removes_contents_that_no_run_uses(store: Store, tmp_path: Path) -> None:
    """From the database and the folder, and counts each as one file; the used one stays."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        mine, shared = keep(here, "mine", at=SETTLED), keep(here, "shared", at=SETTLED)
        fill(engine, "old", ended=time.time() - 9 * DAY, artifacts=[mine, shared])
        fill(engine, "new", ended=time.time(), artifacts=[shared])
        plan = pruned(here, PruneRule(older_than_s=7 * DAY))

        assert [file.digest for file in plan.files] == [mine]
        assert rows(engine, contents.c.sha256) == [(shared,)]
        assert here.files() == [shared]


@pytest.mark.small(databases=1)
def test_prune_leaves_a_content_that_another_host_has_just_given(
    store: Store, tmp_path: Path
) -> None:
    """Its rows may not be written yet, though the copy here is old."""
    with store.opened() as engine:
        here, there = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        digest = keep(here, "text", at=SETTLED)
        keep(there, "text")
        plan = pruned(here, PruneRule(older_than_s=0))

        assert plan.files == ()
        assert rows(engine, contents.c.sha256) == [(digest,)]


@pytest.mark.small(databases=1)
def test_prune_leaves_what_is_given_between_the_plan_and_its_deed(
    store: Store, tmp_path: Path
) -> None:
    """The row is newer than the plan has seen it."""
    with store.opened() as engine:
        here, there = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        digest = keep(here, "text", at=SETTLED)
        rule, now = PruneRule(older_than_s=0), time.time()
        work = partial(plan_prune, engine=engine, place=here.artifacts, rule=rule, now=now)
        plan = engine.read(work, empty=PrunePlan())
        keep(there, "text")
        prune(engine, plan)

        assert rows(engine, contents.c.sha256) == [(digest,)]
        assert there.store.read_text(digest) == "text"


@pytest.mark.small(databases=1)
def test_forget_erases_contents_that_only_the_thread_used(store: Store, tmp_path: Path) -> None:
    """Those of the database, though this host never had them in its folder."""
    with store.opened() as engine:
        here, there = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        mine, shared = keep(there, "mine"), keep(there, "shared")
        fill(engine, "r1", artifacts=[mine, shared])
        fill(engine, "r2", thread="other", artifacts=[shared])
        work = partial(plan_forget, engine=engine, place=here.artifacts, thread_id="t")
        plan = engine.read(work, empty=None)
        assert plan is not None
        done = forget(engine, plan)

        assert done.files == 1
        assert rows(engine, contents.c.sha256) == [(shared,)]


@pytest.mark.small(databases=1)
def test_the_doctor_looks_into_the_database(store: Store, tmp_path: Path) -> None:
    """What is there is not missing; what is nowhere is, and a changed row is named."""
    with store.opened() as engine:
        here, there = host(engine, tmp_path / "a"), host(engine, tmp_path / "b")
        digest = keep(there, "text", at=SETTLED)
        fill(engine, "r1", artifacts=[digest])
        assert findings(here) == []
        fill(engine, "r2", artifacts=["0" * 64])
        assert findings(here) == ["artifact_missing"]
        engine.write(lambda at: at.execute(update(contents).values(content=b"wrong")))
        assert findings(here) == ["artifact_missing", "content_changed"]
        keep(there, "nobody's", at=SETTLED)
        assert findings(here) == ["artifact_missing", "content_changed", "artifacts_unused"]


def test_mending_removes_a_row_that_was_changed(store: Store, tmp_path: Path) -> None:
    """Whoever gives the content again keeps it whole."""
    with store.opened() as engine:
        here = host(engine, tmp_path / "a")
        keep(here, "text")
        engine.write(lambda at: at.execute(update(contents).values(content=b"wrong")))

        assert [each.deed for each in mend(engine)] == ["row_removed"]
        keep(here, "text")
        assert rows(engine, contents.c.content) == [(b"text",)]


def test_a_backup_has_contents_of_database_and_shared_folder(tmp_path: Path) -> None:
    """The first in its state.db, the second as the files of a home."""
    shared = tmp_path / "shared"
    shared.mkdir()
    with opened_engine(tmp_path / "state.db") as engine:
        digest = keep(host(engine, tmp_path / "a"), "in the database")
        in_folder = ArtifactStore(shared).write(Content.of("in the folder"))
        done = back_up(
            tmp_path / "state.db", find_artifacts(tmp_path, str(shared)), tmp_path / "b.tar"
        )
    with tarfile.open(done.file) as archive:
        archive.extractall(tmp_path / "restored", filter="data")
    home = tmp_path / "restored"

    assert (home / "artifacts" / in_folder).read_text() == "in the folder"
    with opened_engine(home / "state.db") as engine:
        restored = find_artifacts(home, "database").store(engine)
        assert restored.read_text(digest) == "in the database"


def test_the_copy_of_a_postgres_store_takes_the_shared_folder(tmp_path: Path) -> None:
    """And the table of contents beside the others."""
    (tmp_path / "shared folder").mkdir()
    artifacts = find_artifacts(tmp_path, "shared folder")
    with opened_engine(tmp_path / "state.db") as engine:
        place = PostgresPlace("postgresql://me@host/db")
        told = dump_command(engine, place, artifacts, tmp_path / "store.dump")

    assert f"-C {tmp_path} 'shared folder'" in told
    assert '"public"."contents"' in told


def test_the_commands_work_on_a_shared_folder(
    type_in: Callable[..., Any], minerva_home: Path, tmp_path: Path
) -> None:
    """The doctor finds the artifact there, and the backup's command puts it back there."""
    shared = tmp_path / "shared"
    shared.mkdir()
    configured(tmp_path / "configs", f"storage:\n  files: {shared}\n")
    digest = ArtifactStore(shared).write(Content.of("text"))
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1", artifacts=[digest])
    examined = json.loads(type_in("doctor", "--json").stdout)
    assert examined["examined"]["artifacts"] == 1
    told = json.loads(type_in("backup", "store.tar", "--json").stdout)
    assert told["artifacts"] == 1
    assert f"cp -R {tmp_path}/restored/artifacts/. {shared}" in told["restore"]

    shutil.rmtree(shared)
    refused = type_in("prune", "--keep", "0")
    assert (refused.returncode, "is no folder here" in refused.stderr) == (2, True)


def test_the_digest_of_a_content_is_its_sha256() -> None:
    """Of bytes and of texts."""
    data = "파일".encode()
    assert Content.of_bytes(data) == Content.of("파일")
    assert Content.of_bytes(data).sha256 == hashlib.sha256(data).hexdigest()
