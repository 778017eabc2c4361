"""`proposals.csv` in MINERVA's home: the one place where proposals lie.

It is read as a whole or not at all, and written by replacing it with what can be read again, so
that a mistake in a row never costs another one.
"""

import io
import os
import tempfile
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from minerva_data.core.proposals.proposal import Proposal, ProposalError
from minerva_data.core.proposals.proposal_sheet import FILE, csv_to_proposals, proposals_csv
from minerva_observability.file_lock import open_lock_file, take_lock_within
from minerva_reading import FileFault, encoding_of

MAX_BYTES = 8 * 1024 * 1024
"""A person could not review a larger file."""

BUSY_SECONDS = 10.0
"""How long one who writes waits for another: a stopped process must not stop a run."""


class Proposals(Protocol):
    """Where new words wait for a person."""

    def read(self) -> tuple[Proposal, ...]:
        """Return all proposals, in their order."""
        ...

    def writing(self) -> AbstractContextManager[list[Proposal]]:
        """Give the proposals to change; kept when the block ends well."""
        ...


class UnkeptProposals:
    """Proposals of a glossary that has no place for them: none is there, none is kept."""

    def read(self) -> tuple[Proposal, ...]:
        """Return nothing."""
        return ()

    @contextmanager
    def writing(self) -> Generator[list[Proposal]]:
        """Give a list that nothing keeps."""
        yield []


class ProposalFile:
    """The proposals in one folder; a file that is not there holds none."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def read(self) -> tuple[Proposal, ...]:
        """Return all proposals, in their order.

        Raises:
            ProposalError: a row cannot be read; names it.
        """
        try:
            return tuple(csv_to_proposals(self._text()))
        except FileNotFoundError:
            return ()
        except OSError as error:
            message = f"{self.path} cannot be read ({error.strerror})."
            raise ProposalError(message) from error
        except FileFault as error:
            message = f"{self.path} cannot be read: {error}"
            raise ProposalError(message) from error
        except ProposalError as error:
            message = f"{self.path}, {error}"
            raise ProposalError(message) from error

    @contextmanager
    def writing(self, *, wait: float = BUSY_SECONDS) -> Generator[list[Proposal]]:
        """Give the proposals to change, while no other process can; kept when the block ends well.

        Raises:
            ProposalError: the file cannot be read or written, or another process does not let go
                of it for `wait` seconds; it stays as it was.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = open_lock_file(self.path.with_name(f"{self.path.name}.lock"))
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            _lock(lock, self.path, wait=wait)
            before = self.read()
            proposals = list(before)
            yield proposals
            if tuple(proposals) != before:
                self._write(proposals)
        finally:
            os.close(lock)

    def _text(self) -> str:
        with self.path.open("rb") as file:
            _check_size(os.fstat(file.fileno()).st_size)
            encoding = encoding_of(file, name=FILE)
            file.seek(0)
            with io.TextIOWrapper(file, encoding=encoding) as text:
                return text.read()

    def _write(self, proposals: Iterable[Proposal]) -> None:
        content = proposals_csv(proposals)
        try:
            list(csv_to_proposals(content))
            _check_size(len(content.encode("utf-8-sig")))
        except (FileFault, ProposalError) as error:
            message = f"{self.path} stays as it was. It would be broken: {error}"
            raise ProposalError(message) from error
        try:
            handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".proposals-")
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            with os.fdopen(handle, "w", encoding="utf-8-sig", newline="") as file:
                file.write(content)
            Path(temporary).replace(self.path)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            Path(temporary).unlink(missing_ok=True)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        message = f"it has more than {MAX_BYTES >> 20} MiB. Take rows out of it."
        raise ProposalError(message)


def _lock(descriptor: int, path: Path, *, wait: float) -> None:
    try:
        is_ours = take_lock_within(descriptor, seconds=wait)
    except OSError as error:  # a network folder may know no locks
        raise _unwritable(path, error) from error
    if not is_ours:
        message = f"{path} is being written to. Try again when that command has ended."
        raise ProposalError(message)


def _unwritable(path: Path, error: OSError) -> ProposalError:
    return ProposalError(f"{path} cannot be written ({error.strerror}); it stays as it was.")
