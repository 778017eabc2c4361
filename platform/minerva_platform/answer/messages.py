"""The platform's own words to the person, in the language of the request."""

from collections.abc import Sequence

from minerva_platform.contract.team import Member, Team
from minerva_platform.contract.values import Bypass, Task, TeamOutput
from minerva_platform.text.language_detection import Language, language_of

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
_STOPPED: dict[Language, str] = {
    "ko": "실행이 한도에서 멈추었습니다",
    "en": "The run was stopped by a limit",
}


OFFERED = 3
"""Requests that are shown of each member, one of each of its workers."""

_LIMITS = frozenset({"budget_model_calls", "budget_tokens", "deadline", "loop_limit"})


def answer_text(team: Team, task: Task, output: TeamOutput) -> str:
    """Return the answer as the person reads it: first what is not done, last what went wrong."""
    language = task.language
    if output.reason == "no_route" and not output.hops:
        return f"{_NO_ROUTE[language]}\n\n{offers(team, language)}"
    parts = [f"{_NOT_DONE[language]}: {'; '.join(output.unserved)}"] if output.unserved else []
    if output.summary:
        parts.append(output.summary)
    if output.status != "ok":
        parts.append(_FAILED[language])
        if output.error and not output.bypassed:
            parts.append(output.error.text)
    if output.reason in _LIMITS:
        parts.append(f"{_STOPPED[language]}: `{output.reason}`.")
    if output.bypassed:
        title = (_BYPASSED if output.status == "ok" else _WHAT_FAILED)[language]
        entries = "\n".join(f"- `{item.path}`: {item.cause}" for item in _told(output.bypassed))
        parts.append(f"{title}\n\n{entries}")
    return "\n\n".join(parts)


def _told(bypassed: Sequence[Bypass]) -> list[Bypass]:
    """Return the failures without those that only repeat one: a team's, a second visit's."""
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
    words = " · ".join([text for text in said if text][:OFFERED]) or agent.description
    return f"{title}: {words}"
