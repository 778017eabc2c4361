"""Typed data that one member gives and others take."""

import re
from typing import Any, ClassVar, NotRequired

from typing_extensions import TypedDict  # pydantic wants this one before 3.12

from minerva_platform.contract.values import Frozen
from minerva_platform.errors import ContractError

_KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


class Handoff(Frozen):
    """Typed data that one member gives and others take.

    Producer and consumer are bound by `kind` alone. A consumer in another team declares its
    own model of the kind with just the fields it reads; `minerva check` proves that the
    producer's JSON schema satisfies it. `version` is a promise about meaning. Raise it when a field
    keeps its name and changes its meaning: consumers of the old version then never get the new one.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a kind that another team's kind could equal."""
        super().__pydantic_init_subclass__(**kwargs)
        kind = getattr(cls, "kind", None)
        if kind is not None and not _KIND.fullmatch(kind):
            message = f'`{cls.__name__}.kind` is {kind!r}; write it as "team.payload_name".'
            raise ContractError(message)


class HandoffRecord(TypedDict):
    """A hand-off as graph state holds it: its giver, and the payload or its address."""

    path: str
    version: int
    json: NotRequired[dict[str, Any]]
    sha256: NotRequired[str]
    exact: NotRequired[str]
    """The value as msgpack in Base64, where JSON does not give it back as it is."""
    exact_sha256: NotRequired[str]


Handoffs = dict[str, list[HandoffRecord]]
"""Hand-offs by kind, in hop order: the last one is the latest."""


def addresses_in(record: HandoffRecord) -> list[str]:
    """Return the digests under which a store has parts of a hand-off."""
    return [digest for key in ("sha256", "exact_sha256") if (digest := str(record.get(key, "")))]
