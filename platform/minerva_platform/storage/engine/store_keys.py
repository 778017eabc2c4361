"""By which keys the values of a store are encrypted, compared with the keys of the environment.

A store that does not fit is refused before anything is read or written. A process that was at work
before the store was turned learns of it within `CHECKED_S`, and writes no value of the old kind.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.encryption import (
    EARLIER_VARIABLE,
    KEY_VARIABLE,
    PLAIN,
    Keyring,
)
from minerva_platform.storage.ledger.schema import storage_keys
from minerva_platform.text.command_hint import minerva_command

CHECKED_S: Final = 1.0
"""Seconds after which a process looks again."""


def key_ids(connection: Connection) -> list[str]:
    """Return by which keys values are encrypted, the one of new values first."""
    query = select(storage_keys.c.key_id).order_by(storage_keys.c.number)
    return [*connection.execute(query).scalars()] or [PLAIN]


def keep_keys(connection: Connection, ids: Sequence[str]) -> None:
    """Keep by which keys values are encrypted. Of plain text alone there is no row."""
    connection.execute(delete(storage_keys))
    if [*ids] != [PLAIN]:
        rows = [{"key_id": each, "number": number} for number, each in enumerate(ids)]
        connection.execute(insert(storage_keys), rows)


def check_keys(ids: Sequence[str], keys: Keyring, place: object) -> None:
    """See that the keys of the environment are those of the store.

    Raises:
        StateError: the store is encrypted in another way.
    """
    newest, turn = ids[0], f"type: {minerva_command()} encrypt"
    missing = [each for each in ids if each not in (PLAIN, *keys.keys)]
    if newest == keys.current and not missing:
        return
    if newest == keys.current:
        reason = (
            f"is still encrypted by the key with the id {missing[0]} in parts. Set "
            f"{EARLIER_VARIABLE} to it, and {turn}."
        )
    elif newest == PLAIN:
        reason = (
            f"is not encrypted, and {KEY_VARIABLE} is set. To encrypt it, {turn}; to go on in "
            "plain text, unset the variable."
        )
    else:
        has = f"holds the one with the id {keys.current}" if keys.current else "is not set"
        reason = (
            f"is encrypted by the key with the id {newest}, and {KEY_VARIABLE} {has}. Set it to "
            f"the key of the store; or, to change the key, set {EARLIER_VARIABLE} to that, and "
            f"{turn}."
        )
    raise StateError(place, reason)
