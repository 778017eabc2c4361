"""The sources and documents of a tree: what a person would call its files.

Links are not followed, `.gitignore` is heeded, and what looks like a source but may not be read is
named with its reason.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from minerva_insilico.core.facts.errors import UnreadableSourceError
from minerva_insilico.core.facts.language import language_of_path
from minerva_insilico.core.facts.readable_files import read_source
from minerva_insilico.core.facts.unread import MAX_BYTES, MAX_FILES, Skipped
from minerva_insilico.core.facts.vocabulary import words
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_platform.text import masked_names

FILE = ".gitignore"
MAX_IGNORE_BYTES = 64 * 1024


@dataclass(frozen=True)
class Rules:
    """The patterns of one `.gitignore`. `folder` is empty or ends in a slash.

    They come from strangers. RE2 matches them, in a time linear in the length of the path, because
    Python's engine can be kept busy for years by a dozen of asterisks.
    """

    folder: str
    spec: GitIgnoreSpec


def read_rules(text: str, folder: str) -> tuple[Rules | None, list[str]]:
    """Return the rules in a `.gitignore`, and the lines which are no patterns."""
    lines: list[str] = []
    wrong: list[str] = []
    for line in text.splitlines():
        try:
            GitIgnoreSpec.from_lines([line], backend="re2")
        except Exception:  # noqa: BLE001  # git also ignores a pattern that is wrong
            wrong.append(line)
        else:
            lines.append(line)
    spec = GitIgnoreSpec.from_lines(lines, backend="re2")
    return (Rules(folder, spec) if len(spec) else None), wrong


def is_ignored(path: str, chain: Sequence[Rules], *, is_folder: bool) -> bool:
    """True if the innermost rule for `path` leaves it out."""
    for rules in reversed(chain):
        relative = path[len(rules.folder) :] + ("/" if is_folder else "")
        said = rules.spec.check_file(relative).include
        if said is not None:
            return said
    return False


EXCLUDED = words("frameworks", "folders", "without_sources")
"""Directories that hold no source of this project. They are not listed."""


@dataclass(frozen=True)
class Listing:
    """The sources under a root, as sorted `/` paths relative to it.

    Values of persons in names are masked. `readable_files.read_source` finds the files.
    """

    files: tuple[str, ...]
    skips: tuple[Skipped, ...]
    ignored_count: int = 0
    """Files and folders that `.gitignore` leaves out."""
    others: tuple[str, ...] = ()
    """Files that are neither source nor document, at most `MAX_FILES`. Hidden files are left
    out."""


def list_sources(root: Path, *, heeds_ignore: bool = True) -> Listing:
    """List the sources and documents under `root`, a real path, without following a single link.

    With `heeds_ignore`, files excluded by `.gitignore` are left out.
    """
    return _Lister(root, heeds_ignore=heeds_ignore).listing()


class _Lister:
    def __init__(self, root: Path, *, heeds_ignore: bool) -> None:
        self._root, self._heeds_ignore = root, heeds_ignore
        self._files: list[str] = []
        self._skips: list[Skipped] = []
        self._others: list[str] = []
        self._ignored_count = 0

    def listing(self) -> Listing:
        pending: list[tuple[str, str, tuple[Rules, ...]]] = [("", "", ())]
        while pending:
            folder, shown_folder, chain = pending.pop()
            entries = self._entries(folder, shown_folder)
            numbered = {entry.name: entry.inode() for entry in entries}
            names = {name: shown for shown, name in masked_names(numbered).items()}
            if self._heeds_ignore and any(entry.name == FILE for entry in entries):
                chain += self._rules(folder, shown_folder)
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                shown = f"{shown_folder}/{names[entry.name]}" if shown_folder else names[entry.name]
                if self._visits(entry, path, shown, chain):
                    pending.append((path, shown, chain))
        files = sorted(self._files)
        skipped = [*self._skips, *(Skipped(path, "too_many") for path in files[MAX_FILES:])]
        skipped.sort(key=lambda item: item.path)
        others = tuple(sorted(self._others)[:MAX_FILES])
        return Listing(tuple(files[:MAX_FILES]), tuple(skipped), self._ignored_count, others)

    def _visits(
        self, entry: os.DirEntry[str], path: str, shown: str, chain: tuple[Rules, ...]
    ) -> bool:
        """Sort an entry, and return True if it is a folder to visit. `shown` is its masked path."""
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError as error:
            self._skips.append(Skipped(well_formed(shown), _reason(error)))
            return False
        is_source = language_of_path(entry.name) is not None
        if not _is_text(path):
            self._skips.append(Skipped(ascii(shown), "not_text_name"))
        elif entry.is_symlink():
            self._skips.append(Skipped(shown, "link"))
        elif is_folder and _is_excluded(self._root, path, entry.name):
            return False
        elif is_folder or is_source:
            if chain and is_ignored(path, chain, is_folder=is_folder):
                self._ignored_count += 1
            elif is_folder:
                return True
            else:
                self._sort_file(entry, shown)
        elif not (entry.name.startswith(".") or is_ignored(path, chain, is_folder=False)):
            self._others.append(shown)
        return False

    def _rules(self, folder: str, shown_folder: str) -> tuple[Rules, ...]:
        path = f"{folder}/{FILE}" if folder else FILE
        shown = f"{shown_folder}/{FILE}" if shown_folder else FILE
        try:
            content = read_source(self._root, path, limit=MAX_IGNORE_BYTES)
        except UnreadableSourceError as error:
            self._skips.append(Skipped(shown, error.reason))
            return ()
        rules, wrong = read_rules(content.decode(errors="replace"), path.removesuffix(FILE))
        if wrong:
            self._skips.append(Skipped(shown, "wrong_rule"))
        return (rules,) if rules else ()

    def _entries(self, folder: str, shown_folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._root / folder) as entries:
                return list(entries)
        except OSError as error:
            self._skips.append(Skipped(shown_folder or ".", _reason(error)))
            return []

    def _sort_file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._skips.append(Skipped(path, _reason(error)))
            return
        if not stat.S_ISREG(status.st_mode):
            self._skips.append(Skipped(path, "not_regular"))
        elif status.st_size > MAX_BYTES:
            self._skips.append(Skipped(path, "too_large"))
        else:
            self._files.append(path)


def _is_excluded(root: Path, path: str, name: str) -> bool:
    # `Path.is_file` raises for a name that is too long, or a folder that may not be entered.
    return name in EXCLUDED or os.path.isfile(root / path / "pyvenv.cfg")  # noqa: PTH113


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
