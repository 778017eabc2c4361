"""Files that people give to a server, for runs to work on.

A content lies in the artifact store, and a row says which tenant gave it under which name. A run
works on a copy in the home: `uploads/<sha256>/<name>`; in memory if the home is encrypted. The copy
is made where a run begins to work, so any host may take the run up.
"""

import hashlib
import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, select

from minerva_platform.contract.attachment import SHA256, UPLOADS
from minerva_platform.contract.bounds import MAX_NAME_BYTES
from minerva_platform.contract.values import Content
from minerva_platform.errors import RunError, StateError, UploadGoneError, UploadNameError
from minerva_platform.storage.files.artifacts import write_file
from minerva_platform.storage.files.plain_folder import plain_folder
from minerva_platform.storage.ledger.run_row import roots_to_row
from minerva_platform.storage.ledger.schema import team_uploads, uploads
from minerva_platform.storage.server.tenant_rows import Sight
from minerva_platform.text.personal_data import masked_name

if TYPE_CHECKING:
    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.files.artifacts import ArtifactStore

_UNSEEN: Final = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Zl": "a line break",
    "Zp": "a line break",
}
"""Categories of characters that act or hide in a name."""
_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000))))
)
"""Characters that count as letters, marks or symbols, and show as nothing."""
_DIRECTIONS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a tenant has given."""

    tenant: str
    sha256: str
    name: str
    bytes: int

    def path_in(self, home: Path) -> Path:
        """Return the path that its copy has in `home`, once a run works on it."""
        return plain_folder(home) / UPLOADS / self.sha256 / self.name


def keep_upload(  # each says one thing about the file
    engine: "Engine", store: "ArtifactStore", giver: Sight, name: str, data: bytes, *, now: float
) -> Upload:
    """Keep a file of a tenant, and return what is known of it. Twice the same is once.

    Values of persons in its name are masked.

    Raises:
        UploadNameError: it may not have this name.
        StateError: it cannot be kept; there is no row of it then.
    """
    name = masked_name(safe_name(name))
    content = Content.of_bytes(data)
    try:
        store.write(content)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}. Make room there, or see who owns it."
        raise StateError(store.directory, reason) from error
    store.save([content.sha256])
    row = {"tenant": giver.tenant, "sha256": content.sha256, "name": name, "bytes": len(data)}
    new = engine.insert(uploads).values(**row, given=now)
    keys = ["tenant", "sha256", "name"]
    again = new.on_conflict_do_update(index_elements=keys, set_={"given": new.excluded.given})
    team_row = {**{key: row[key] for key in keys}, "roots": roots_to_row(giver.roots)}
    of_team = engine.insert(team_uploads).values(**team_row).on_conflict_do_nothing()

    def keep(connection: Connection) -> None:
        connection.execute(again)
        if giver.roots is not None:
            connection.execute(of_team)

    engine.write(keep)
    return Upload(giver.tenant, content.sha256, name, len(data))


def find_upload(
    connection: Connection, sight: Sight, sha256: str, name: str | None = None
) -> Upload | None:
    """Return a file that the tenant has given; None if it has not.

    Who sees some roots alone finds what was given by those who see no others. Without a name it is
    the one that was given last under this sha-256.
    """
    tenant, upload_name = sight.tenant, None if name is None else masked_name(name)
    mine = select(uploads.c.tenant, uploads.c.sha256, uploads.c.name, uploads.c.bytes).where(
        uploads.c.tenant == tenant, uploads.c.sha256 == sha256
    )
    rows = [Upload(*row) for row in connection.execute(mine.order_by(uploads.c.given.desc()))]
    if sight.roots is not None:
        its = (team_uploads.c.tenant == tenant, team_uploads.c.sha256 == sha256)
        pairs = connection.execute(select(team_uploads.c.name, team_uploads.c.roots).where(*its))
        seen = {each for each, roots in pairs if sight.roots.issuperset(json.loads(roots))}
        rows = [row for row in rows if row.name in seen]
    # a name has one form for each key, and a store that is turned has two keys
    return next((row for row in rows if upload_name in (None, row.name)), None)


def safe_name(name: str) -> str:
    """Return `name` as it is, if it is the plain name of a file that people can read.

    Raises:
        UploadNameError: it is empty or too long, leads elsewhere, or holds what nobody sees.
    """
    wrong = _unreadable(name) or _why_no_file_name(name)
    if wrong is not None:
        raise UploadNameError(name, wrong)
    return name


def _unreadable(name: str) -> str | None:
    """Return what is wrong with the characters of a name, if anything is."""
    for place, char in enumerate(name, 1):
        code = f"(U+{ord(char):04X}, character {place})"
        if "\ud800" <= char <= "\udfff":
            return f"is no Unicode text {code}"
        if char in _DIRECTIONS:
            return f"holds a character that turns the direction of its text {code}"
        if char in _BLANK:
            return f"holds an invisible character {code}"
        if (kind := _UNSEEN.get(unicodedata.category(char))) is not None:
            return f"holds {kind} {code}"
    return None


def _why_no_file_name(name: str) -> str | None:
    """Return why a name of readable characters is none of a file, if it is not."""
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "begins or ends with a space"
    if "/" in name or "\\" in name:
        return "holds a path; give the file's own name, without / and \\"
    if not name.strip("."):
        return "is no name of a file but of a folder"
    if (size := len(name.encode())) > MAX_NAME_BYTES:
        return f"has {size} bytes in UTF-8, and at most {MAX_NAME_BYTES} may be in a name"
    return None


def local_upload(home: Path, store: "ArtifactStore", sha256: str, name: str) -> Path:
    """Return the path of an upload's copy in `home`, which only its owner can read.

    The copy is made if it is not there, or if somebody has changed it; whole or not at all.

    Raises:
        UploadNameError: the name is none of an upload.
        UploadGoneError: the content is not kept any more.
        StateError: the content cannot be read, or the copy cannot be written.
    """
    if SHA256.fullmatch(sha256) is None:
        raise UploadGoneError(name, sha256)
    path = plain_folder(home) / UPLOADS / sha256 / safe_name(name)
    if _is_whole(path, sha256):
        return path
    try:
        data = store.read_bytes(sha256)
    except StateError:
        raise
    except RunError as error:
        raise UploadGoneError(name, sha256) from error
    try:
        _place(path, data)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}. Make room there, or see who owns it."
        raise StateError(path.parent, reason) from error
    return path


def _is_whole(path: Path, sha256: str) -> bool:
    """True if a file of its own lies there and has the content."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def _place(path: Path, data: bytes) -> None:
    path.parent.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    write_file(path, data)
