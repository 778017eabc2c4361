"""The account of attached files: for each file, whether members used it.

A worker reports what it did with the files that it was given (`AgentOutput.files`). If a worker
reports nothing, the platform knows only which files it was given, and says just that.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.attachment import Attachment, AttachmentUse, FileReport, FileStatus
from minerva_platform.contract.bounds import MAX_FILES
from minerva_platform.contract.result import Result, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.runtime.border.input_binding import taken_attachments
from minerva_platform.text.language import Language
from minerva_platform.text.personal_data import masked_name, real_path
from minerva_platform.text.texts import read_texts

_RANKS: Final[dict[FileStatus, int]] = {"used": 0, "not_understood": 1, "unreadable": 2}

TEXTS = read_texts("minerva_platform.runtime", "attached_files")

UseT = TypeVar("UseT", bound=AttachmentUse)


def most_telling(uses: Sequence[UseT]) -> tuple[list[UseT], int]:
    """Return at most `MAX_FILES` of `uses` in their order, and how many more there are.

    Unused files are kept before used ones.
    """
    if len(uses) <= MAX_FILES:
        return list(uses), 0
    by_need = sorted(range(len(uses)), key=lambda index: uses[index].status == "used")
    kept = sorted(by_need[:MAX_FILES])
    return [uses[index] for index in kept], len(uses) - MAX_FILES


def files_of(
    agent: BaseAgent[Any, Any], task: Task, result: Result
) -> tuple[tuple[FileReport, ...], int]:
    """Return the files of `result` with those that `agent` was given and did not report.

    Beside them is the number of further files. A team that ended by itself reports what its members
    were given.
    """
    if agent.is_team and result.status == "ok":
        return result.files, result.more_files
    with suppress(OSError):  # the call has failed for the same reason
        by_attachment = _by_attachment(taken_attachments(agent, task), result.files)
        silent = [item.name for item, reports in by_attachment if not reports]
        status: FileStatus = "used" if result.status == "ok" else "not_understood"
        more = [FileReport(name=name, status=status, silent=agent.name) for name in silent]
        files, beyond = most_telling((*result.files, *more))
        return tuple(files), result.more_files + beyond
    return result.files, result.more_files


def merged_files(
    results: Iterable[Result], *, across_teams: bool
) -> tuple[tuple[FileReport, ...], int]:
    """Return one report per file from all `results`, and the number of further files.

    A file is used if one member used it, unless the person has to mend it. Inside a team, a
    worker's own report counts before that of a worker that was only given the file. A worker of
    another team that reports nothing may have used the file.
    """
    best: dict[tuple[str, int], FileReport] = {}
    more = 0
    for result in results:
        more = max(more, result.more_files)
        for key, report in _by_number(result.files):
            before = best.get(key)
            if before is None or _rank(report, across_teams) < _rank(before, across_teams):
                best[key] = report
    files, beyond = most_telling(tuple(best.values()))
    return tuple(files), more + beyond


def named_files(
    output: TeamOutput, attachments: Sequence[Attachment], language: Language, *, is_over: bool
) -> tuple[tuple[AttachmentUse, ...], int]:
    """Return the use of each of `attachments`, and the number of further files.

    A directory is followed by the files in it.

    While the run waits for a person, only files with a report are named.
    """
    nobody = TEXTS("not_taken" if output.hops else "nobody_ran", language)
    named: list[AttachmentUse] = []
    for item, told in _by_attachment(attachments, output.files):
        own = [report for report in told if report.name in _names(item)]
        inside = [report for report in told if report not in own]
        best = min(told, key=lambda report: _RANKS[report.status], default=None)
        if own:
            named.append(_to_use(item.name, own[0], language))
        elif best is not None:
            named.append(AttachmentUse(name=item.name, status=best.status))
        elif is_over:
            status = "not_understood"
            named.append(AttachmentUse(name=item.name, status=status, reason=nobody))
        named += [_to_use(report.name, report, language) for report in inside]
    kept, more = most_telling(named)
    return tuple(kept), output.more_files + more


def _to_use(name: str, report: FileReport, language: Language) -> AttachmentUse:
    """Return `report` as the answer shows it."""
    reason = report.reason
    if report.silent:
        member = f"`{report.silent}`"
        reason = TEXTS("given" if report.status == "used" else "failed", language, member=member)
    return AttachmentUse(name=name, status=report.status, reason=reason, must_mend=report.must_mend)


def _by_attachment(
    attachments: Sequence[Attachment], reports: Sequence[FileReport]
) -> list[tuple[Attachment, list[FileReport]]]:
    """Return each attachment with its reports; for a directory, also those of its files.

    Reports of files that are not attached are left out.
    """
    left = dict(_by_number(reports))
    seen: Counter[str] = Counter()
    found: list[tuple[Attachment, list[FileReport]]] = []
    for item in attachments:
        keys = [(name, seen[_names(item)[0]]) for name in _names(item)]
        seen[_names(item)[0]] += 1
        found.append((item, [left.pop(key) for key in keys if key in left]))
    directories = [(item, told) for item, told in found if item.is_dir]
    for item, told in directories:
        is_only = len(directories) == 1
        inside = [key for key, r in left.items() if _lies_in(item, r.name, is_only=is_only)]
        told.extend(left.pop(key) for key in inside)
    return found


def _names(item: Attachment) -> tuple[str, ...]:
    """Return how a report may call `item`: masked, as reports are."""
    return tuple(dict.fromkeys(map(masked_name, (item.name, str(item.path)))))


def _lies_in(directory: Attachment, name: str, *, is_only: bool) -> bool:
    """True if `name` is a file in `directory`. `is_only`: no other directory is attached."""
    place = directory.path / name
    if not place.is_relative_to(directory.path) or ".." in Path(name).parts:
        return False
    is_named_so = name.startswith(f"{masked_name(directory.name)}/")
    return is_only or is_named_so or os.path.lexists(real_path(place))


def _rank(report: FileReport, across_teams: bool) -> tuple[bool, bool, int, bool]:  # noqa: FBT001
    """Return a sort key; the report that counts has the lowest.

    What the person has to mend counts first: that another member has no use for the file, or may
    have used it, does not make the answer whole.
    """
    is_silent = bool(report.silent)
    counts = is_silent and not (across_teams and report.status == "used")
    return not report.must_mend, counts, _RANKS[report.status], is_silent


def _by_number(reports: Iterable[FileReport]) -> Iterator[tuple[tuple[str, int], FileReport]]:
    """Yield each report with its name and that name's number, because names may repeat."""
    seen: Counter[str] = Counter()
    for report in reports:
        yield (report.name, seen[report.name]), report
        seen[report.name] += 1
