"""The rules of `.gitignore` files, nested ones included.

Their patterns come from strangers. RE2 matches them, in a time linear in the length of the path,
because Python's engine can be kept busy for years by a dozen of asterisks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

FILE = ".gitignore"
MAX_BYTES = 64 * 1024


@dataclass(frozen=True)
class Rules:
    """The patterns of one file. `folder` is empty or ends in a slash."""

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
