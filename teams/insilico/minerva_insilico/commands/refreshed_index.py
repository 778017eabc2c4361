"""An index that is up to date: made or refreshed before a command asks it."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from minerva_insilico.commands.incomplete import note_missing
from minerva_insilico.core.facts.errors import CoreError
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import Indexed, OnProgress, index_tree
from minerva_insilico.core.queries.nearest import unknown
from minerva_platform import MinervaError
from minerva_platform.cli_kit import say
from minerva_platform.config import home_directory

_FILES_PER_DRAWING = 20
"""Files between two drawings of the progress."""


class CodeError(MinervaError):
    """A code base cannot be indexed or asked. The text says what to do."""


@dataclass(frozen=True)
class Tree:
    """The tree to index, and the options."""

    root: Path
    heeds_ignore: bool = True


@contextmanager
def told() -> Generator[None]:
    """Say what goes wrong in the core as every command does."""
    try:
        yield
    except CoreError as error:
        raise CodeError(str(error)) from error


def refresh(tree: Tree) -> Indexed:
    """Bring the index of a tree up to date."""
    with told(), shown_progress("parsed") as on_progress:
        indexed = index_tree(
            tree.root,
            home=home_directory(),
            heeds_ignore=tree.heeds_ignore,
            on_progress=on_progress,
        )
    note_missing(indexed.limited_files)
    return indexed


@contextmanager
def refreshed_index(tree: Tree) -> Generator[Index]:
    """Give the index of a tree as its files are now, and tell what no answer covers."""
    indexed = refresh(tree)
    if indexed.parsed < indexed.files:
        missing = indexed.files - indexed.parsed
        say(f"Not parsed, so not covered: {missing:,} of {indexed.files:,} Python files.")
    for tally in indexed.languages:
        if tally.hint:
            say(f"Searched as text alone: {tally.files:,} × {tally.language}; else: {tally.hint}")
    with told(), Index(indexed.database) as index:
        yield index


def check_parsed(index: Index, path: Path) -> None:
    """Refuse a file that is no source, or that could not be parsed.

    Raises:
        UnknownNameError: there is no such source beside it.
        CodeError: it is there and could not be parsed.
    """
    if path.name in index.modules.names:
        return
    failed = next((item for item in index.failed_files if item.path == path.name), None)
    if failed is not None:
        place = path if failed.line is None else f"{path}:{failed.line}"
        message = f"`{place}` could not be parsed: {failed.error}"
        raise CodeError(message)
    if not path.is_file():
        raise unknown(index, "file", path.name)
    message = f"`{path}` is no Python source; give a directory or a *.py file."
    raise CodeError(message)


@contextmanager
def shown_progress(what: str) -> Generator[OnProgress | None]:
    """Show the count of files that are `what` on one line of a terminal. A pipe gets nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    is_drawn = False

    def draw(done: int, all_: int) -> None:
        nonlocal is_drawn
        if done % _FILES_PER_DRAWING == 0 or done == all_:
            is_drawn = True
            sys.stderr.write(f"\r{done:,} of {all_:,} files {what}")
            sys.stderr.flush()

    try:
        yield draw
    finally:
        if is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
