"""Words planted wherever a run keeps words, and a search of all that a store is made of."""

import base64
import binascii
import json
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.types import interrupt
from sqlalchemy import Connection, inspect, text

from minerva_observability import build_recorder
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Handoff,
    Task,
    Team,
    effect,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.storage.files.uploads import keep_upload
from minerva_platform.storage.ledger.schema import LOCAL, runs
from minerva_platform.storage.server.tenant_rows import Sight, ThreadRow, add_metadata, add_thread
from minerva_platform.testing import EachOnceRouter

KINDS = (
    "request",
    "attachment",
    "attached-name",
    "memo",
    "large-memo",
    "state",
    "artifact",
    "artifact-name",
    "question",
    "decision",
    "argument",
    "outcome",
    "answer",
    "error",
    "background",
    "upload",
    "upload-name",
    "thread-name",
    "run-name",
    "event",
)
"""Where words are planted."""


def word(kind: str) -> str:
    """Return the word of a kind: no other text holds it."""
    return f"quartz{KINDS.index(kind):02}zebra"


class Memo(Handoff):
    """What the reader gives the asker."""

    kind = "canary.memo"
    text: str


class _Taken(AgentInput):
    notes: Annotated[tuple[Attachment, ...], Attachment.of("*.txt")] = ()


class _Read(AgentOutput):
    memo: Memo


class Reader(BaseAgent[_Taken, _Read]):
    """Reads the attached files, and writes a file."""

    name, description = "reader", "Reads."

    def work(self, given: _Taken) -> _Read:
        """Read them."""
        read = [note.path.read_text(encoding="utf-8") for note in given.notes]
        large = word("large-memo") + " and so on" * 10_000
        memo = Memo(text=f"{word('memo')} {large}")
        file = Artifact(name=f"{word('artifact-name')}.md", content=word("artifact"))
        return _Read(summary=f"read {read} {word('event')}", memo=memo, artifacts=(file,))


class _Asked(AgentInput):
    memo: Memo


class _State(TypedDict, total=False):
    memo: Memo
    kept: str
    summary: str


@effect("once")
def pay(to: str) -> str:
    """Pay."""
    assert to == word("argument")
    return f"paid {word('outcome')}"


class Asker(BaseAgent[_Asked, AgentOutput]):
    """Asks a person, and acts then."""

    name, description = "asker", "Asks."

    def build_graph(self) -> Any:
        """Return a graph of three steps."""
        from langgraph.graph import StateGraph  # noqa: PLC0415  # the program's first import

        steps: list[Any] = [("prepare", self.prepare), ("ask", self.ask)]
        return StateGraph(_State).add_sequence(steps).set_entry_point("prepare")

    def prepare(self, _: _State) -> _State:
        """Keep something in the state."""
        return {"kept": word("state")}

    def ask(self, state: _State) -> _State:
        """Ask, and act."""
        assert state.get("kept") == word("state")
        said = interrupt(f"May I {word('question')}?")
        return {"summary": f"{word('answer')} {said} {pay(word('argument'))}"}


class Breaker(BaseAgent[AgentInput, AgentOutput]):
    """Fails."""

    name, description = "breaker", "Breaks."

    def work(self, given: AgentInput) -> AgentOutput:
        """Fail with words."""
        message = f"broken: {word('error')} {given.request}"
        raise ValueError(message)


def office() -> Team:
    """Return the team of the three."""
    members = (Reader(), Asker(), Breaker())
    return Team(name="office", description="…", members=members, router=EachOnceRouter())


def plant(engine: Engine, home: Path) -> None:
    """Do all that keeps words: asked, answered, in the background, uploaded."""
    note = home.parent / f"{word('attached-name')}.txt"
    note.write_text(word("attachment"), encoding="utf-8")
    store = ArtifactStore(home / "artifacts")
    given = partial(keep_upload, engine, store, Sight(LOCAL), f"{word('upload-name')}.txt")
    upload = given(word("upload").encode(), now=time.time())
    recorder = build_recorder(home)
    options = RunOptions(recorder=recorder, home=home, engine=engine)
    run_sync(_run_all, options, note, upload.path_in(home))
    recorder.close()
    engine.write(partial(_name, engine=engine))


async def _run_all(options: RunOptions, note: Path, upload: Path) -> None:
    team = office().assembled
    asked = Task(request=f"look: {word('request')}", attachments=(Attachment(path=note),))
    run = await run_team(team, asked, replace(options, thread_id="talk"))
    [question] = run.interrupts
    batch = DecisionBatch({question.id: {"type": "respond", "message": word("decision")}})
    done = await resume_team(team, run.run_id, batch, options)
    assert done.status == "ok_degraded", done
    again = Task(request=f"later: {word('background')}", attachments=(Attachment(path=upload),))
    await submit_team(team, again, replace(options, thread_id="later"))
    await WorkerProcess(lambda _: team, options).work(until_empty=True)


def _name(connection: Connection, engine: Engine) -> None:
    row = ThreadRow("named", "office", 1.0, 1.0, "idle", {"name": word("thread-name")})
    add_thread(connection, engine, row, LOCAL)
    add_metadata(connection, "talk", Sight(LOCAL), {"name": word("thread-name")})
    its = runs.update().where(runs.c.thread_id == "later")
    connection.execute(its.values(metadata=json.dumps({"name": word("run-name")})))


def seen_kinds(engine: Engine, *folders: Path) -> set[str]:
    """Return the kinds whose words can be read in a database or in files, packed ones too."""
    data = b"\n".join([*_values(engine), *_files(*folders)])
    return {kind for kind in KINDS if word(kind).encode() in data}


def _values(engine: Engine) -> Iterator[bytes]:
    """Yield each value of each table, as it is and in every form that the store knows."""

    def look(connection: Connection) -> list[bytes]:
        found: list[bytes] = []
        for table in inspect(connection).get_table_names():
            for row in connection.execute(text(f'SELECT * FROM "{table}"')):  # noqa: S608  # names
                for value in row:
                    found += _forms(value)
        return found

    return iter(engine.read(look, empty=list[bytes]()))


def _forms(value: object) -> Iterator[bytes]:
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    yield data
    for start in (0, 1):
        with suppress(zlib.error):
            yield zlib.decompress(data[start:])
        with suppress(binascii.Error):
            yield base64.b64decode(data[start:], validate=True)


def _files(*folders: Path) -> Iterator[bytes]:
    """Yield names and bytes of all files: logs of the database, and copies, too."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            yield str(path.relative_to(folder)).encode()
            if path.is_file():
                yield path.read_bytes()
