"""The grammar of the commands that care for the store."""

import typer

from minerva_platform.cli.io.command import command
from minerva_platform.cli.io.options import (
    BackupOptions,
    DoctorOptions,
    EncryptOptions,
    ForgetOptions,
    PruneOptions,
)

# ruff: noqa: PLC0415  # each command's imports wait for its call


@command
def prune(options: PruneOptions) -> int:
    """Remove old runs with all that is kept of them; show what would go first.

    A run that waits for a person, or is at work, goes only by --run.
    """
    from minerva_platform.cli.maintenance.prune import prune_store

    return prune_store(options)


@command
def forget(options: ForgetOptions) -> int:
    """Erase a thread, or all of a tenant: what was asked, answered, decided and made.

    It says what remains of it in the records.
    """
    from minerva_platform.cli.maintenance.forget import forget_thread

    return forget_thread(options)


@command
def backup(options: BackupOptions) -> int:
    """Copy the store into a file while others use it, and say how to restore it."""
    from minerva_platform.cli.maintenance.backup import back_up_store

    return back_up_store(options)


@command
def doctor(options: DoctorOptions) -> int:
    """Examine the store, the records and the configuration; say what to type.

    Ends with 0 if nothing is wrong, with 1 if something is.
    """
    from minerva_platform.cli.maintenance.doctor import examine_store
    from minerva_platform.cli.maintenance.restored import set_mark

    if options.mend + options.is_copy + options.is_the_store > 1:
        message = "Type one of these alone: --mend, --restored, --this-is-the-store."
        raise typer.BadParameter(message)
    return (set_mark if options.is_copy or options.is_the_store else examine_store)(options)


@command
def encrypt(options: EncryptOptions) -> int:
    """Encrypt the store by the key in MINERVA_STORAGE_KEY; it can be read meanwhile.

    MINERVA_STORAGE_KEY_BEFORE holds the key of before, if there was one.
    """
    from minerva_platform.cli.maintenance.encrypt import encrypt_store

    return encrypt_store(options)
