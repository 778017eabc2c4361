"""Writing drafts: each file whole or not at all, and only what was drafted."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.docstrings.application import (
    NOT_WRITABLE,
    SHARED,
    Applied,
    apply_rewrites,
)
from minerva_insilico.core.docstrings.coverage import coverage, undocumented
from minerva_insilico.core.docstrings.drafting import CHANGED, Rewrite, draft_docstrings
from minerva_insilico.core.facts.boundary import LINK
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

SOURCE = b"def load(p):\r\n\treturn p  # \xed\x99\x98\xec\x9e\x90\r\n"


@pytest.fixture
def root(write: Write) -> Path:
    """Give a tree of one source with its own line ends and tabs."""
    return write("proj", {"a.py": SOURCE})


@pytest.fixture(scope="module")
def rewrites(tmp_path_factory: pytest.TempPathFactory) -> list[Rewrite]:
    """Give what was drafted for it: once, because it depends on the content alone."""
    root = tmp_path_factory.mktemp("drafted")
    (root / "a.py").write_bytes(SOURCE)
    done = index_tree(root, home=tmp_path_factory.mktemp("home"))
    with Index(done.database) as index:
        return draft_docstrings(index, undocumented(index).items).rewrites


def test_drafts_are_written_and_nothing_else(
    root: Path, rewrites: list[Rewrite], open_index: Open
) -> None:
    """Lines that were there are there; the mode stays; no other file is left behind."""
    (root / "a.py").chmod(0o640)

    applied = apply_rewrites(root, rewrites)

    assert applied == Applied(written=rewrites)
    content = (root / "a.py").read_bytes()
    assert content == (
        b'"""Module a.\r\n\r\nDefines: load.\r\n"""\r\n\r\n\r\ndef load(p):\r\n\t"""Load.\r\n\r\n'
        b"\tArgs:\r\n\t    p: Required.\r\n\r\n\tReturns:\r\n\t    `p`.\r\n"
        b'\t"""\r\n\treturn p  # \xed\x99\x98\xec\x9e\x90\r\n'
    )
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o640
    assert os.listdir(root) == ["a.py"]  # noqa: PTH208  # hidden files count
    assert coverage(open_index(root)).missing == 0


def test_a_file_that_was_saved_meanwhile_stays(root: Path, rewrites: list[Rewrite]) -> None:
    """The person's newer text wins."""
    (root / "a.py").write_bytes(b"x = 1\n")

    applied = apply_rewrites(root, rewrites)

    assert (applied.written, applied.refused) == ([], [("a.py", CHANGED)])
    assert (root / "a.py").read_bytes() == b"x = 1\n"


def test_a_link_is_neither_followed_nor_replaced(
    root: Path, rewrites: list[Rewrite], tmp_path: Path
) -> None:
    """Not at the end of the path, and not in its middle."""
    outside = tmp_path / "outside.py"
    (root / "a.py").rename(outside)
    (root / "a.py").symlink_to(outside)
    folder = tmp_path / "real"
    folder.mkdir()
    (folder / "b.py").write_bytes(SOURCE)
    (root / "sub").symlink_to(folder)
    through = Rewrite("sub/b.py", rewrites[0].sha256, b"", 1)

    applied = apply_rewrites(root, [*rewrites, through])

    assert applied.written == []
    assert [path for path, _ in applied.refused] == ["a.py", "sub/b.py"]
    assert applied.refused[1][1] == LINK
    assert outside.read_bytes() == (folder / "b.py").read_bytes() == SOURCE
    assert (root / "a.py").is_symlink()


def test_a_file_of_two_names_stays(root: Path, rewrites: list[Rewrite], tmp_path: Path) -> None:
    """A rename would split them; the person decides."""
    os.link(root / "a.py", tmp_path / "other.py")

    applied = apply_rewrites(root, rewrites)

    assert applied.refused == [("a.py", SHARED)]
    assert (root / "a.py").read_bytes() == SOURCE


def test_a_file_that_may_not_be_written_stays(root: Path, rewrites: list[Rewrite]) -> None:
    """A rename needs no permission of the file, so the permission is asked for."""
    (root / "a.py").chmod(0o444)

    applied = apply_rewrites(root, rewrites)

    refused = [("a.py", NOT_WRITABLE)]
    assert applied.refused == ([] if os.geteuid() == 0 else refused)


def test_a_path_out_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    """Whatever an index says."""
    (tmp_path / "b.py").write_bytes(SOURCE)
    escaping = [Rewrite(path, "", b"", 1) for path in ("../b.py", str(tmp_path / "b.py"))]

    assert apply_rewrites(root, escaping).written == []
    assert (tmp_path / "b.py").read_bytes() == SOURCE
