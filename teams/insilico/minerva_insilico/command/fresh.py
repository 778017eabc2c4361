"""An index that is up to date: made or refreshed before a command asks it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from minerva_insilico.core.fault import CoreError
from minerva_insilico.core.index import Index
from minerva_insilico.core.indexer import Indexed, index_tree
from minerva_platform import MinervaError, home_directory, say


class CodeError(MinervaError):
    """A code base cannot be indexed or asked; says what to do."""


@contextmanager
def told() -> Generator[None]:
    """Say what goes wrong in the core as every command does."""
    try:
        yield
    except CoreError as error:
        raise CodeError(str(error)) from error


def refresh(root: Path) -> Indexed:
    """Bring the index of `root` up to date."""
    with told():
        return index_tree(root, home=home_directory())


@contextmanager
def fresh_index(root: Path) -> Generator[Index]:
    """Give the index of `root` as the files are now, and tell what no answer covers."""
    indexed = refresh(root)
    if indexed.failed:
        say(f"{len(indexed.failed):,} of {indexed.files:,} files are not parsed, so not covered.")
    with told(), Index(indexed.database) as index:
        yield index
