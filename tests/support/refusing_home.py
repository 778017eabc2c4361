"""Commands in a process to which the system refuses room, locks or writing.

    python tests/support/refusing_home.py MODE COMMANDS

It calls each command of the JSON list COMMANDS, and prints how each ended and what it said, as
JSON. `MODE` is `full` (files may not grow), `no_locks` (`flock` ends with ENOLCK), `read_only`
(root obeys the modes of files, as others do) or `plain`. None of them needs any privilege.
"""

import ctypes
import errno
import json
import platform
import resource
import struct
import sys

_FLOCK = {"x86_64": 73, "aarch64": 32}
"""The number of `flock`, by machine."""
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_CAPABILITIES = 0x20080522


def refuse_room() -> None:
    """Let no file grow beyond a thousand bytes, as if the disk were full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))


def refuse_locks() -> None:
    """Let the kernel end each `flock` with ENOLCK, as some network file systems do."""
    steps = (
        (_LOAD, 0, 0, 0),
        (_EQUAL, 0, 1, _FLOCK[platform.machine()]),
        (_RETURN, 0, 0, _REFUSE | errno.ENOLCK),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    )
    system = ctypes.CDLL(None, use_errno=True)
    assert system.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert system.prctl(_SECCOMP, _FILTER, program) == 0, ctypes.get_errno()


def obey_modes() -> None:
    """Give up all that lets root write where the modes of files forbid it."""
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITIES, 0))
    nothing = ctypes.create_string_buffer(bytes(24))
    assert ctypes.CDLL(None, use_errno=True).capset(header, nothing) == 0, ctypes.get_errno()


MODES = {"full": refuse_room, "no_locks": refuse_locks, "read_only": obey_modes}


def main() -> None:
    """Call the commands."""
    from typer.testing import CliRunner  # noqa: PLC0415  # the first import of a program

    from minerva_platform.cli.main import app  # noqa: PLC0415  # the same

    mode, commands = sys.argv[1], json.loads(sys.argv[2])
    if mode != "plain":
        MODES[mode]()
    told: list[tuple[int, str, str]] = []
    for words in commands:
        done = CliRunner().invoke(app, words, prog_name="minerva")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        told.append((done.exit_code, done.stdout, done.stderr))
    print(json.dumps(told))  # noqa: T201  # a program


if __name__ == "__main__":
    main()
