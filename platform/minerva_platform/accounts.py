"""Account for what came with a request, at the root: its files, its words and what is not new."""

from typing import NamedTuple

from minerva_platform.attached import named_files
from minerva_platform.contract import AttachmentUse, Task, TeamOutput
from minerva_platform.follow_up import Understood
from minerva_platform.repetition import repeats_unasked
from minerva_platform.unused import quoted


class Account(NamedTuple):
    """What the answer says beside what the members answered."""

    files: tuple[AttachmentUse, ...] = ()
    more_files: int = 0
    unused: tuple[str, ...] = ()
    repeats: bool = False
    """Whether it is the answer of the turn before, which was not asked for again."""


def account(task: Task, said: Understood, output: TeamOutput, *, is_over: bool) -> Account:
    """Return the account of `task`, which was run as `said`.

    Of files that stayed with the thread, only those are named that a member was given. While the
    run waits for a person (`is_over` is false), a file may still be used.
    """
    if said.is_courtesy:
        return Account()
    came = is_over and bool(task.attachments)
    files, more = named_files(output, said.task.attachments, said.task.language, is_over=came)
    answered = output.unused if output.status == "ok" else None
    unused = quoted(answered or (), task.request, unserved=output.unserved)
    repeats = repeats_unasked(task.request, output, said.latest)
    return Account(files, more, unused, repeats)
