"""The platform's own sentences to the person, in the language of the request."""

from collections.abc import Sequence
from typing import NamedTuple

from minerva_platform.answer.effects import effects_text
from minerva_platform.contract.assembled_team import AssembledTeam, Member
from minerva_platform.contract.attachment import AttachmentUse
from minerva_platform.contract.result import LIMIT_REASONS, ROUTER_REASONS, Bypass, TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Effect
from minerva_platform.run_context.failures.failure_text import told_text
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of
from minerva_platform.text.markdown import code_span
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.answer", "messages")

MAX_TOLD = 20
"""Files that the answer names; the run object names more."""

OFFERED = 3
"""Requests that are shown of each member, one of each of its workers."""


class Account(NamedTuple):
    """The parts of the answer beside the members' own."""

    files: tuple[AttachmentUse, ...] = ()
    more_files: int = 0
    unused: tuple[str, ...] = ()
    repeats: bool = False
    """True if it repeats the answer of the turn before without being asked to."""


def answer_text(
    team: AssembledTeam,
    task: Task,
    output: TeamOutput,
    account: Account,
    effects: Sequence[Effect] = (),
) -> str:
    """Return the whole answer: first what was done to the world, and what is not done.

    Last come the attached files and the words that were not taken into account.
    """
    failed = [entry.path for entry in output.bypassed] if output.status == "ok" else [""]
    parts = [effects_text(effects, task.language, failed)] if effects else []
    parts += _main_parts(team, task, output, repeats=account.repeats)
    if account.files:
        parts.append(files_line(account.files, account.more_files, task))
    if account.unused:
        words = "; ".join(_quote(part) for part in account.unused)
        parts.append(TEXTS("unused", task.language, words=words))
    return "\n\n".join(part for part in parts if part)


def files_line(files: Sequence[AttachmentUse], more: int, task: Task) -> str:
    """Return the account of the files. Used files of a directory are counted, not named.

    `more` is how many files of directories are not among `files`.
    """
    language = task.language
    is_dir = {item.name: item.is_dir for item in task.attachments}
    told = [use for use in files if use.name in is_dir or use.status != "used"]
    inside = len(files) - len(told)
    said = [_file(use, language, is_dir=is_dir.get(use.name, False)) for use in told[:MAX_TOLD]]
    if inside:
        said.append(TEXTS("files.inside", language, count=inside))
    hidden = max(0, len(told) - MAX_TOLD) + more
    if hidden:
        said.append(TEXTS("files.more", language, count=hidden))
    return TEXTS("files.all", language, files="; ".join(said))


def _file(use: AttachmentUse, language: Language, *, is_dir: bool) -> str:
    name = code_span(f"{use.name}/" if is_dir else use.name)
    said = f"{name} {TEXTS(f'files.status.{use.status}', language)}"
    return f"{said} ({_quote(use.reason)})" if use.reason else said


def _quote(text: str) -> str:
    return " ".join(text.split())


def _main_parts(team: AssembledTeam, task: Task, output: TeamOutput, *, repeats: bool) -> list[str]:
    language = task.language
    parts: list[str] = []
    if output.unserved:
        parts.append(TEXTS("not_done", language, parts="; ".join(output.unserved)))
    lacks = [_missing(item, task) for item in _dedupe(output.bypassed) if not item.is_whole]
    if output.reason == "no_route" and not output.hops:
        parts += dict.fromkeys(lacks)
        return [*parts, TEXTS("no_route", language), offers(team, language)]
    if repeats:
        parts.append(TEXTS("same", language))
    if output.summary:
        parts.append(output.summary)
    if output.status != "ok" and output.reason != "rejected":
        parts += _no_answer(output, language)
    if output.reason in LIMIT_REASONS:
        why = told_text(output.error, language) if output.error else ""
        stopped = TEXTS("stopped", language, reason=output.reason)
        parts.append(stopped if why in parts else f"{stopped} {why}".rstrip())
    if output.reason in ROUTER_REASONS and output.status == "ok" and output.error:
        why = told_text(output.error, language)
        parts.append(TEXTS("undecided", language, why=why))
    if lacks:
        failed = "rejected" if output.reason == "rejected" else "what_failed"
        title = TEXTS("missing" if output.status == "ok" else failed, language)
        parts.append("\n".join((f"{title}\n", *dict.fromkeys(lacks))))
    return parts


def _no_answer(output: TeamOutput, language: Language) -> list[str]:
    """Return that there is no answer, unless a model that leads has said what failed."""
    if output.reason == "router_failed" and output.bypassed and not output.hops:
        return [TEXTS("model_failed", language)]
    parts = [] if output.summary else [TEXTS("no_answer", language)]
    if output.error and not output.bypassed:
        parts.append(told_text(output.error, language))
    return parts


def _missing(item: Bypass, task: Task) -> str:
    """Return what the answer lacks: the words that nobody answered, if not all, who, and why."""
    part = _quote(item.part)
    is_part = part and part != _quote(task.request) and part in _quote(task.request)
    sentence = item.sentence or TEXTS("untold", task.language)  # kept by an earlier version
    return f"- {f'“{part}” ' if is_part else ''}`{item.path}`: {sentence}"


def _dedupe(bypassed: Sequence[Bypass]) -> list[Bypass]:
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


def offers(team: AssembledTeam, language: Language) -> str:
    """Return the purpose of every member of `team`, one on each line."""
    return "\n".join(f"- {_offer(agent, language)}" for agent in team.agents)


def _offer(agent: Member, language: Language) -> str:
    """Return the purpose of `agent`: examples in the person's language, else its description."""
    title = f"`{agent.name}`"
    workers: tuple[Member, ...] = (agent,)
    if isinstance(agent, AssembledTeam):
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
