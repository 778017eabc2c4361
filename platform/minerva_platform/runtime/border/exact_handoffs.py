"""Hand-offs that JSON would not give back as they are: they cross in a second form beside it.

A hand-off is JSON: a consumer in another team reads it with a model of its own, and so do records
and routers. JSON has no NaN, no tuple and no class, hides secrets, and leaves out what a field's
serializer does. Where the giver's own class does not read the same value from it, the value itself
goes along, as a checkpoint keeps it. A consumer that takes the same class gets that.
"""

import base64
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import orjson
from pydantic import BaseModel, ValidationError

from minerva_observability.records.encoding import to_json
from minerva_platform.contract.handoff import Handoff, HandoffRecord
from minerva_platform.errors import ChangedStateError, OutputError, UnkeptValueError
from minerva_platform.storage.checkpoints.changed_classes import fits
from minerva_platform.storage.checkpoints.state_classes import state_classes
from minerva_platform.storage.checkpoints.state_values import Classes, pack, unpack

if TYPE_CHECKING:
    from minerva_platform.run_context.context import Artifacts

_LARGE: Final = re.compile(r"\d{19}")
"""What may be an integer of more than 64 bits, which most readers of JSON do not have."""


def write_handoff(handoff: Handoff, agent: str) -> tuple[str, str | None]:
    """Return a hand-off of `agent` as JSON, and its exact form if it needs one.

    Raises:
        OutputError: a field is of another type than it says, or can cross in neither form.
    """
    kind = type(handoff)
    text, again = _text_and_reading(handoff)
    try:
        exact = pack(handoff, _classes(kind))
    except UnkeptValueError as error:
        if again is not None and again == handoff:
            return text, None
        raise OutputError(agent, _unkept(handoff, error)) from error
    if again is not None and pack(again, None) == exact:
        return text, None
    for name, field in kind.model_fields.items():
        if not fits(field.annotation, getattr(handoff, name, None)):
            reason = f"`{name}` of its hand-off `{kind.kind}` is of another type than it declares."
            raise OutputError(agent, reason)
    return text, base64.b64encode(exact).decode()


def _text_and_reading(handoff: Handoff) -> tuple[str, Handoff | None]:
    """Return the JSON for records and other teams, and what the class itself reads from it."""
    try:
        text = handoff.model_dump_json(warnings=False)
        if _LARGE.search(text) is not None:
            text = to_json(json.loads(text)).decode()
    except (RecursionError, ValueError):
        return _text_to_show(handoff), None
    try:
        return text, type(handoff).model_validate_json(text, by_alias=True, by_name=True)
    except ValidationError:
        return text, None


def _text_to_show(handoff: Handoff) -> str:
    """Return JSON for records where pydantic has none: texts for values, or types alone."""
    try:
        return to_json(handoff.model_dump(warnings=False)).decode()
    except (RecursionError, ValueError):  # a ring, or a huge integer
        return to_json({name: type(value).__name__ for name, value in handoff}).decode()


def payload_of(record: HandoffRecord, store: "Artifacts") -> dict[str, Any]:
    """Return the JSON of a hand-off, wherever it lies.

    Raises:
        RunError: the payload is missing from the store, or was changed there.
    """
    digest = record.get("sha256")
    return record.get("json", {}) if digest is None else store.read_json(digest)


def read_handoff(model: type[Handoff], record: HandoffRecord, store: "Artifacts") -> Handoff:
    """Return a hand-off as `model`: the exact one if it is of this class, or from its JSON.

    Raises:
        ValidationError: the JSON does not fit.
        RunError: a part is missing from the store, or was changed there.
    """
    exact = record.get("exact")
    if (digest := record.get("exact_sha256")) is not None:
        exact = str(store.read_json(digest)["exact"])
    if exact is not None:
        try:
            found = unpack(base64.b64decode(exact), _classes(model), _refuse)
        except ChangedStateError:  # another team's class
            found = None
        if isinstance(found, model):
            return found
    return model.model_validate_json(
        orjson.dumps(payload_of(record, store)), by_alias=True, by_name=True
    )


@lru_cache(maxsize=256)
def _classes(kind: type[BaseModel]) -> Classes:
    return Classes(state_classes([kind]))


def _refuse(code: int, _: bytes) -> Any:
    message = f"a hand-off holds the extension {code} of msgpack, which is LangGraph's"
    raise ValueError(message)


def _unkept(handoff: Handoff, whole: UnkeptValueError) -> str:
    """Return which field cannot cross, and why."""
    for name in type(handoff).model_fields:
        try:
            pack(getattr(handoff, name, None), _classes(type(handoff)))
        except UnkeptValueError as error:
            return _cannot_cross(name, handoff.kind, error)
    return _cannot_cross("", handoff.kind, whole)


def _cannot_cross(field: str, kind: str, error: UnkeptValueError) -> str:
    what = f"`{field}` of its hand-off `{kind}`" if field else f"its hand-off `{kind}`"
    return (
        f"{what} holds a value of the type `{error.kind}`, which cannot cross a border: "
        f"{error.reason}."
    )
