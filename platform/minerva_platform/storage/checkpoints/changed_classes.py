"""A dataclass or model that has other fields than when a state was written."""

import dataclasses
import re
import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from minerva_platform.errors import ChangedStateError

_ANY_CLASS: Final = ConfigDict(arbitrary_types_allowed=True)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")


@lru_cache(maxsize=1024)
def shape_of(kind: type) -> int:
    """Return a number that changes with the fields of a dataclass or model; 0 for other classes."""
    shown = "\n".join(f"{name}: {annotation!r}" for name, (annotation, _) in _fields(kind).items())
    return zlib.crc32(_ADDRESS.sub("", shown).encode()) if shown else 0


def _fields(kind: Any) -> dict[str, tuple[Any, Callable[[], Any] | None]]:
    """Return each field's annotation, and what gives its default, if it has one."""
    if issubclass(kind, BaseModel):
        return {
            name: (
                field.annotation,
                None
                if field.is_required()
                else partial(field.get_default, call_default_factory=True),
            )
            for name, field in kind.model_fields.items()
        }
    found: dict[str, tuple[Any, Callable[[], Any] | None]] = {}
    for field in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        default: Any = field.default
        make: Any = None if default is dataclasses.MISSING else partial(_same, default)
        if field.default_factory is not dataclasses.MISSING:
            make = field.default_factory
        found[field.name] = (field.type, make)
    return found


def _same(value: Any) -> Any:
    return value


def refit(kind: type, shown: str, state: Any) -> Any:
    """Return the state of a class whose fields have changed, with defaults for new ones.

    Raises:
        ChangedStateError: a field is gone, is new without a default, or has another type.
    """
    is_model = issubclass(kind, BaseModel)
    values: dict[str, Any] = dict(state["__dict__"] if is_model else state)
    fields = _fields(kind)
    for name in values:
        if name not in fields and not hasattr(kind, name):
            raise ChangedStateError(shown, f"it has no field `{name}` any more")
    for name, (annotation, default) in fields.items():
        if name not in values:
            if default is None:
                raise ChangedStateError(shown, f"its new field `{name}` has no default")
            values[name] = default()
        elif not fits(annotation, values[name]):
            raise ChangedStateError(shown, f"its field `{name}` has another type")
    return {**state, "__dict__": values} if is_model else values


def fits(annotation: Any, value: Any) -> bool:
    """Return whether a value is of a type; a name that only its module knows fits all."""
    try:
        TypeAdapter(annotation, config=_ANY_CLASS).validate_python(value, strict=True)
    except ValidationError:
        return False
    except PydanticUserError:
        return isinstance(annotation, str) or isinstance(value, annotation)
    return True
