"""The homes and databases that an earlier version left: how they were made, and how one is opened.

    git worktree add ../earlier b03255a && make -C ../earlier install
    ../earlier/.venv/bin/python tests/support/earlier_homes.py tests/integration

This writes `homes_of_b03255a.tar.gz`: the folder `sqlite` is a home with its state.db, `postgres`
one whose runs are in a database, which `state.sql` makes again in an empty one. `names.json` says
what each run is there for. Every run was asked with the commands that a person types, in processes
of its own, and one was killed by SIGKILL. The team is `earlier_office.py`.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import psycopg
from earlier_office import CUT
from ledger import rows
from postgres import Cluster, running_cluster

from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.schema import runs

if TYPE_CHECKING:
    from minerva_platform.contract.run_object import GivenDecision

HOMES: Final = "homes_of_b03255a.tar.gz"
OFFICE: Final = Path(__file__).with_name("earlier_office.py")
PLATFORM: Final = """\
teams: [./office.py:Office]
router: rules
rules: [{when: ., goals: [office]}]
"""
KEPT: Final[dict[str, tuple[str, "GivenDecision"]]] = {
    "kept-approval": ("pay Yun 600", "approve"),
    "kept-answer": ("seat the guests", {"type": "respond", "value": 3}),
    "kept-plain": ("confirm the order", {"type": "respond", "value": "yes"}),
    "kept-review": ("delete page-2", "approve"),
    "kept-middleware": ("mail offer-2", "approve"),
    "kept-effect": ("wire Baek 700", {"type": "respond", "message": "seen"}),
}
"""Requests of runs that asked, and what was decided about them. None of the runs went on."""
_URL: Final = "MINERVA_STORAGE_URL"
_numbers = count()


@dataclass(frozen=True, slots=True)
class Earlier:
    """A home as it was left, and what its runs are called."""

    home: Path
    runs: dict[str, str]


def configure(folder: Path) -> None:
    """Write `configs`, with the team beside platform.yaml."""
    folder.mkdir()
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    (folder / "office.py").write_bytes(OFFICE.read_bytes())


def restored(archive: Path, kind: str, home: Path) -> Earlier:
    """Unpack the home of a kind of database."""
    with tarfile.open(archive) as file:
        wanted = [each for each in file.getmembers() if each.name.startswith(f"{kind}/")]
        file.extractall(home.parent, members=wanted, filter="data")
    (home.parent / kind).rename(home)
    return Earlier(home, json.loads((home / "names.json").read_text(encoding="utf-8")))


@contextmanager
def restored_database(cluster: Cluster, script: Path) -> Generator[str]:
    """Make the database again that a script describes; give its URL."""
    name = f"earlier_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    url = cluster.url.replace("/postgres?", f"/{name}?")
    with psycopg.connect(url) as connection:
        connection.execute(script.read_bytes())
        # the leases of killed processes have ended long since, whatever the clock of this host says
        connection.execute("UPDATE threads SET lease_until = 1 WHERE holder IS NOT NULL")
    yield url
    close_engines()


class Making:
    """Makes a home by the commands that a person types."""

    def __init__(self, folder: Path, url: str | None) -> None:
        self.folder, self.home, self.runs = folder, folder / "home", dict[str, str]()
        self.home.mkdir(parents=True)
        configure(folder / "configs")
        self.environment = {**os.environ, "MINERVA_HOME": str(self.home), "NO_COLOR": "1"}
        self.environment |= {_URL: url} if url else {}
        self.place = _place(self.home, url)

    def type_in(self, *words: str, ends: int = 0, **variables: str) -> str:
        """Run a command, which has to end so; return what it prints."""
        done = subprocess.run(
            (Path(sys.executable).with_name("minerva"), *words),
            capture_output=True, text=True, check=False, cwd=self.folder,
            env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == ends, (words, done.returncode, done.stderr)
        return done.stdout

    def ask(self, name: str, request: str, *options: str, ends: int = 0) -> str:
        """Ask in the thread of that name, and keep the run's id under it."""
        told = self.type_in("ask", request, "--thread", name, "--json", *options, ends=ends)
        self.runs[name] = json.loads(told)["run_id"]
        return self.runs[name]

    def queue(self, name: str, request: str) -> str:
        """Put a request into the queue."""
        words = ("ask", request, "--thread", name, "--background")
        self.runs[name] = self.type_in(*words).strip()
        return self.runs[name]

    def kill(self, name: str, request: str) -> str:
        """Ask what is killed once its deed is done."""
        self.type_in("ask", request, "--thread", name, ends=-9, **{CUT: "1"})
        with opened_engine(self.place) as engine:
            ((self.runs[name],),) = [
                row[1:] for row in rows(engine, runs.c.thread_id, runs.c.run_id) if row[0] == name
            ]
        return self.runs[name]

    def decide(self, run_id: str, decision: "GivenDecision", *, wakes: bool = False) -> None:
        """Keep a decision, as a process does that ends before the run goes on."""
        (question,) = json.loads(self.type_in("waiting", "show", run_id, "--json"))["questions"]
        shown = {question["id"]: question["shown_sha256"]}
        with opened_engine(self.place) as engine:
            given = {question["id"]: decision}
            decide(engine, run_id, given, by="ann", shown=shown, wakes=wakes)

    def make(self) -> None:
        """Make all runs."""
        self.queue("asked-in-queue", "pay Seo 1")
        self.type_in("worker", "--until-empty")
        self.ask("approval", "pay Kim 100", ends=4)
        self.ask("edit", "pay Lee 200", "--team", "office", ends=4)
        self.ask("answer", "seat the guests", ends=4)
        self.ask("plain", "confirm the offer", ends=4)
        self.ask("review", "delete page-1", ends=4)
        self.ask("middleware", "mail offer-1", ends=4)
        self.ask("cancelled", "pay Mallory 999", ends=4)
        self.type_in("runs", "cancel", self.runs["cancelled"])
        self.ask("over", "wire Han 300")
        self.ask("over", "speak of Han")
        self.type_in("resume", self.kill("effect", "wire Jung 400"), ends=4)
        self.kill("cut-off", "wire Choi 500")
        for name, (request, decision) in KEPT.items():
            if name == "kept-effect":
                self.type_in("resume", self.kill(name, request), ends=4)
            else:
                self.ask(name, request, ends=4)
            self.decide(self.runs[name], decision)
        self.ask("kept-begun", "pay Kang 800", ends=4)
        self.type_in("approve", self.runs["kept-begun"], ends=-9, **{CUT: "1"})
        self.queue("kept-in-queue", "pay Bae 900")
        self.type_in("worker", "--until-empty")
        self.decide(self.runs["kept-in-queue"], "approve", wakes=True)
        self.ask("background-member", "pack box-1")
        self.queue("queued", "speak of the queue")
        self.queue("queued-question", "pay Noh 1000")
        names = json.dumps(self.runs, indent=1)
        (self.home / "names.json").write_text(names, encoding="utf-8")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of the home, without locks."""
        for path in sorted(self.home.rglob("*")):
            if path.is_file() and path.suffix != ".lock":
                yield str(path.relative_to(self.home)), path.read_bytes()


def _place(home: Path, url: str | None) -> Any:
    if url is None:
        return home / "state.db"
    os.environ[_URL] = url
    try:
        return find_place(home)
    finally:
        del os.environ[_URL]


def dumped(cluster: Cluster) -> bytes:
    """Return the database as statements that any version of PostgreSQL takes from any client."""
    options = ("--inserts", "--no-owner", "--no-privileges", "--no-comments", "-U", "postgres")
    command = (cluster.programs / "bin" / "pg_dump", *options, "-h", cluster.folder, "postgres")
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    own = ("\\", "SET ", "--", "SELECT pg_catalog.set_config(")  # psql's, and those of its version
    return "".join(
        f"{line}\n" for line in text.splitlines() if line and not line.startswith(own)
    ).encode()


def main() -> None:
    """Make both homes, and pack them into the folder that is named."""
    target = Path(sys.argv[1]) / HOMES
    with TemporaryDirectory() as name, tarfile.open(target, "w:gz", compresslevel=9) as archive:
        for kind in ("sqlite", "postgres"):
            for path, content in _made(Path(name) / kind, kind):
                entry = tarfile.TarInfo(f"{kind}/{path}")
                entry.size, entry.mode = len(content), 0o600
                archive.addfile(entry, io.BytesIO(content))
    print(target.stat().st_size, "bytes")  # noqa: T201  # what the program says


def _made(folder: Path, kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a home of that kind."""
    if kind == "sqlite":
        making = Making(folder, None)
        making.make()
        close_engines()
        yield from making.files()
        return
    with running_cluster() as cluster:
        making = Making(folder, cluster.url)
        making.make()
        close_engines()
        yield from making.files()
        yield "state.sql", dumped(cluster)


if __name__ == "__main__":
    main()
