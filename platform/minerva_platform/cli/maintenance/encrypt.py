"""`minerva encrypt`: encrypts a store by the key of the environment, or turns it to plain text."""

from pathlib import Path

from minerva_observability.records import parquet_files
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import write_json, write_text
from minerva_platform.cli.maintenance.commands import EncryptOptions
from minerva_platform.cli.maintenance.open_store import reader_language
from minerva_platform.config.settings import find_settings, home_directory
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.database_file import copies_set_aside
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.maintenance.reencryption import reencrypt
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.cli.maintenance", "encrypt")


def encrypt_store(options: EncryptOptions) -> ExitCode:
    """Turn the store, and say what is left in plain text. Return the exit code.

    Raises:
        RunError: nothing was kept yet, or the variables do not say what is to be done.
        StateError: a key of the store is missing, or the store cannot be read or written.
    """
    language = reader_language(options.language)
    home, storage = home_directory(), find_settings(options.config).platform.storage
    place = find_place(home, storage.url)
    if isinstance(place, Path) and not place.exists():
        message = f"Nothing is kept in {home} yet. A new store is encrypted if there is a key."
        raise RunError(message)
    with opened_engine(place) as engine:
        in_use = reencrypt(engine, find_artifacts(home, storage.files), to_plain=options.to_plain)
    plain: list[Path] = []
    if not options.to_plain:
        copies = copies_set_aside(place) if isinstance(place, Path) else []
        plain = [*copies, *in_use, *parquet_files(home)]
    if options.as_json:
        write_json({"is_encrypted": not options.to_plain, "plain": [str(path) for path in plain]})
        return ExitCode.ANSWERED
    write_text(TEXTS("plain" if options.to_plain else "encrypted", language))
    for file in plain:
        write_text(TEXTS("left", language, file=file))
    if not options.to_plain:
        write_text(TEXTS("elsewhere", language))
    return ExitCode.ANSWERED
