"""Programs in copies of one process that has imported everything: a twentieth of the CPU.

    copies.run([MINERVA, "ask", "…"], capture_output=True, check=False)

`run` and `Popen` take what those of `subprocess` take. `Parser` makes copies of the process that
insilico parses in, which tests start hundreds of times. A copy has its own pid, streams, folder and
variables, and signals end it as they end any process; but it has the hash seed of its origin, and
its modules, with what a first request compiles, are there before its first line. A test of either
starts a real process.
"""

import atexit
import gc
import importlib
import inspect
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, NoReturn

_HEAVY: Final = (
    "minerva_platform",
    "anyio._backends._asyncio",
    "jsonschema",
    "langchain_core.language_models",
    "langgraph.graph",
    "minerva_platform.app",
    "minerva_platform.cli.ask.ask",
    "minerva_platform.cli.main",
    "minerva_platform.durable.incoming_request",
    "minerva_platform.durable.worker_process",
    "minerva_platform.routing.examples_router",
    "minerva_platform.routing.router_choice",
    "minerva_platform.runtime.supervisor",
    "minerva_platform.server.service",
    "minerva_platform.storage.engine.opening",
    "minerva_platform.storage.engine.sqlite",
    "psycopg",
    "uvicorn",
)
"""What most programs need; imported once, before there are copies."""
_PARSING: Final = "minerva_insilico.core.parsing.child"
_PROGRAM: Final = subprocess.Popen
_MESSAGE_BYTES: Final = 1 << 18


class Popen(subprocess.Popen[Any]):
    """A copy that runs `minerva`, or what `python` is told to run."""

    _told: int
    """Where the origin says how this copy has ended."""

    def _execute_child(self, *given: Any) -> None:
        """Let the origin fork, instead of starting a program."""
        wanted = inspect.signature(subprocess.Popen._execute_child).bind(self, *given).arguments  # type: ignore[attr-defined]  # noqa: SLF001  # the one place where a child is made
        pipes = [
            wanted[name]
            for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        ]
        given_streams = (pipes[0], pipes[3], pipes[5])
        streams = [own if own >= 0 else number for number, own in enumerate(given_streams)]
        job = {
            "words": self._words([os.fsdecode(word) for word in wanted["args"]]),
            "folder": os.fspath(wanted["cwd"] or Path.cwd()),
            "variables": dict(os.environ if wanted["env"] is None else wanted["env"]),
            "apart": wanted["start_new_session"],
        }
        self._told, tell = os.pipe()
        try:
            sent = [json.dumps(job).encode(errors="surrogateescape")]
            socket.send_fds(self._origin(), sent, [*streams, tell])
        finally:
            os.close(tell)
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        self.pid = _number_from(self._told)
        self._child_created = True

    def _words(self, words: list[str]) -> list[str]:
        """Return what the copy has to run."""
        return words

    def _origin(self) -> socket.socket:
        """Return what the process hears by of which this is a copy."""
        return _origin()

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """Hear from the origin how the copy ended, which is no child of this process."""
        if wait_flags & os.WNOHANG and not select.select([self._told], [], [], 0)[0]:
            return 0, 0
        status = _number_from(self._told)
        os.close(self._told)
        return self.pid, status

    def _internal_poll(self, *_given: Any, **_options: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        code: int | None = self.returncode
        return code


class Parser(Popen):
    """A copy that parses; the process of which it is one has the same flags and places."""

    def _words(self, words: list[str]) -> list[str]:
        at = words.index("-c")
        self._flags, self._places = tuple(words[1:at]), tuple(words[at + 3 :])
        return [words[0], *words[at:]]

    def _origin(self) -> socket.socket:
        return _origin(flags=self._flags, places=self._places, heavy=(_PARSING,))


class Started(subprocess.Popen[Any]):
    """`subprocess.Popen`, but that each process of insilico that parses is a copy."""

    def __new__(cls, words: Any, *given: Any, **options: Any) -> Any:
        """Start a program, or make a copy."""
        if cls is not Started:
            return super().__new__(cls)
        is_parser = "-c" in words and _PARSING in str(words[words.index("-c") + 1])
        return (Parser if is_parser else _PROGRAM)(words, *given, **options)


def run(
    words: Sequence[Any],
    *,
    capture_output: bool = False,
    check: bool = False,
    input: Any = None,  # noqa: A002  # as subprocess names it
    **options: Any,
) -> "subprocess.CompletedProcess[Any]":
    """Run a copy to its end."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with Popen(words, **options) as process:
        out, err = process.communicate(input)
    done = subprocess.CompletedProcess(words, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def _number_from(pipe: int) -> int:
    """Return what the origin says in a pipe: a pid, or how a copy has ended.

    Raises:
        RuntimeError: it has ended, and says nothing; the pid 0 would be the whole group of ours.
    """
    number = os.read(pipe, 4)
    if len(number) < 4:  # the bytes that `_next_job` and `_tell_ends` write
        message = "The process of which there are copies has ended; what it printed says why."
        raise RuntimeError(message)
    return int.from_bytes(number, "little")


@cache
def _origin(
    *, flags: tuple[str, ...] = (), places: tuple[str, ...] = (), heavy: tuple[str, ...] = _HEAVY
) -> socket.socket:
    """Start a process of which there are copies, and return what it hears by."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MINERVA_", "PYTHONPATH"))
    }
    wanted = json.dumps({"fd": its.fileno(), "places": places, "heavy": heavy})
    command = [sys.executable, *flags, __file__, wanted]
    process = subprocess.Popen(
        command, pass_fds=[its.fileno()], env=variables, stdin=subprocess.DEVNULL
    )
    its.close()

    def ended() -> None:
        ours.close()
        process.wait()

    atexit.register(ended)
    return ours


class _Ended(Exception):  # noqa: N818  # nothing is wrong
    """Nobody wants another copy."""


def _next_job(heard: socket.socket) -> Callable[[], object]:
    """Fork for each job that is heard; return, in the copy, what the copy has to do."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    tell: dict[int, int] = {}
    while True:
        waited: list[Any] = [heard, woken]
        ready, _, _ = select.select(waited, [], [])
        if woken in ready:
            os.read(woken, 512)
            _tell_ends(tell)
        if heard in ready:
            sent, fds, _, _ = socket.recv_fds(heard, _MESSAGE_BYTES, 4)
            if not sent:
                raise _Ended
            *streams, told = fds
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                job = json.loads(sent.decode(errors="surrogateescape"))
                if job["apart"]:
                    os.setsid()
                os.write(told, os.getpid().to_bytes(4, "little"))
                heard.close()
                for used in {*fds, woken, wake, *tell.values()} - {0, 1, 2}:
                    os.close(used)
                return _prepared(**job)
            for stream in streams:
                os.close(stream)
            tell[pid] = told


def _tell_ends(tell: dict[int, int]) -> None:
    while tell:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        os.write(tell[pid], status.to_bytes(4, "little"))
        os.close(tell.pop(pid))


def _prepared(
    words: Sequence[str], folder: str, variables: Mapping[str, str], *, apart: bool
) -> Callable[[], object]:
    """Be as Python is when it starts; return the program."""
    del apart
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    streams: list[Any] = [
        open(number, mode, buffering, encoding="utf-8", errors=errors, closefd=False)  # noqa: SIM115  # a stream until the end
        for number, mode, buffering, errors in (
            (0, "r", -1, "strict"),
            (1, "w", 1 if os.isatty(1) or "PYTHONUNBUFFERED" in variables else -1, "strict"),
            (2, "w", 1, "backslashreplace"),
        )
    ]
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    given = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [*given, *sys.path[1:]]  # the first is the folder of this file
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
    gc.enable()
    program, *arguments = words
    if os.path.basename(program) == "minerva":  # noqa: PTH119  # a word
        return lambda: _command(words)
    match arguments:
        case ["-c", code, *rest]:
            sys.argv, sys.path[:0] = ["-c", *rest], [""]
            return lambda: exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  # as `python -c`
        case ["-m", module, *rest]:
            sys.argv, sys.path[:0] = [module, *rest], [folder]
            return lambda: runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *rest]:
            sys.argv, sys.path[:0] = [script, *rest], [os.path.dirname(os.path.abspath(script))]  # noqa: PTH100, PTH120  # words
            return lambda: runpy.run_path(script, run_name="__main__")
        case _:
            message = f"no program: {words}"
            raise ValueError(message)


def _end(work: Callable[[], object]) -> NoReturn:
    """Do the work and end as Python does, but for taking every module apart: most of a second."""
    code, is_interrupted = 0, False
    try:
        try:
            work()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(left.code is not None)
            if isinstance(left.code, str):
                print(left.code, file=sys.stderr)  # noqa: T201  # as Python does
        except BaseException as error:  # noqa: BLE001  # as Python does
            code = 1
            sys.excepthook(type(error), error, error.__traceback__)
            is_interrupted = isinstance(error, KeyboardInterrupt)
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # waits for threads
        atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # at its end
        sys.stdout.flush()
        sys.stderr.flush()
        if is_interrupted:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        os._exit(code)


def _command(words: Sequence[str]) -> NoReturn:
    from minerva_platform.cli.main import main  # noqa: PLC0415  # the copies alone

    sys.argv[:] = words
    main()
    sys.exit()


def _warm() -> None:
    """Answer a request in a home of its own: patterns and statements are compiled once."""
    with (
        tempfile.TemporaryDirectory() as home,
        Path(os.devnull).open("w") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
        suppress(SystemExit),
    ):
        os.environ["MINERVA_HOME"] = home
        _command(["minerva", "ask", "What is the standard abbreviation of 환자 이름?"])
    tempfile.tempdir = None  # a copy looks for its own


if __name__ == "__main__":
    gc.disable()
    wanted = json.loads(sys.argv[1])
    sys.path += wanted["places"]
    for name in wanted["heavy"]:
        with suppress(ModuleNotFoundError):  # where a team is alone, no server and no driver is
            importlib.import_module(name)
    if not wanted["places"]:
        for team in entry_points(group="minerva.teams"):
            team.load()
        _warm()
    gc.freeze()
    try:
        work = _next_job(socket.socket(fileno=wanted["fd"]))
    except _Ended:
        os._exit(0)
    _end(work)
