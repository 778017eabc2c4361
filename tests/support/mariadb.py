"""A real MariaDB for benchmarks: the machine's `mariadbd`, on a socket in a folder of its own.

Like PostgreSQL it runs as `nobody` where this process is root.
"""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_MAX_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Mariadb:
    """A server that listens on the socket `s` in `folder` alone."""

    folder: Path

    def run(self, script: str, *, database: str = "") -> subprocess.CompletedProcess[str]:
        """Run a script, past its errors, and return what the server answers, without headers."""
        command = ("mariadb", "--no-defaults", "--batch", "--skip-column-names", "--force", "--raw")
        return subprocess.run(
            (*command, f"--socket={self.folder / 's'}", "--user=root", database or "mysql"),
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )


@contextmanager
def running_mariadb() -> Generator[Mariadb | None]:
    """Give a server that runs, None if the machine has none."""
    program, installer = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if program is None or installer is None:
        yield None
        return
    user: dict[str, Any] = {}
    with TemporaryDirectory(prefix="my") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        own = ("--no-defaults", f"--datadir={folder / 'data'}")
        new = ("--auth-root-authentication-method=normal", "--skip-test-db")
        subprocess.run((installer, *own, *new), check=True, capture_output=True, cwd=folder, **user)
        with (folder / "log").open("w") as log:
            server = subprocess.Popen(
                (program, *own, f"--socket={folder / 's'}", "--skip-networking"),
                stdout=log,
                stderr=log,
                cwd=folder,
                text=True,
                **user,
            )
        try:
            mariadb = Mariadb(folder)
            _wait(mariadb, server)
            yield mariadb
        finally:
            server.terminate()
            server.wait()


def _wait(mariadb: Mariadb, server: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + _MAX_SECONDS
    while mariadb.run("SELECT 1").returncode:
        if server.poll() is not None or time.monotonic() > end:
            message = f"MariaDB does not start: {(mariadb.folder / 'log').read_text()[-500:]}"
            raise RuntimeError(message)
        time.sleep(0.1)
