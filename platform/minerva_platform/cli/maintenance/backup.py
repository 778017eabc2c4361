"""`minerva backup`: copies the store into one file and says how it is restored."""

import shlex
from pathlib import Path

from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.commands import BackupOptions
from minerva_platform.cli.maintenance.open_store import bytes_to_text, opened_store, reader_language
from minerva_platform.config.settings import HOME_VARIABLE, home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import STATE, URL_VARIABLE
from minerva_platform.storage.files.artifacts import FOLDER, ArtifactPlace
from minerva_platform.storage.maintenance.backup import back_up, dump_command, restore_command
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "backup")


def back_up_store(options: BackupOptions) -> ExitCode:
    """Copy the store. Return the exit code.

    Raises:
        RunError: nothing was kept yet, the file is there or cannot be written, the database cannot
            be read, or it is Postgres; the text then holds the command to type instead.
    """
    language = reader_language(options.language)
    with opened_store(options.config) as store:
        if store is None:
            message = f"Nothing is kept in {home_directory()} yet, so there is nothing to copy."
            raise RunError(message)
        place = store.engine.place
        if not isinstance(place, Path):
            raise RunError(_on_postgres(store.engine, store.artifacts, options.file))
        done = back_up(place, store.artifacts, options.file)
        in_home = place == store.home / STATE
        restore = _restore_command(done.file, store.artifacts, is_in_home=in_home)
    if options.as_json:
        write_json(
            {
                "file": str(done.file),
                "bytes": done.bytes,
                "artifacts": done.artifacts,
                "restore": restore,
            }
        )
        return ExitCode.ANSWERED
    size = bytes_to_text(done.bytes)
    told = {"file": done.file, "size": size, "artifacts": done.artifacts}
    write_text(TEXTS("done", language, **told))
    write_text(TEXTS("restore", language, command=restore))
    return ExitCode.ANSWERED


def _restore_command(file: Path, artifacts: ArtifactPlace, *, is_in_home: bool) -> str:
    """Return the command that unpacks the file into a new home and examines that."""
    home = (Path.cwd() / "restored").absolute()
    unpack = f"mkdir -m 700 {shlex.quote(str(home))} && "
    unpack += shlex.join(["tar", "-xof", str(file.absolute()), "-C", str(home)])
    if artifacts.is_shared:  # the configuration still names that folder
        copied = [f"{home / FOLDER}/.", str(artifacts.folder.absolute())]
        unpack += f" && {shlex.join(['cp', '-R', *copied])}"
    variables = f"{HOME_VARIABLE}={shlex.quote(str(home))}"
    if not is_in_home:
        variables += f" {URL_VARIABLE}={shlex.quote(f'sqlite:///{home / STATE}')}"
    return f"{unpack} && {variables} {minerva_command()} doctor"


def _on_postgres(engine: Engine, artifacts: ArtifactPlace, file: Path) -> str:
    place = engine.place
    assert not isinstance(place, Path)  # noqa: S101  # the caller has looked
    return (
        f"The store is in Postgres ({place}), which has its own tool. Nothing was copied.\n"
        f"To copy it, type:\n  {dump_command(engine, place, artifacts, file)}\n"
        "To restore it, end the servers and workers first. Open runs then rest until your word:\n"
        f"  {restore_command(place, file)} && {minerva_command()} doctor --restored"
    )
