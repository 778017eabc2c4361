"""Transfer: a member passes control of the request to another member of its network.

A hand-off is data that members give each other; a transfer says who works next. The author writes a
`Transfer`. The member's border turns it into a `CheckedTransfer`, which holds nothing but what the
target declares.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, cast

import orjson
from pydantic import BeforeValidator, Field

from minerva_platform.contract.handoff import Handoff, Handoffs
from minerva_platform.contract.values import Frozen


def in_tuple(value: object) -> object:
    """Return one transfer as a tuple of it; anything else as it is."""
    return (value,) if isinstance(value, Transfer) else value


class CarriedHandoff(Frozen):
    """A hand-off on its way with a transfer, as plain JSON: a checkpoint knows no more of it."""

    kind: str
    version: int
    payload: dict[str, Any]


def handoff_to_carried(handoff: Handoff) -> CarriedHandoff:
    """Return a hand-off as it goes with a transfer.

    Raises:
        ValueError: its own class does not read the same from the JSON; an Output takes such a one.
    """
    try:
        payload = handoff.model_dump(mode="json")
        again = type(handoff).model_validate_json(
            orjson.dumps(payload), by_alias=True, by_name=True
        )
    except (TypeError, ValueError):
        payload, again = {}, None
    if again != handoff:
        fields = type(handoff).model_fields
        lost = [name for name in fields if getattr(again, name, None) != getattr(handoff, name)]
        message = (
            f"the hand-off `{handoff.kind}` cannot go with a transfer: JSON does not give back "
            f"its {', '.join(f'`{name}`' for name in lost)}. Return it in the Output instead."
        )
        raise ValueError(message)
    return CarriedHandoff(kind=handoff.kind, version=handoff.version, payload=payload)


def _carried(value: object) -> object:
    if isinstance(value, Handoff):
        return handoff_to_carried(value)
    if isinstance(value, Mapping) and value.keys() == CarriedHandoff.model_fields.keys():
        return CarriedHandoff.model_validate(value)
    if value is None or isinstance(value, CarriedHandoff):
        return value
    message = f"a transfer carries a hand-off, such as carries=Contract(…); this is {value!r:.80}"
    raise ValueError(message)


class Transfer(Frozen):
    """What a worker of a network returns to pass control: `transfers=(Transfer(to="legal"),)`."""

    to: str
    """The member that works next. It is one of the worker's peers."""
    request: str = ""
    """What it shall do. Empty: the words that the worker was given itself."""
    carries: Annotated[Handoff | CarriedHandoff | None, BeforeValidator(_carried)] = None
    """A hand-off that the target takes. The worker need not declare it in its Output."""

    @property
    def carried_handoff(self) -> CarriedHandoff | None:
        """The hand-off as JSON."""
        return cast("CarriedHandoff | None", self.carries)


TRANSFER: Final = "minerva_transfer"
"""The key under which the artifact of a tool's message holds a transfer."""


def is_transfer(message: Any) -> bool:
    """True if a message is the answer of one of `transfer_tools`."""
    return TRANSFER in (getattr(message, "artifact", None) or ())


class CheckedTransfer(Frozen):
    """A transfer after the border: to a peer, with what the peer's Input declares."""

    to: str
    request: str
    fields: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Fields of the target's Input, as JSON."""
    handoffs: Handoffs = Field(default_factory=dict)
    """Hand-offs that the target alone is given."""
    dropped: tuple[str, ...] = ()
    """Names of what did not cross."""
