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
from typing import TYPE_CHECKING, Any, Final, TypeVar

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

ModelT = TypeVar("ModelT", bound=BaseModel)
_LARGE: Final = re.compile(r"\d{19}")
"""What may be an integer of more than 64 bits, which most readers of JSON do not have."""


def write_handoff(handoff: Handoff, agent: str) -> tuple[str, str | None]:
    """Return a hand-off of `agent` as JSON, and its exact form if it needs one.

    Raises:
        OutputError: a field is of another type than it says, or can cross in neither form.
    """
    return write_model(handoff, agent, f"hand-off `{handoff.kind}`")


def write_model(model: BaseModel, agent: str, what: str) -> tuple[str, str | None]:
    """Return a model of `agent`, which is called `what`, as `write_handoff` returns a hand-off.

    Raises:
        OutputError: as there.
    """
    kind = type(model)
    text, again = _text_and_reading(model)
    try:
        exact = pack(model, _classes(kind))
    except UnkeptValueError as error:
        if again is not None and again == model:
            return text, None
        raise OutputError(agent, _unkept(model, what, error)) from error
    if again is not None and pack(again, None) == exact:
        return text, None
    for name, field in kind.model_fields.items():
        if not fits(field.annotation, getattr(model, name, None)):
            reason = f"`{name}` of its {what} is of another type than it declares."
            raise OutputError(agent, reason)
    return text, base64.b64encode(exact).decode()


def _text_and_reading(model: BaseModel) -> tuple[str, BaseModel | None]:
    """Return the JSON for records and other teams, and what the class itself reads from it."""
    try:
        text = model.model_dump_json(warnings=False)
        if _LARGE.search(text) is not None:
            text = to_json(json.loads(text)).decode()
    except (RecursionError, ValueError):
        return _text_to_show(model), None
    try:
        return text, type(model).model_validate_json(text, by_alias=True, by_name=True)
    except ValidationError:
        return text, None


def _text_to_show(model: BaseModel) -> str:
    """Return JSON for records where pydantic has none: texts for values, or types alone."""
    try:
        return to_json(model.model_dump(warnings=False)).decode()
    except (RecursionError, ValueError):  # a ring, or a huge integer
        return to_json({name: type(value).__name__ for name, value in model}).decode()


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
    found = None if exact is None else _read_exact(model, exact)
    if found is not None:
        return found
    return read_model(model, orjson.dumps(payload_of(record, store)), None)


def read_model(model: type[ModelT], text: bytes | str, exact: str | None) -> ModelT:
    """Return what `write_model` has written, as `model`.

    Raises:
        ValidationError: the JSON does not fit.
    """
    found = None if exact is None else _read_exact(model, exact)
    if found is not None:
        return found
    return model.model_validate_json(text, by_alias=True, by_name=True)


def _read_exact(model: type[ModelT], exact: str) -> ModelT | None:
    try:
        found = unpack(base64.b64decode(exact), _classes(model), _refuse)
    except ChangedStateError:  # another team's class
        return None
    return found if isinstance(found, model) else None


@lru_cache(maxsize=256)
def _classes(kind: type[BaseModel]) -> Classes:
    return Classes(state_classes([kind]))


def _refuse(code: int, _: bytes) -> Any:
    message = f"a hand-off holds the extension {code} of msgpack, which is LangGraph's"
    raise ValueError(message)


def _unkept(model: BaseModel, what: str, whole: UnkeptValueError) -> str:
    """Return which field cannot cross, and why."""
    for name in type(model).model_fields:
        try:
            pack(getattr(model, name, None), _classes(type(model)))
        except UnkeptValueError as error:
            return _cannot_cross(f"`{name}` of its {what}", error)
    return _cannot_cross(f"its {what}", whole)


def _cannot_cross(what: str, error: UnkeptValueError) -> str:
    return (
        f"{what} holds a value of the type `{error.kind}`, which cannot cross a border: "
        f"{error.reason}."
    )
