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
    if ids[0] != keys.current or not {*ids} <= {PLAIN, *keys.keys}:
        raise unfit_keys(ids, keys, place)


def unfit_keys(
    ids: Sequence[str], keys: Keyring, place: object, *, to_plain: bool = False
) -> StateError:
    """Return the error that says what the store and the variables hold, and what is to be done."""
    newest, current = ids[0], keys.current
    before = [each for each in keys.keys if each != current]

    def steps_to(key: str) -> str:
        others = [each for each in ids if each not in (PLAIN, key)]
        steps: list[str] = []
        if key != current:
            step = f"set {KEY_VARIABLE} to {_keys(key)}"
            steps.append(step if key else f"unset {KEY_VARIABLE}")
        if not {*others} <= {*before}:
            steps.append(f"set {EARLIER_VARIABLE} to {_keys(*others)}")
        if len(ids) > 1 or key != newest:
            steps.append(f"type: {minerva_command()} encrypt{'' if key else ' --to-plain'}")
        return " and ".join(steps)

    reason = f"is {', and in parts still '.join(map(_form, ids))}. "
    for variable, ids_here in ((KEY_VARIABLE, {current} - {PLAIN}), (EARLIER_VARIABLE, before)):
        reason += f"{variable} {f'holds {_keys(*ids_here)}' if ids_here else 'is not set'}. "
    reason += f"To go on, {steps_to(newest)}"
    if newest != current and (keys.keys or to_plain):
        reason += f". To have all of it {_form(current)}, {steps_to(current)}"
    return StateError(place, reason)


def _form(key: str) -> str:
    return f"encrypted by {_keys(key)}" if key else "plain text"


def _keys(*ids: str) -> str:
    return f"{'the key with the id' if len(ids) == 1 else 'the keys with the ids'} {','.join(ids)}"
