"""This process's end of the fork server, and of the children that it has forked.

The server is started when it is first needed and ends with this process, however that ends.
"""

import asyncio
import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading

from minerva_platform.runtime.isolation.server import NOT_FORKED, READY, STATUS

ENDING_S = 1.0
"""Seconds to wait for the news that a process has ended, after it closed its channel."""

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from minerva_platform.runtime.isolation.server import serve; serve()"
)
_KILL = b"k"


class ForkServer:
    """The running server."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        output = 2 if _is_open(2) else subprocess.DEVNULL
        # a session of its own: Ctrl-C in the terminal is for this process, which then decides
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  # Python itself
                [sys.executable, "-P", "-c", _PROGRAM, json.dumps(import_path())],
                stdin=theirs.fileno(),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def fork(self) -> "Child":
        """Return a new child.

        Raises:
            OSError: the server is gone.
        """
        channel, theirs = socket.socketpair()
        leash, its_leash = socket.socketpair()
        with theirs, its_leash:
            try:
                socket.send_fds(self._control, [b"f"], [theirs.fileno(), its_leash.fileno()])
            except BaseException:
                channel.close()
                leash.close()
                raise
        return Child(channel, leash)

    def close(self) -> None:
        """Let the server end with all its children; one that is still starting has none."""
        is_ready = False
        with contextlib.suppress(OSError):
            is_ready = self._control.recv(len(READY), socket.MSG_DONTWAIT) == READY
        self._control.close()
        if is_ready:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDING_S)
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """Drop the server in a process forked from this one, which does not own it."""
        self._control.close()
        self._process.returncode = 0  # or Python would warn that it was not waited for


class Child:
    """A worker's process: the channel to it, and the leash by which the server kills it."""

    def __init__(self, channel: socket.socket, leash: socket.socket) -> None:
        self.channel, self._leash = channel, leash
        self.pid: int | None = None
        self.environment: dict[str, str] = {}
        """The variables as the child has them."""
        self.is_busy = True
        """True if the last frame of its current work is still to come."""
        self.is_worn = False
        """True if work of an earlier call still goes on in it."""
        for end in (channel, leash):
            end.settimeout(0)

    @property
    def is_reusable(self) -> bool:
        """True if its call is completely over."""
        return not self.is_busy and not self.is_worn

    @property
    def is_gone(self) -> bool:
        """True if a child that rests has ended, or sent an unexpected message."""
        try:
            self.channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def kill(self) -> None:
        """Have the process and its group killed, without waiting for it."""
        try:
            self._leash.send(_KILL)
        except OSError:  # the server has said how it ended, or is gone itself
            if self.pid is not None and self._status() is None:
                with contextlib.suppress(OSError):
                    os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Give the sockets back; a child that still runs is killed."""
        self.channel.close()
        self._leash.close()
        self.pid = None

    async def ending(self) -> str:
        """Say how the process ended, which has closed its channel."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(ENDING_S):
                status = await loop.sock_recv(self._leash, STATUS.size)
        except TimeoutError:
            return "closed its channel before it answered (did it start another program?)"
        except OSError:
            status = b""
        if len(status) < STATUS.size:
            return "is gone, and so is the server that forks such processes; standard error may say"
        return _ending(STATUS.unpack(status)[0])

    def _status(self) -> bytes | None:
        try:
            return self._leash.recv(STATUS.size, socket.MSG_PEEK) or None
        except OSError:
            return None


def _ending(code: int) -> str:
    if code == NOT_FORKED:
        return "cannot be started: the system has no memory or no process for it"
    if code >= 0:
        return f"ended with exit code {code} before it answered"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    memory = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
    return f"was ended by {name} before it answered{memory}"


class _Server:
    """The one server of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: ForkServer | None = None

    def start(self) -> ForkServer:
        """Start the server if it does not run."""
        with self._lock:
            if self._running is None:
                self._running = ForkServer()
            return self._running

    def fork(self) -> Child:
        """Return a new child, from a new server if the last one is gone."""
        server = self.start()
        try:
            return server.fork()
        except OSError:
            with self._lock:
                if self._running is server:
                    server.close()
                    self._running = None
            return self.start().fork()

    def close(self) -> None:
        """End it with its children."""
        with self._lock:
            if self._running is not None:
                self._running.close()
                self._running = None

    def forget(self) -> None:
        """Begin anew in a process that was forked."""
        self._lock = threading.Lock()
        if self._running is not None:
            self._running.forget()
            self._running = None


SERVER = _Server()
atexit.register(SERVER.close)
os.register_at_fork(after_in_child=SERVER.forget)


def import_path() -> list[str]:
    """Return this process's import path. Some programs put values there that are no texts."""
    return [str(path) for path in sys.path]


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
