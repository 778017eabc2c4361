"""The grammar of the commands that care for the store."""

from pathlib import Path
from typing import Annotated

import typer

from minerva_platform.cli.io.options import Config, Json, Language, Yes

# ruff: noqa: PLC0415  # each command's imports wait for its call


def prune(  # noqa: PLR0913  # each is an option that people type
    *,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="TIME", help="Runs that ended so long ago: 30d."),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=0, metavar="N", help="All but the N newest that have ended."),
    ] = None,
    run_ids: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="ID", help="This run, even if it waits; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be removed.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Remove old runs with all that is kept of them; show what would go first.

    A run that waits for a person, or is at work, goes only by --run.
    """
    from minerva_platform.cli.maintenance.prune import PruneOptions, prune_store

    options = PruneOptions(
        older_than=older_than,
        keep=keep,
        run_ids=tuple(run_ids or ()),
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
        language=language,
        config=config,
    )
    raise typer.Exit(prune_store(options))


def forget(
    thread: Annotated[
        str | None, typer.Argument(metavar="THREAD", help="A thread's id, or `last`.")
    ] = None,
    *,
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="All of a tenant, or its THREAD.")
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Erase a thread, or all of a tenant: what was asked, answered, decided and made.

    It says what remains of it in the records.
    """
    from minerva_platform.cli.maintenance.forget import ForgetOptions, forget_thread

    options = ForgetOptions(thread, tenant, yes, as_json, language, config)
    raise typer.Exit(forget_thread(options))


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file: store.tar.")],
    *,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Copy the store into a file while others use it, and say how to restore it."""
    from minerva_platform.cli.maintenance.backup import BackupOptions, back_up_store

    options = BackupOptions(file=file, as_json=as_json, language=language, config=config)
    raise typer.Exit(back_up_store(options))


def doctor(
    *,
    mend: Annotated[
        bool, typer.Option("--mend", help="Remove what cannot be read; runs fall back or end.")
    ] = False,
    is_copy: Annotated[
        bool, typer.Option("--restored", help="Another tool made it as a copy: its runs rest.")
    ] = False,
    this_is_the_store: Annotated[
        bool, typer.Option("--this-is-the-store", help="Let runs of a restored copy go on.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Examine the store, the records and the configuration; say what to type.

    Ends with 0 if nothing is wrong, with 1 if something is.
    """
    from minerva_platform.cli.maintenance.doctor import DoctorOptions, examine_store
    from minerva_platform.cli.maintenance.restored import MarkOptions, set_mark

    if mend + is_copy + this_is_the_store > 1:
        message = "Type one of these alone: --mend, --restored, --this-is-the-store."
        raise typer.BadParameter(message)
    if is_copy or this_is_the_store:
        raise typer.Exit(set_mark(MarkOptions(is_copy, as_json, language, config)))
    options = DoctorOptions(mend=mend, yes=yes, as_json=as_json, language=language, config=config)
    raise typer.Exit(examine_store(options))


def encrypt(
    *,
    to_plain: Annotated[
        bool, typer.Option("--to-plain", help="Turn the store to plain text instead.")
    ] = False,
    as_json: Json = False,
    language: Language = None,
    config: Config = None,
) -> None:
    """Encrypt the store by the key in MINERVA_STORAGE_KEY; it can be read meanwhile.

    MINERVA_STORAGE_KEY_BEFORE holds the key of before, if there was one.
    """
    from minerva_platform.cli.maintenance.encrypt import EncryptOptions, encrypt_store

    options = EncryptOptions(to_plain, as_json, language, config)
    raise typer.Exit(encrypt_store(options))
