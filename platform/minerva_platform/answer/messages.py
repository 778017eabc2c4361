"""The platform's own words to the person, in the language of the request."""

from collections.abc import Sequence
from typing import NamedTuple

from minerva_platform.calls.failure_text import failure_text
from minerva_platform.contract.attachment import AttachmentUse, FileStatus
from minerva_platform.contract.result import Bypass, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Member, Team
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.markdown import code_span

_NO_ROUTE: dict[Language, str] = {
    "ko": "이 요청을 맡을 구성원이 없습니다. 맡길 수 있는 일과 예:",
    "en": "Nobody here serves this request. What can be asked for, with examples:",
}
_FAILED: dict[Language, str] = {
    "ko": "답을 만들지 못했습니다.",
    "en": "No answer could be made.",
}
_BYPASSED: dict[Language, str] = {
    "ko": "건너뛴 단계가 있어 답이 완전하지 않을 수 있습니다:",
    "en": "Some steps were bypassed, so the answer may be incomplete:",
}
_WHAT_FAILED: dict[Language, str] = {
    "ko": "실패한 단계:",
    "en": "What failed:",
}
_NOT_DONE: dict[Language, str] = {
    "ko": "하지 못한 것",
    "en": "Not done",
}
_SAME: dict[Language, str] = {
    "ko": "앞선 답과 같은 답입니다.",
    "en": "This is the same answer as the last one.",
}
_STOPPED: dict[Language, str] = {
    "ko": "실행이 한도에서 멈추었습니다",
    "en": "The run was stopped by a limit",
}

_FILES: dict[Language, str] = {
    "ko": "파일",
    "en": "Files",
}
_STATUS: dict[Language, dict[FileStatus, str]] = {
    "ko": {"used": "사용함", "unreadable": "읽지 못함", "not_understood": "이해하지 못함"},
    "en": {"used": "used", "unreadable": "unreadable", "not_understood": "not understood"},
}
_INSIDE: dict[Language, str] = {
    "ko": "폴더 안에서 사용한 파일 {count}개",
    "en": "files inside that are used: {count}",
}
_MORE: dict[Language, str] = {
    "ko": "그 밖에 {count}개",
    "en": "and {count} more",
}
_NOT_USED: dict[Language, str] = {
    "ko": "반영하지 않은 말",
    "en": "Not taken into account",
}

MAX_TOLD = 20
"""Files that the answer names; the run object names more."""

OFFERED = 3
"""Requests that are shown of each member, one of each of its workers."""

_LIMITS = frozenset({"budget_model_calls", "budget_tokens", "deadline", "loop_limit"})


class Account(NamedTuple):
    """What the answer says beside what the members answered."""

    files: tuple[AttachmentUse, ...] = ()
    more_files: int = 0
    unused: tuple[str, ...] = ()
    repeats: bool = False
    """Whether it is the answer of the turn before, which was not asked for again."""


def answer_text(
    team: Team,
    task: Task,
    output: TeamOutput,
    told: Account,
) -> str:
    """Return the answer as the person reads it: first what is not done, then what went wrong.

    Last come the attached files and the words that were not taken into account.
    """
    parts = _main_parts(team, task, output, repeats=told.repeats)
    if told.files:
        parts.append(files_line(told.files, told.more_files, task))
    if told.unused:
        words = "; ".join(_quote(part) for part in told.unused)
        parts.append(f"{_NOT_USED[task.language]}: {words}")
    return "\n\n".join(part for part in parts if part)


def files_line(files: Sequence[AttachmentUse], more: int, task: Task) -> str:
    """Return what became of the files; used files of a directory are counted, not named.

    `more` is how many files of directories are not among `files`.
    """
    language = task.language
    is_dir = {item.name: item.is_dir for item in task.attachments}
    told = [use for use in files if use.name in is_dir or use.status != "used"]
    inside = len(files) - len(told)
    said = [_file(use, language, is_dir=is_dir.get(use.name, False)) for use in told[:MAX_TOLD]]
    if inside:
        said.append(_INSIDE[language].format(count=f"{inside:,}"))
    hidden = max(0, len(told) - MAX_TOLD) + more
    if hidden:
        said.append(_MORE[language].format(count=f"{hidden:,}"))
    return f"{_FILES[language]}: {'; '.join(said)}"


def _file(use: AttachmentUse, language: Language, *, is_dir: bool) -> str:
    name = code_span(f"{use.name}/" if is_dir else use.name)
    said = f"{name} {_STATUS[language][use.status]}"
    return f"{said} ({_quote(use.reason)})" if use.reason else said


def _quote(text: str) -> str:
    return " ".join(text.split())


def _main_parts(team: Team, task: Task, output: TeamOutput, *, repeats: bool) -> list[str]:
    language = task.language
    parts = [f"{_NOT_DONE[language]}: {'; '.join(output.unserved)}"] if output.unserved else []
    if output.reason == "no_route" and not output.hops:
        return [*parts, _NO_ROUTE[language], offers(team, language)]
    if repeats:
        parts.append(_SAME[language])
    if output.summary:
        parts.append(output.summary)
    if output.status != "ok":
        parts.append(_FAILED[language])
        if output.error and not output.bypassed:
            parts.append(failure_text(output.error, language))
    if output.reason in _LIMITS:
        parts.append(f"{_STOPPED[language]}: `{output.reason}`.")
    if output.bypassed:
        title = (_BYPASSED if output.status == "ok" else _WHAT_FAILED)[language]
        entries = "\n".join(f"- `{item.path}`: {item.cause}" for item in _told(output.bypassed))
        parts.append(f"{title}\n\n{entries}")
    return parts


def _told(bypassed: Sequence[Bypass]) -> list[Bypass]:
    """Return the failures without those that only repeat one: a team's, a second call's."""
    said = {(item.path, item.cause) for item in bypassed}
    return [
        item
        for item in bypassed
        if not (item.because_of or "").startswith(f"{item.path}/")
        and (item.because_of, item.cause) not in said
        and not any(
            other.path.startswith(f"{item.path}/") and other.cause == item.cause
            for other in bypassed
        )
    ]


def offers(team: Team, language: Language) -> str:
    """Return what every member of `team` is for, one a line."""
    return "\n".join(f"- {_offer(agent, language)}" for agent in team.agents)


def _offer(agent: Member, language: Language) -> str:
    """Return what `agent` is for: requests in the person's language, else its description."""
    title = f"`{agent.name}`"
    workers: tuple[Member, ...] = (agent,)
    if isinstance(agent, Team):
        title = f"{agent.headings.get(language, agent.name)} ({title})"
        workers = agent.agents
    said = [
        next((text for text in worker.examples if language_of(text) == language), None)
        for worker in workers
    ]
    words = " · ".join([text for text in said if text][:OFFERED])
    if words or language_of(agent.description) == language:
        return f"{title}: {words or agent.description}"
    return f"{title}: {code_span(agent.description)}"
