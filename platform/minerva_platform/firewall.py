"""The firewall at every border: what goes into a member, and what comes out.

`convert_in` builds a member's first state from the task and the hand-offs its parent holds;
`convert_out` turns its last state into a `Result` and typed hand-offs. Nothing else crosses:
not messages, not keys, not names, not commands.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from minerva_platform.agent import AgentOutput, BaseAgent, validation_text
from minerva_platform.contract import (
    Attachment,
    AttachmentPattern,
    Handoff,
    HandoffRecord,
    Handoffs,
    Result,
    Role,
    Task,
    TeamOutput,
)
from minerva_platform.errors import BindingError, ContractError
from minerva_platform.flow import handoff_of, handoff_ports

if TYPE_CHECKING:
    from minerva_platform.artifacts import ArtifactStore

MAX_SUMMARY = 64 * 1024
"""Characters of a summary that may enter the parent's state."""

MAX_INLINE = 64 * 1024
"""Bytes of a hand-off's JSON that may lie in graph state; larger ones travel by sha-256."""

_TEAM_FIELDS = tuple(name for name in TeamOutput.model_fields if name != "handoffs")

WORDS = ("request", "context", "language")
"""The Input fields that are filled from the task itself."""


def convert_in(agent: BaseAgent[Any, Any], task: Task, store: "ArtifactStore") -> dict[str, Any]:
    """Return the first state of `agent`'s graph for `task`.

    Raises:
        BindingError: the task does not give what the agent's Input asks for.
    """
    if agent.Input is Task:  # a team takes the task, less what its members may not see
        handoffs = narrow(task.handoffs, agent.flow.takes)
        return agent.input_to_state(task.model_copy(update={"handoffs": handoffs}))
    return agent.input_to_state(agent.validate_input(bind(agent, task, store)))


def convert_out(
    agent: BaseAgent[Any, Any],
    state: Mapping[str, Any],
    *,
    path: str,
    role: Role,
    store: "ArtifactStore",
) -> tuple[Result, Handoffs]:
    """Return what may leave `agent` of the last state of its graph.

    Raises:
        OutputError: the state does not fit the agent's Output.
    """
    output = agent.state_to_output(state)
    if isinstance(output, TeamOutput):
        result = Result(
            agent=agent.name,
            path=path,
            role=role,
            **{name: getattr(output, name) for name in _TEAM_FIELDS},
        )
        return result, narrow(output.handoffs, frozenset(agent.flow.gives))
    result = Result(
        agent=agent.name,
        path=path,
        status="ok",
        role=role,
        summary=capped(str(getattr(output, "summary", ""))),
        output=own_fields(output),
        citations=getattr(output, "citations", ()),
        artifacts=tuple(store.store(item) for item in getattr(output, "artifacts", ())),
    )
    return result, given_handoffs(output, path, store)


def capped(text: str) -> str:
    """Return `text`, cut to what may enter the parent's state; the cut says so."""
    if len(text) <= MAX_SUMMARY:
        return text
    return f"{text[:MAX_SUMMARY]}\n… ({MAX_SUMMARY} of {len(text)} characters shown)"


def bind(agent: BaseAgent[Any, Any], task: Task, store: "ArtifactStore") -> dict[str, Any]:
    """Return the payload for `agent.Input` that `task` gives.

    Raises:
        BindingError: an attachment is missing or ambiguous, a required hand-off is not there,
            or a hand-off does not fit the consumer's model.
    """
    fields = agent.Input.model_fields
    payload: dict[str, Any] = {}
    if "request" in fields:
        payload["request"] = task.request or task.context
    if "context" in fields and agent.input_mode == "context":
        payload["context"] = task.context
    if "language" in fields:
        payload["language"] = task.language
    for name, field in fields.items():
        pattern = attachment_pattern(field)
        handoff, many = handoff_of(field)
        if pattern is not None:
            payload |= _bind_attachment(agent.name, name, field, pattern, task)
        elif handoff is not None:
            records = task.handoffs.get(handoff.kind, [])
            payload |= _bind_handoff(agent.name, name, field, handoff, records, many, store)
    return payload


def unbound_fields(given: type[BaseModel]) -> list[str]:
    """Name the required fields of an Input that no task could ever fill."""
    return [
        name
        for name, field in given.model_fields.items()
        if field.is_required()
        and name not in WORDS
        and attachment_pattern(field) is None
        and handoff_of(field)[0] is None
    ]


def attachment_pattern(field: FieldInfo) -> AttachmentPattern | None:
    """Return the pattern of an attachment field, None for any other field.

    Raises:
        ContractError: the field is an Attachment but does not say which files it takes.
    """
    for mark in field.metadata:
        if isinstance(mark, AttachmentPattern):
            return mark
    if _mentions_attachment(field.annotation):
        message = (
            "an Attachment field must say which files it takes: "
            'Annotated[Attachment, Attachment.of("*.sql")].'
        )
        raise ContractError(message)
    return None


def _mentions_attachment(annotation: Any) -> bool:
    if annotation is Attachment:
        return True
    inner = (
        get_args(annotation)[:1] if get_origin(annotation) is Annotated else get_args(annotation)
    )
    return any(_mentions_attachment(arg) for arg in inner)


def _takes_many(annotation: Any) -> bool:
    if get_origin(annotation) in {list, tuple}:
        return True
    return any(_takes_many(arg) for arg in get_args(annotation))


def _bind_attachment(
    agent: str, name: str, field: FieldInfo, pattern: AttachmentPattern, task: Task
) -> dict[str, Any]:
    found = [attachment for attachment in task.attachments if pattern.takes(attachment)]
    if not found:
        found = [entry for entry in _entries(task.attachments) if pattern.takes(entry)]
    if _takes_many(field.annotation):
        return {name: tuple(found)} if found or field.is_required() else {}
    if len(found) > 1:
        names = ", ".join(str(attachment.path) for attachment in found)
        reason = f"takes one {pattern}, but several came: {names}. Attach just one with -i."
        raise BindingError(agent, name, reason)
    if not found and field.is_required():
        reason = f"takes {pattern}, and none was attached. Add it with -i PATH."
        raise BindingError(agent, name, reason)
    return {name: found[0]} if found else {}


def _entries(attachments: tuple[Attachment, ...]) -> list[Attachment]:
    """Return what lies directly in the attached directories, in name order."""
    return [
        Attachment(path=path)
        for attachment in attachments
        if attachment.is_dir
        for path in sorted(attachment.path.iterdir())
        if path.is_file()
    ]


def _bind_handoff(  # one call site, all of it needed to name the fault
    agent: str,
    name: str,
    field: FieldInfo,
    model: type[Handoff],
    records: list[HandoffRecord],
    many: bool,  # noqa: FBT001  # private, one call site
    store: "ArtifactStore",
) -> dict[str, Any]:
    if not records:
        if field.is_required():
            reason = f"needs a hand-off `{model.kind}`, and nobody has given one."
            raise BindingError(agent, name, reason)
        return {}
    chosen = records if many else records[-1:]
    try:
        bound = tuple(model.model_validate(payload_of(record, store)) for record in chosen)
    except ValidationError as error:
        reason = f"cannot read the hand-off `{model.kind}`: {validation_text(error)}"
        raise BindingError(agent, name, reason) from error
    return {name: bound if many else bound[0]}


def payload_of(record: HandoffRecord, store: "ArtifactStore") -> dict[str, Any]:
    """Return the JSON of a hand-off, wherever it lies."""
    if "json" in record:
        return record["json"]
    return store.read_json(record["sha256"])


def record_of(handoff: Handoff, path: str, store: "ArtifactStore") -> HandoffRecord:
    """Return `handoff` as it may lie in graph state; a large payload goes to the store."""
    text = handoff.model_dump_json()
    if len(text.encode("utf-8", "surrogatepass")) > MAX_INLINE:
        return {"path": path, "version": handoff.version, "sha256": store.write_text(text)}
    payload = handoff.model_dump(mode="json")
    return {"path": path, "version": handoff.version, "json": payload}


def given_handoffs(output: BaseModel, path: str, store: "ArtifactStore") -> Handoffs:
    """Return the hand-offs that an Output carries, by kind."""
    found: Handoffs = {}
    for port in handoff_ports("", type(output)):
        value = getattr(output, port.field)
        several = value if isinstance(value, tuple | list) else (value,)
        for handoff in several:
            if isinstance(handoff, Handoff):
                found.setdefault(handoff.kind, []).append(record_of(handoff, path, store))
    return found


def own_fields(output: BaseModel) -> dict[str, Any]:
    """Return what an Output says beyond summary, citations, artifacts and hand-offs."""
    known = set(AgentOutput.model_fields) | {p.field for p in handoff_ports("", type(output))}
    return output.model_dump(mode="json", exclude=known)


def narrow(handoffs: Mapping[str, list[HandoffRecord]], kinds: frozenset[str]) -> Handoffs:
    """Return only the hand-offs of `kinds`."""
    return {kind: list(records) for kind, records in handoffs.items() if kind in kinds}
