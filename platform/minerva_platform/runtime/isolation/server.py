"""The fork server: a small process that forks workers' processes, and kills them.

It runs no worker's code, so it always answers. It is the parent of all children, so it alone
knows for certain whether a process id is still theirs. When the process that it serves is gone,
however that ended, its end of the control socket is closed, and no child outlives that.

Not `multiprocessing`'s: that one runs the caller's `__main__` again (a script without a guard
would start itself over), is shared with every library of the process, and leaves a child that
holds the interpreter's lock alive when its parent was killed.
"""

import contextlib
import gc
import importlib
import os
import selectors
import signal
import socket
import struct
import sys
from dataclasses import dataclass, field
from typing import NoReturn

CONTROL = 0
"""The descriptor of the control socket; standard input is always there to be replaced."""
READY = b"r"
STATUS = struct.Struct(">i")
"""How a child ended: its exit code, or the negative number of a signal."""

NOT_FORKED = -1_000
"""Instead of a status: the system refused to fork."""

_PRELOADED = (
    "minerva_platform.runtime.isolation.child",
    "minerva_platform.runtime.recorded_nodes",
    "minerva_platform.contract.team",
)
"""What every child needs and takes a second to import: LangGraph, and the platform round it. A
worker's own module is imported in its child, where it can do no harm to others."""

_FOREIGN_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve() -> None:
    """Fork children as they are asked for, until the control socket is closed."""
    for number in _FOREIGN_SIGNALS:  # it ends when its parent does, not before
        signal.signal(number, signal.SIG_IGN)
    control = socket.socket(fileno=CONTROL)
    for module in _PRELOADED:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a child's search for garbage would copy every page it shares
    server = _Server(control)
    try:
        with contextlib.suppress(OSError):  # its parent is gone already
            control.send(READY)
            server.run()
    finally:
        for pid in server.leashes:
            _kill(pid)
        for pid in server.leashes:
            os.waitpid(pid, 0)


@dataclass
class _Server:
    control: socket.socket
    waking: tuple[socket.socket, socket.socket] = field(default_factory=socket.socketpair)
    """Python writes to the second when a signal comes, so that a `select` on the first ends."""
    leashes: dict[int, socket.socket] = field(default_factory=dict[int, socket.socket])
    """The socket by which the parent has each child killed, and hears how it ended."""
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def run(self) -> None:
        """Serve until the parent is gone."""
        told, tell = self.waking
        for end in self.waking:
            end.settimeout(0)
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.control, selectors.EVENT_READ)
        self.selector.register(told, selectors.EVENT_READ)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is told:
                    told.recv(4096)
                    self._reap()
                elif key.fileobj is self.control:
                    if not self._fork():
                        return
                else:  # the parent wants it dead, or is dead
                    self.selector.unregister(key.fileobj)
                    _kill(key.data)

    def _fork(self) -> bool:
        """Fork a child for the two sockets that come; return False if none will come any more."""
        asked, descriptors, _, _ = socket.recv_fds(self.control, 1, 2)
        if not asked:
            return False
        channel, leash = (socket.socket(fileno=number) for number in descriptors)
        for end in (channel, leash):  # descriptors that come through a socket are
            end.set_inheritable(False)
        try:
            pid = os.fork()
        except OSError:
            leash.send(STATUS.pack(NOT_FORKED))
            channel.close()
            leash.close()
            return True
        if pid == 0:
            leash.close()
            self._become_child(channel)
        channel.close()
        with contextlib.suppress(OSError):  # it may have done so, or be gone
            os.setpgid(pid, pid)
        self.leashes[pid] = leash
        self.selector.register(leash, selectors.EVENT_READ, pid)
        return True

    def _become_child(self, channel: socket.socket) -> NoReturn:
        """Serve one worker in this process, which leads a process group of its own."""
        code = 1
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            for number in (*_FOREIGN_SIGNALS, signal.SIGCHLD):  # programs it starts inherit them
                signal.signal(number, signal.SIG_DFL)
            self._let_go()

            from minerva_platform.runtime.isolation.child import serve_worker  # noqa: PLC0415  # see above

            code = serve_worker(channel)
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)

    def _let_go(self) -> None:
        """Close the server's descriptors. Standard input becomes empty."""
        self.selector.close()
        for end in (*self.waking, *self.leashes.values()):
            end.close()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, self.control.detach())
        os.close(nothing)

    def _reap(self) -> None:
        """Send how each ended child ended, and end what it started."""
        for pid, leash in list(self.leashes.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            _kill_group(pid)
            with contextlib.suppress(KeyError):  # it was killed by us
                self.selector.unregister(leash)
            with contextlib.suppress(OSError):  # the parent has closed it
                leash.send(STATUS.pack(os.waitstatus_to_exitcode(status)))
            leash.close()
            del self.leashes[pid]


def _wake_up(_number: int, _frame: object) -> None:
    """Do nothing: Python has written to the wake-up descriptor, which ends the `select`."""


def _kill(pid: int) -> None:
    """Kill a child that was not waited for yet, with its group, if it has not left that."""
    _kill_group(pid)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(OSError):  # the group is empty
        os.killpg(pid, signal.SIGKILL)
