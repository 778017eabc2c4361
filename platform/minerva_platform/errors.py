"""Every error that MINERVA raises.

An error's text says what happened, where, and what to type or change next.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

_Texts = Mapping[str, str] | None


class MinervaError(Exception):
    """The base of every error here, so that one `except` catches all of MINERVA's."""

    korean: str = ""
    """The error's own Korean words; empty if those of its class are enough (`failure_text.py`)."""


class ContractError(MinervaError):
    """An agent, a team or a hand-off is declared in a way that could never run right."""


class CheckError(ContractError):
    """The problems that `minerva check` found, all of them at once."""

    def __init__(self, problems: Sequence[str], way_round: str = "") -> None:
        self.problems = tuple(problems)
        lines = "\n".join(f"  - {problem}" for problem in self.problems)
        noun = "problem" if len(self.problems) == 1 else "problems"
        super().__init__(
            f"{len(self.problems)} {noun} in the declared teams:\n{lines}\n"
            + (way_round or "Mend the declarations, then run `minerva check` again.")
        )


class HandoffMisfitError(ContractError):
    """One member's model of a hand-off does not fit another's. Only records name this class."""


class UnkeptValueError(ContractError):
    """A state holds a value of the type `kind`, which no checkpoint would give back as it is."""

    def __init__(
        self, kind: str, reason: str = "it is no plain data", *, where: str = "its state"
    ) -> None:
        self.kind, self.reason = kind, reason
        super().__init__(
            f"{where} holds a value of the type `{kind}`. No checkpoint keeps that: {reason}. "
            "Put plain values into the state, or a class that its annotation names, and make the "
            "rest where it is used."
        )


class ChangedStateError(ContractError):
    """A state that waited holds a `kind` that is no more what it was; `reason` says how."""

    def __init__(self, kind: str, reason: str) -> None:
        self.kind, self.reason = kind, reason
        super().__init__(
            f"The state of this run holds a `{kind}`, which has changed since: {reason}. "
            "Put the class back and go on with the run, or cancel the run and ask again."
        )


class ChangingQuestionError(ContractError):
    """A worker's question changes by itself between question and answer, so nobody can answer it.

    `differences` are the names of the arguments that differ. Nothing was done.
    """

    def __init__(self, path: str, tool: str | None, differences: Sequence[str]) -> None:
        self.path, self.differences = path, tuple(differences)
        self.names = names = ", ".join(f"`{name}`" for name in differences)
        about = f" about `{tool}`" if tool else ""
        super().__init__(
            f"`{path}` has asked a person{about} twice, and each time asked for something else "
            f"when the decision came: {names} changed. No decision was used, and nothing was "
            "done. What is asked must follow from the worker's state: take a time or a random "
            "value in a step before the one that asks."
        )


class NotAuditedError(ContractError):
    """A declared order went round the audit of an export. Only records name this class."""


class BindingError(MinervaError):
    """A task does not fill an agent's Input. `reason` says why, `korean` the same in Korean."""

    def __init__(self, agent: str, field: str, reason: str, korean: str = "") -> None:
        self.agent, self.field, self.reason, self.korean = agent, field, reason, korean
        super().__init__(f"`{agent}` cannot start: its input `{field}` {reason}")


class OutputError(MinervaError):
    """The last state of an agent's graph does not fit the declared Output."""

    def __init__(self, agent: str, reason: str) -> None:
        self.agent, self.reason = agent, reason
        super().__init__(f"`{agent}` broke its own contract: {reason}")


class OutputLimitError(OutputError):
    """An agent returned more than may leave it."""


class AgentError(MinervaError):
    """An agent cannot answer and says why. Teams raise it with a sentence for the person."""


class UnkeptPauseError(AgentError):
    """An agent asks a person in a run of which nothing is kept, so nobody could answer."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        super().__init__(
            f"`{agent}` asks a person, but nothing of this run is kept, so nobody could answer. "
            "Set `keep_state: true` in platform.yaml; a team that is asked by itself also needs "
            "`thread=…`, and a graph of yours around it needs `checkpointer=…`."
        )


class UnkeptEffectError(AgentError):
    """An agent asks before an effect that nothing here would know again."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        super().__init__(
            f"`{agent}` asks before an `@effect` that may not be repeated, and nothing here keeps "
            "what it does. So nobody was asked. Set `keep_state: true` in platform.yaml; a graph "
            "of yours around it also takes `storage=URL` (as_graph, as_node, as_tool)."
        )


class NoModelError(AgentError):
    """A worker of tools has no model that could choose among them."""

    def __init__(self, agent: str, team: str = "") -> None:
        self.agent, self.team = agent, team
        file = f"configs/teams/{team}.yaml" if team else "configs/platform.yaml"
        of, ko = (f" of team `{team}`", f"팀 `{team}`의 ") if team else ("", "")
        self.korean = (
            f"{ko}`{agent}`는 모델이 있어야 도구를 고를 수 있는데, 설정된 모델이 없습니다. "
            f"MINERVA_MODEL과 그 키를 설정하거나 {file}에 `model:`을 쓰세요."
        )
        super().__init__(
            f"`{agent}`{of} needs a model, which chooses its tools, and has none. Set "
            "MINERVA_MODEL (openai:gpt-5-mini, with OPENAI_API_KEY), or write `model:` into "
            f"{file}."
        )


class McpServerError(MinervaError):
    """A worker goes on without tools of a server (MCP). `reason` ends a sentence about it."""

    def __init__(self, agent: str, server: str, team: str, reason: str) -> None:
        self.agent, self.server, self.team, self.reason = agent, server, team, reason
        of = f" of team `{team}` (`mcp.{server}` in configs/teams/{team}.yaml)" if team else ""
        super().__init__(
            f"`{agent}` goes on without tools of the MCP server `{server}`{of}. It {reason}"
        )


class McpToolError(MinervaError):
    """A call of a tool of a server (MCP) failed. `reason` is the end of a sentence."""

    def __init__(self, tool: str, server: str, reason: str) -> None:
        self.tool, self.server, self.reason = tool, server, reason
        super().__init__(f"The tool `{tool}` of the MCP server `{server}` {reason}")


NOT_IN_TIME = "Nobody decided in time."
"""The message of a rejection after a question's time is over."""


class RejectedError(MinervaError):
    """A person rejected what a worker asked, or the time to answer is over.

    `message` is what the person said to it. A worker that does not catch it fails with it.
    """

    def __init__(self, question: str, message: str = "") -> None:
        self.question, self.message = question, message
        said = "정해진 시간 안에 아무도 결정하지 않았습니다." if message == NOT_IN_TIME else message
        self.korean = f"담당자가 거절했습니다: {said}" if said else "담당자가 거절했습니다."
        super().__init__(f"A person rejected it: {message}" if message else "A person rejected it.")


class AgentExitError(MinervaError):
    """An agent raised an exception that would end a task, a loop or the process: its cause."""

    def __init__(self, agent: str, deed: str) -> None:
        self.agent, self.deed = agent, deed
        super().__init__(f"`{agent}` {deed}")


class AgentTimeoutError(MinervaError, TimeoutError):
    """An agent did not answer within its limit, in seconds."""

    def __init__(self, path: str, seconds: float) -> None:
        self.path, self.seconds, self.limit = path, seconds, f"{round(seconds, 2):g}"
        super().__init__(f"`{path}` gave no answer within {self.limit} s.")


class ErrorReport(Protocol):
    """An exception as data (`contract.result.ErrorInfo`)."""

    @property
    def text(self) -> str:
        """What happened, in a sentence."""
        ...


class ReportedError(MinervaError):
    """An exception of an isolated agent. `info` is the exception as data."""

    def __init__(self, info: ErrorReport) -> None:
        self.info = info
        super().__init__(info.text)


class IsolatedProcessError(MinervaError):
    """The process of an agent ended before it answered, or sent an unreadable message."""

    def __init__(self, path: str, what: str) -> None:
        self.path, self.what = path, what
        super().__init__(f"The process of `{path}` {what}.")


class RoutingError(MinervaError):
    """A request could not be routed by this supervisor."""


_MAX_NAME_CHARACTERS = 80
"""Characters of a member's name that an error shows. A model may answer with 10 MB."""


class UnknownMemberError(RoutingError):
    """The router named a member that the supervisor does not have.

    Names match exactly: another case, a space or a look-alike letter is another name.
    """

    def __init__(self, member: str, members: Iterable[str]) -> None:
        self.member, self.members = member, tuple(members)
        shown = ascii(member[:_MAX_NAME_CHARACTERS])
        super().__init__(
            f"{shown} is not a member of this supervisor; "
            f"the router must choose among: {', '.join(self.members) or '(no members)'}."
        )


class RouterLimitError(RoutingError):
    """A bound that the router keeps itself ends the visit, with what is there."""

    def __init__(self, message: str, korean: str) -> None:
        self.korean = korean
        super().__init__(message)


class ConditionError(RoutingError):
    """A condition of a workflow raised, or what it reads is not there.

    `given_up` are the members that are never called for it, each with the path behind it.
    """

    def __init__(self, message: str, korean: str, *, given_up: _Texts = None) -> None:
        self.korean, self.given_up = korean, dict(given_up or {})
        super().__init__(message)


class MissingExamplesError(RoutingError):
    """A member gives no example request, so the embedded router can never choose it."""

    def __init__(self, members: Iterable[str]) -> None:
        self.members = tuple(members)
        super().__init__(
            f"No examples to learn from: {', '.join(self.members)}. "
            "Give each at least 10 requests in `examples`, in the words people use."
        )


class ModelError(MinervaError):
    """A model gave no usable answer. The text names the model and the path that asked."""

    def __init__(self, model: str, path: str, reason: str) -> None:
        self.model, self.path, self.reason = model, path, reason
        self.bill: tuple[tuple[int, int] | None, float | None] = None, None
        """The tokens of an answer that cannot be used, and its cost, as far as they are known."""
        super().__init__(f"`{model}`, asked by `{path}`: {reason}")


class ModelRequestError(ModelError):
    """The provider refuses the request: the key, the model's name or a parameter is wrong."""


class ModelTimeoutError(ModelError):
    """No whole answer came within the time of a call."""


class ModelUnavailableError(ModelError):
    """The model cannot be reached, is overloaded, or rests after too many failures."""


class ModelIncompleteError(ModelError):
    """The answer was cut. Nothing that it asked for is done."""


class ModelOutputError(ModelError):
    """The answer is whole, but does not have the requested form."""


class SettingsError(MinervaError):
    """A configuration file cannot be used. The text names the file and the line."""


class YamlError(SettingsError):
    """A file that cannot be read as plain YAML."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(f"{path}:{line}: {reason}")


class RunError(MinervaError):
    """A run cannot be started or shown."""


class ThreadBusyError(RunError):
    """Another run goes on in the thread; `retry_after` says when to try again (seconds)."""

    def __init__(self, thread_id: str, retry_after: int) -> None:
        self.thread_id, self.retry_after = thread_id, retry_after
        super().__init__(
            f"thread_busy: another run goes on in the thread `{thread_id}`. Wait for it and try "
            f"again in {retry_after} s, or leave --thread out."
        )


class LeaseLostError(RunError):
    """The process stood still for so long that another run took its thread over."""

    def __init__(self, thread_id: str) -> None:
        self.thread_id = thread_id
        super().__init__(
            f"Another run has taken over the thread `{thread_id}`, because this one stood still "
            "for too long. Nothing of it was written there; ask again."
        )


class RunCancelledError(LeaseLostError):
    """A person cancelled the run, from another process than the one that was at work on it."""

    def __init__(self, run_id: str, thread_id: str = "") -> None:
        super().__init__(thread_id)
        self.run_id = run_id
        self.args = (f"Run `{run_id}` was cancelled from elsewhere. Nothing more of it is done.",)


class UnknownRunError(RunError):
    """No run has this id."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(f"There is no run `{run_id}`. See which runs wait: minerva waiting")


class OriginalsRunError(RunError):
    """The run was accepted before the store was copied and restored. Nothing was done."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.korean = (
            f"이 저장소는 되살린 사본이고, 실행 `{run_id}`은 원본이 이미 이어 갔을 수 있습니다. "
            "아무것도 하지 않았습니다. 이제부터 이것이 저장소라면 입력하세요: "
            "minerva doctor --this-is-the-store"
        )
        super().__init__(
            f"This store is a restored copy, and its original may have gone on with the run "
            f"`{run_id}`. Nothing was done. If this is the store from now on, type: "
            "minerva doctor --this-is-the-store"
        )


class UnknownThreadError(RunError):
    """No thread of the caller has this id."""

    def __init__(self, thread_id: str) -> None:
        self.thread_id = thread_id
        super().__init__(f"There is no thread `{thread_id}` here. Take another id.")


class UploadNameError(RunError):
    """An uploaded file may not have this name. `reason` says what is wrong with it."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        shown = name[:_MAX_SAID_CHARACTERS]
        super().__init__(f"The file name {shown!a} {reason}. Rename the file and send it again.")


class UploadGoneError(RunError):
    """A file that was uploaded is not kept any more, so no worker can read it."""

    def __init__(self, name: str, sha256: str) -> None:
        self.name, self.sha256 = name, sha256
        super().__init__(
            f"The uploaded file `{name}` ({sha256[:12]}…) is not kept any more. Upload it again, "
            "then ask again."
        )


class OtherTeamsError(RunError):
    """A run cannot go on: the teams are not those that it was started with. Nothing was done."""

    def __init__(
        self, run_id: str, path: str, what: str, first: _Texts = None, here: _Texts = None
    ) -> None:
        self.run_id, self.path, self.what = run_id, path, what
        before, now, on_path = first or {}, here or {}, path.split("/")
        others = [name for name in before if name in on_path or before[name] != now.get(name)]
        versions = " and ".join(f"`{before[name]}`" for name in others or before)
        which = f" ({versions})" if versions else ""
        super().__init__(
            f"Run `{run_id}` cannot go on: `{path}` {what}. Install the version that it was "
            f"started with{which}, or ask anew. Nothing was done, and the run is kept as it is."
        )


class DecisionError(RunError):
    """A person's decision is not taken. Nothing of its batch is kept, and nothing has run."""

    def __init__(self, run_id: str, interrupt_id: str, reason: str) -> None:
        self.run_id, self.interrupt_id, self.reason = run_id, interrupt_id, reason
        super().__init__(f"Question `{interrupt_id}` of run `{run_id}`: {reason}")


class UnknownInterruptError(DecisionError):
    """The run asks no question of this id."""


class InvalidDecisionError(DecisionError):
    """The decision is not allowed for this question, or its value does not fit the schema."""


class AlreadyDecidedError(DecisionError):
    """Another decision came first. `winner` is that one: type, value, by and at."""

    def __init__(self, run_id: str, interrupt_id: str, winner: Mapping[str, object]) -> None:
        self.winner = winner
        kind, by, said = str(winner["type"]), winner["by"], _winner_text(winner)
        at = f"{datetime.fromtimestamp(float(str(winner['at']))).astimezone():%Y-%m-%d %H:%M}"
        self.korean = (
            f"실행 `{run_id}`의 질문 `{interrupt_id}`: {by}의 결정이 먼저였습니다. "
            f"{at}, {_KOREAN_DECISIONS.get(kind, kind)}{said}."
        )
        reason = f"`{kind}` by {by} came first. It was decided at {at}{said}."
        super().__init__(run_id, interrupt_id, reason)


_KOREAN_DECISIONS = {
    "approve": "승인",
    "edit": "수정하여 승인",
    "reject": "거절",
    "respond": "답함",
}
_MAX_SAID_CHARACTERS = 200
"""Characters of the winner's own words that its loser is told."""


def _winner_text(winner: Mapping[str, object]) -> str:
    """Return what a decision said, on one line and with nothing in it that a terminal obeys."""
    names = ("value", "message", "edited_action")
    words = next((winner[name] for name in names if name in winner), "")
    if words == "":
        return ""
    text = json.dumps(words, ensure_ascii=False)
    seen = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    is_cut = len(seen) > _MAX_SAID_CHARACTERS
    return f": {seen[:_MAX_SAID_CHARACTERS]}{'…' if is_cut else ''}"


class StaleDecisionError(DecisionError):
    """The decision answers what the person saw, and the question is another one by now."""


class ExpiredInterruptError(DecisionError):
    """The decision came after the question had expired."""


class EffectError(RunError):
    """An effect may not be done here."""


class EffectMismatchError(EffectError):
    """A repeated step asks for another deed than the first time. Nothing was done."""

    def __init__(self, path: str, before: str, now: str) -> None:
        self.path, self.before, self.now = path, before, now
        super().__init__(
            f"`{path}` has done `{before}` here before, and now asks for `{now}` with other "
            "arguments. Nothing was done. What an effect gets must follow from the worker's state."
        )


class EffectNotDoneError(Exception):
    """An author's function raises it to say that its effect certainly did not happen."""


class StateError(RunError):
    """The database in which runs keep their state cannot be used; `place` is a path or a URL."""

    def __init__(self, place: object, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(f"Runs keep their state in {place}, which {reason}")


class StateBusyError(StateError):
    """Another process, or another run of this one, held the database for too long."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(
            path,
            f"stayed busy until the time was up ({cause}). End the other processes that use it, "
            "or set MINERVA_HOME to a folder of its own.",
        )


class StateLostError(StateError):
    """The file is empty or gone, though runs were kept in it. Nothing was written."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            "is empty or gone, though runs were kept there. Restore a backup (minerva doctor "
            "says how), or begin anew without them: minerva doctor --this-is-the-store",
        )


class StateDamagedError(StateError):
    """The file is no whole database any more. The next run begins a new one."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(
            path, f"is damaged: {cause}. The next run sets it aside and begins a new one."
        )


class UnreadableKeyError(StateError):
    """A value is encrypted by a key that is not in the environment."""

    def __init__(self, key_id: str, variable: str, earlier: str) -> None:
        super().__init__(
            "a store",
            f"holds values of the key with the id {key_id}, and neither {variable} nor {earlier} "
            "has it. Set them as those do who wrote it, and start this process anew.",
        )
