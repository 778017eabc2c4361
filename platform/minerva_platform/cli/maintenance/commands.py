"""The commands that care for the store, and their options."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from minerva_platform.cli.io.options import Maybe, OutputOptions, TenantOptions, Yes


class PruneOptions(TenantOptions):
    """Remove old runs with all that is kept of them; show what would go first.

    A run that waits for a person, or is at work, goes only by --run.
    """

    work = "maintenance.prune:prune_store"
    older_than: Annotated[
        Maybe, Option("--older-than", metavar="TIME", help="Runs that ended so long ago: 30d.")
    ] = None
    keep: Annotated[
        int | None,
        Option("--keep", min=0, metavar="N", help="All but the N newest that have ended."),
    ] = None
    run_ids: Annotated[
        list[str] | None,
        Option("--run", metavar="ID", help="This run, even if it waits; repeatable."),
    ] = None
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False
    yes: Yes = False


class ForgetOptions(OutputOptions):
    """Erase a thread, or all of a tenant: what was asked, answered, decided and made.

    It says what remains of it in the records.
    """

    work = "maintenance.forget:forget_thread"
    thread: Annotated[Maybe, Argument(metavar="THREAD", help="A thread's id, or `last`.")] = None
    tenant: Annotated[
        Maybe, Option("--tenant", metavar="NAME", help="All of a tenant, or its THREAD.")
    ] = None
    yes: Yes = False


class BackupOptions(OutputOptions):
    """Copy the store into a file while others use it, and say how to restore it."""

    work = "maintenance.backup:back_up_store"
    file: Annotated[Path, Argument(metavar="FILE", help="A new file: store.tar.")]


class DoctorOptions(OutputOptions):
    """Say what is wrong or stuck in this home, and what to type.

    It examines the store, the records and the configuration.
    Ends with 0 if nothing is wrong, with 1 if something is.
    """

    work = "maintenance.doctor:examine_store"
    mend: Annotated[
        bool, Option("--mend", help="Remove what cannot be read; runs fall back or end.")
    ] = False
    is_copy: Annotated[
        bool, Option("--restored", help="Another tool made it as a copy: its runs rest.")
    ] = False
    is_the_store: Annotated[
        bool, Option("--this-is-the-store", help="Let runs of a restored copy go on.")
    ] = False
    yes: Yes = False


class EncryptOptions(OutputOptions):
    """Encrypt the store by the key in MINERVA_STORAGE_KEY; it can be read meanwhile.

    MINERVA_STORAGE_KEY_BEFORE holds the key of before, if there was one.
    """

    work = "maintenance.encrypt:encrypt_store"
    to_plain: Annotated[
        bool, Option("--to-plain", help="Turn the store to plain text instead.")
    ] = False


COMMANDS = {
    "doctor": DoctorOptions,
    "prune": PruneOptions,
    "forget": ForgetOptions,
    "backup": BackupOptions,
    "encrypt": EncryptOptions,
}
