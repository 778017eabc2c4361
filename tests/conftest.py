"""What every test gets: a home of its own and none of the machine's settings.

The network beyond loopback is shut by `--allow-hosts` in pyproject.toml, and warnings are errors
by `filterwarnings` there; `test_sandbox.py` shows that all of it holds.
"""

import gc
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bytecode
import copies
import pytest
import sqlalchemy
import typer.main
import typer.testing
from forms import IS_WHOLE, divided
from hypothesis import settings
from quick import quick_from
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # no py.typed

if TYPE_CHECKING:
    from ledger import Store
    from postgres import Cluster
    from sqlalchemy import Engine

# langgraph reads it once, and test modules import langgraph before they import the platform
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

# who starts the tests in the background of a script has SIGINT ignored, in what they start, too
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# a worker of pytest holds half a million objects for good: searching through them for garbage, as
# often as Python would, was a fifth of the CPU of the tests
gc.set_threshold(50_000, 20, 20)
gc.disable()  # until everything is imported: a twelfth of the CPU of collecting

# the same examples for everybody (`--hypothesis-profile=default` draws new ones), and no deadline
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

_SETTINGS = ("LANGCHAIN_", "LANGSMITH_", "MINERVA_", "OPENAI_", "OTEL_")
"""Variables that would send a test's records, or its questions, somewhere else."""


_APART = re.compile(
    r"```.*?```|`[^`\n]*`|[\"“‘][^\"”’\n]*[\"”’]|\S+[./_\\]\S+|https?://\S+", re.DOTALL
)
"""What is no sentence of a text: code, quotes, file names and addresses."""
_ENGLISH = re.compile(r"(?:\b[A-Za-z][A-Za-z'-]*\b[ ,;:()*]*){4,}")


@pytest.fixture(scope="session")
def english_in() -> Callable[[str], list[str]]:
    """Return what finds the runs of four or more English words in a text."""

    def find(text: str) -> list[str]:
        return [found.strip() for found in _ENGLISH.findall(_APART.sub(" · ", text))]

    return find


_CHAOS = Path(__file__).parent / "chaos"
_TOGETHER = ("tests/observability/dashboard/",)
"""Folders whose tests share what is dear: a browser, and the server of its pages."""


class _FoldersTogether(LoadFileScheduling):  # type: ignore[misc]  # untyped, see above
    """Gives a file to one worker, and a folder of `_TOGETHER` too."""

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of what stays together."""
        folders = [folder for folder in _TOGETHER if nodeid.startswith(folder)]
        return folders[0] if folders else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Deal out the tests of `--dist loadfile`, which is what `make test` says, in their order.

    By their number, the last would be files of one long test, beside which others have nothing.
    """
    config.option.loadscopereorder = False
    return _FoldersTogether(config, log) if config.getvalue("dist") == "loadfile" else None


class _FailuresAtOnce:
    """Names a test beside its F or E when it fails; the cause follows at the end, as always."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the name and go on in the next line."""
        if report.failed:
            self._terminal.write_line(f" {report.nodeid}", red=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the option of `make quick`."""
    parser.addoption(
        "--quick", action="store_true", help="leave out what tests/support/quick.py says"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Name failures at once where a dot a test is shown: not with -v, not in xdist's workers."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and config.get_verbosity() <= 0 and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_FailuresAtOnce(terminal))
    quick = quick_from(config)
    if quick is not None:
        config.pluginmanager.register(quick)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Rewrite each test in one worker, before all of them collect it."""
    bytecode.write_share(session.config, Path(__file__).parent)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave tests/chaos to those who name it."""
    if IS_WHOLE or collection_path != _CHAOS:
        return None
    named = (config.invocation_params.dir / argument for argument in config.args)
    return None if any(path.is_relative_to(_CHAOS) for path in named) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave whole forms to `make chaos`, to which all tests of tests/chaos belong as well."""
    items[:], left = divided(items)
    config.hook.pytest_deselected(items=left)
    for item in items:
        if item.path.is_relative_to(_CHAOS):
            item.add_marker("whole")


def pytest_collection_finish() -> None:
    """Take what was imported for collection out of every later search for garbage.

    The garbage among it stays: to search for it is most of a second for each worker.
    """
    gc.freeze()
    gc.enable()


def _compiling_once(create_engine: Callable[..., "Engine"]) -> Callable[..., "Engine"]:
    """Return what makes engines, those of SQLite with one dialect and one store of statements."""
    made: list[Engine] = []

    def create(*given: Any, **options: Any) -> "Engine":
        engine = create_engine(*given, **options)
        if engine.name == "sqlite":
            made[1:] = [engine]
            engine.dialect = engine.pool._dialect = made[0].dialect  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no public way
            engine._compiled_cache = made[0]._compiled_cache  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # no public way
        return engine

    return create


@pytest.fixture(autouse=True, scope="session")
def _shared_environment(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Let all tests, those of other workers too, and their commands share what routers learn.

    What was learned is found by its content and written whole, so that nobody waits for anybody.
    Nothing here speaks TLS: no model of a test reads the machine's certificates three times.
    Typer reads the signatures of 83 functions each time it makes a command line; once will do.
    SQLAlchemy makes SQL of the same statements for each database: a twentieth of a run's CPU.
    insilico starts a process for each tree that it reads; a copy does the same.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        made = cache(typer.main.get_command)
        patch.setattr(typer.main, "get_command", made)
        patch.setattr(typer.testing, "_get_command", made)
        patch.setattr(subprocess, "Popen", copies.Started)
        patch.setattr(sqlalchemy, "create_engine", _compiling_once(sqlalchemy.create_engine))
        yield


_NUMBERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the test an empty folder, as pytest does.

    pytest's own finds its number among the names of all folders, for thousands of tests.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return tmp_path_factory.mktemp(f"{name}{next(_NUMBERS)}", numbered=False)


@pytest.fixture(autouse=True)
def minerva_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty `MINERVA_HOME`, inherited by the commands it starts."""
    for name in [name for name in os.environ if name.startswith(_SETTINGS)]:
        monkeypatch.delenv(name)
    home = tmp_path / ".minerva"
    monkeypatch.setenv("MINERVA_HOME", str(home))
    return home


@pytest.fixture
def type_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return what calls `minerva` in this process, standing in an empty folder.

    It gives what a process of its own would: a status, and what is on which stream.
    """
    from typer.testing import CliRunner  # noqa: PLC0415  # few tests need it

    from minerva_platform.cli.main import app  # noqa: PLC0415  # see above

    def run(*arguments: str | Path, said: str = "") -> "subprocess.CompletedProcess[str]":
        monkeypatch.chdir(tmp_path)
        words = [str(argument) for argument in arguments]
        done = CliRunner().invoke(app, words, input=said, prog_name="minerva")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def postgres_server() -> Generator["Cluster"]:
    """Give a PostgreSQL server; each test takes a schema of its own in it."""
    from postgres import running_cluster  # noqa: PLC0415  # few tests need it

    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, minerva_home: Path) -> Generator["Store"]:
    """Give an empty database of each kind."""
    from ledger import postgres_store, sqlite_store  # noqa: PLC0415  # few tests need it

    minerva_home.mkdir()
    if request.param == "sqlite":
        with sqlite_store(minerva_home) as made:
            yield made
    else:
        with postgres_store(request.getfixturevalue("postgres_server")) as made:
            yield made


@pytest.fixture(scope="session")
def program() -> Callable[[str], Path]:
    """Return where a program of the machine is; the test skips, or fails where it must be there."""
    packages = {"chromium": "chromium", "prometheus": "prometheus", "promtool": "prometheus"}

    def find(name: str) -> Path:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
        reason = f"{name} is not installed; type: apt-get install {packages[name]}"
        if os.environ.get("MINERVA_TEST_PROGRAMS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)

    return find
