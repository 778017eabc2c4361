"""Fill an agent's Input from a task: words, attachments by pattern, hand-offs by kind.

A value that does not fit is an error that names the field and says what to do. Nothing is guessed.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.attachment import Attachment, AttachmentPattern
from minerva_platform.contract.dataflow import Port, handoff_of
from minerva_platform.contract.handoff import Handoff, HandoffRecord, Handoffs, addresses_in
from minerva_platform.contract.router import ReadHandoff
from minerva_platform.contract.task import Task
from minerva_platform.errors import BindingError, ContractError
from minerva_platform.planning.situation import Situation
from minerva_platform.run_context.context import current_run
from minerva_platform.runtime.border.exact_handoffs import payload_of, read_handoff
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts
from minerva_platform.text.validation_error import validation_text

if TYPE_CHECKING:
    from minerva_platform.run_context.context import Artifacts

TEXTS = read_texts("minerva_platform.runtime.border", "input_binding")

WORDS = ("request", "context", "conversation", "language", "meant", "givers", "lost")
"""The Input fields that are filled from the task itself. `givers` has the path of who gave each
kind of hand-off, and `lost` the path where the failure began that kept a kind away; a worker that
reports on the run declares them as `dict[str, str]`."""

MAX_NAMED_FILES = 5
"""The most attachments that an error names."""

_MAX_INPUTS = 1_024
"""Input classes whose fields are kept as they were read."""

_Filled = tuple[str, FieldInfo, AttachmentPattern | None, type[Handoff] | None, bool]
"""A field of an Input: name, field, pattern of files, hand-off, and whether it takes several."""


def refuse_unusable(team: str, task: Task) -> None:
    """Refuse a task that no run could serve, before anything runs.

    Raises:
        BindingError: the task asks for nothing, or a checkpoint would alter its text.
    """
    if not task.request.strip() and not task.wanted_kinds:
        raise BindingError(team, "request", "is empty; say what you want.")
    texts = {"request": task.request, "context": task.context}
    texts |= {f"attachments.{n}": str(item.path) for n, item in enumerate(task.attachments)}
    for field, text in texts.items():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            reason = f"holds a lone surrogate at character {error.start}; it is no Unicode text."
            raise BindingError(team, field, reason) from error


def bind(agent: BaseAgent[Any, Any], task: Task, store: "Artifacts") -> dict[str, Any]:
    """Return the payload for `agent.Input`, filled from `task`.

    Raises:
        BindingError: an attachment is missing or ambiguous, a required hand-off is not there,
            or a hand-off does not fit the consumer's model.
    """
    payload = {**task.fields, **_words(agent, task)}
    fields = _filled_fields(agent.Input)  # type: ignore[arg-type]  # mypy takes no class for hashable
    for name, field, pattern, handoff, many in fields:
        if pattern is not None:
            payload |= _bind_attachment(agent.name, name, field, pattern, task)
        elif handoff is not None:
            port = Port(agent.name, name, handoff, is_required=field.is_required(), many=many)
            payload |= _bind_handoff(port, task.handoffs.get(port.kind, []), store)
    return payload


@lru_cache(_MAX_INPUTS)
def _filled_fields(input_model: type[BaseModel]) -> tuple[_Filled, ...]:
    """Return each field of an Input with what it is filled from, which its class says once."""
    return tuple(
        (name, field, attachment_pattern(field), *handoff_of(field))
        for name, field in input_model.model_fields.items()
    )


def unbound_fields(input_model: type[BaseModel]) -> list[str]:
    """Return the names of required Input fields that no task could ever fill.

    Raises:
        ContractError: a field cannot be bound as it is declared.
    """
    return [
        name
        for name, field in input_model.model_fields.items()
        if attachment_pattern(field) is None
        and handoff_of(field)[0] is None
        and name not in WORDS
        and field.is_required()
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


async def fetch_handoffs(handoffs: Handoffs, store: "Artifacts") -> None:
    """Bring here what these hand-offs refer to, if the store has it elsewhere.

    Raises:
        StateError: the database cannot be read.
    """
    records = (record for several in handoffs.values() for record in several)
    await store.afetch([digest for record in records for digest in addresses_in(record)])


async def read_handoffs(here: Situation) -> dict[str, tuple[ReadHandoff, ...]]:
    """Return the hand-offs that the router of a visit reads, the latest of each giver.

    Raises:
        StateError: the database cannot be read.
        RunError: a payload is missing from the store, or was changed there.
    """
    found = {kind: here.handoffs.get(kind, []) for kind in here.traits.reads_handoffs}
    latest = {
        kind: list({here.giver_of(record): record for record in records}.values())
        for kind, records in found.items()
    }
    if not any(latest.values()):
        return {}
    store = current_run().store
    await fetch_handoffs(latest, store)
    return {
        kind: tuple(
            ReadHandoff(
                path=record["path"],
                version=record["version"],
                payload=payload_of(record, store),
                giver=here.giver_of(record),
            )
            for record in sorted(records, key=found[kind].index)
        )
        for kind, records in latest.items()
    }


def _words(agent: BaseAgent[Any, Any], task: Task) -> dict[str, Any]:
    words: dict[str, Any] = {
        "request": task.request or task.context,
        "language": task.language,
        "meant": task.meant,
        "givers": {kind: records[-1]["path"] for kind, records in task.handoffs.items() if records},
        "lost": dict(task.lost),
    }
    if agent.input_mode in {"context", "full"}:
        words["context"] = task.context
    if agent.input_mode == "full":
        words["conversation"] = current_run().earlier_turns
    return {name: value for name, value in words.items() if name in agent.Input.model_fields}


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
    found = _attachments_for(pattern, task)
    if not found:
        if field.is_required():
            reason = TEXTS("missing", "en", wanted=pattern, attached=_attachments_text(task, "en"))
            attached = _attachments_text(task, "ko")
            korean = TEXTS("missing", "ko", wanted=pattern.describe("ko"), attached=attached)
            raise BindingError(agent, name, reason, korean)
        return {}
    if _takes_many(field.annotation):
        return {name: tuple(found)}
    if len(found) > 1:
        names = ", ".join(str(attachment.path) for attachment in found)
        reason = TEXTS("several", "en", wanted=pattern, names=names)
        korean = TEXTS("several", "ko", wanted=pattern.describe("ko"), names=names)
        raise BindingError(agent, name, reason, korean)
    return {name: found[0]}


def taken_attachments(agent: BaseAgent[Any, Any], task: Task) -> tuple[Attachment, ...]:
    """Return the attachments that the patterns of `agent`, or of a worker below it, take.

    Raises:
        OSError: an attached directory cannot be listed.
    """
    if not task.attachments:
        return ()
    below: Sequence[BaseAgent[Any, Any]] = getattr(agent, "agents", (agent,))
    if agent.is_team:
        found = (item for member in below for item in taken_attachments(member, task))
    else:
        patterns = map(attachment_pattern, agent.Input.model_fields.values())
        found = (
            item for pattern in patterns if pattern for item in _attachments_for(pattern, task)
        )
    return tuple(dict.fromkeys(found))


def _attachments_for(pattern: AttachmentPattern, task: Task) -> list[Attachment]:
    """Return the attachments that `pattern` takes, else the files in attached directories."""
    found = [attachment for attachment in task.attachments if pattern.takes(attachment)]
    return found or [entry for entry in _entries(task.attachments) if pattern.takes(entry)]


def _attachments_text(task: Task, language: Language) -> str:
    """Return the sentence that says what was attached instead."""
    names = [f"`{item.name}/`" if item.is_dir else f"`{item.name}`" for item in task.attachments]
    if not names:
        return TEXTS("attached.nothing", language)
    shown, more = ", ".join(names[:MAX_NAMED_FILES]), len(names) - MAX_NAMED_FILES
    if more > 0:
        return TEXTS("attached.many", language, names=shown, more=more)
    return TEXTS("attached.other", language, names=shown)


def _entries(attachments: tuple[Attachment, ...]) -> list[Attachment]:
    """Return the files that lie directly in the attached directories, in name order."""
    return [
        Attachment(path=path)
        for attachment in attachments
        if attachment.is_dir
        for path in sorted(attachment.path.iterdir())
        if path.is_file()
    ]


def _bind_handoff(port: Port, records: list[HandoffRecord], store: "Artifacts") -> dict[str, Any]:
    if not records:
        if port.is_required:
            reason, korean = (TEXTS("no_handoff", one, kind=port.kind) for one in ("en", "ko"))
            raise BindingError(port.agent, port.field, reason, korean)
        return {}
    chosen = records if port.many else records[-1:]
    for version in {record["version"] for record in chosen} - {port.model.version}:
        reason = (
            f"reads version {port.model.version} of the hand-off `{port.kind}`, and version "
            f"{version} was given."
        )
        raise BindingError(port.agent, port.field, reason)
    try:
        bound = tuple(read_handoff(port.model, record, store) for record in chosen)
    except ValidationError as error:
        reason = f"cannot read the hand-off `{port.kind}`: {validation_text(error)}"
        raise BindingError(port.agent, port.field, reason) from error
    return {port.field: bound if port.many else bound[0]}
