"""By which keys the values of a store are encrypted, compared with the keys of the environment.

A store that does not fit is refused before anything is read or written. A process that was at work
before the store was turned learns of it within `CHECKED_S`, and writes no value of the old kind.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, insert, select

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.encryption import (
    EARLIER_VARIABLE,
    KEY_VARIABLE,
    Keyring,
    keyring,
)
from minerva_platform.storage.ledger.schema import storage_keys
from minerva_platform.text.command_hint import minerva_command

CHECKED_S: Final = 1.0
"""Seconds after which a process looks again."""
PLAIN: Final = ""
"""Stands for plain text among the ids of keys."""


def key_ids(connection: Connection) -> list[str]:
    """Return by which keys values are encrypted, the one of new values first."""
    query = select(storage_keys.c.key_id).order_by(storage_keys.c.number.desc())
    return [*connection.execute(query).scalars()] or [PLAIN]


def add_key(connection: Connection, key_id: str, number: int) -> None:
    """Keep that values are encrypted by a key."""
    connection.execute(insert(storage_keys).values(key_id=key_id, number=number))


def check_keys(ids: Sequence[str], place: object) -> None:
    """See that the keys of the environment are those of the store.

    Raises:
        SettingsError: a variable holds no key.
        StateError: the store is encrypted in another way.
    """
    reason = _find_reason(ids, keyring())
    if reason:
        raise StateError(place, reason)


def _find_reason(ids: Sequence[str], keys: Keyring) -> str:
    """Return why a store cannot be used with these keys; empty if it can be."""
    newest, current = ids[0], keys.current.id if keys.current else PLAIN
    turn = f"type: {minerva_command()} encrypt"
    if current != newest:
        return _describe_other_key(newest, current, turn, ids[1:], keys)
    missing = [each for each in ids if each not in (PLAIN, *keys.keys)]
    if missing:
        return (
            f"is still encrypted by the key with the id {missing[0]} in parts. Set "
            f"{EARLIER_VARIABLE} to it, and {turn}."
        )
    return ""


def _describe_other_key(
    newest: str, current: str, turn: str, earlier: Sequence[str], keys: Keyring
) -> str:
    if newest == PLAIN:
        return (
            f"is not encrypted, and {KEY_VARIABLE} is set. To encrypt it, {turn}; to go on in "
            "plain text, unset the variable."
        )
    if current == PLAIN:
        return (
            f"is encrypted, and {KEY_VARIABLE} is not set. Set it to the key with the id "
            f"{newest}; without that key nobody can read it."
        )
    if newest in keys.keys and current not in earlier:
        return (
            f"is encrypted by the key with the id {newest}, which {EARLIER_VARIABLE} holds. To "
            f"encrypt it by the key of {KEY_VARIABLE}, {turn}."
        )
    return (
        f"is encrypted by the key with the id {newest}, and {KEY_VARIABLE} holds another one, "
        f"{current}. Set it to the right key."
    )
