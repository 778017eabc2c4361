"""The store that a command cares for, and the person's word before anything is removed."""

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer

from minerva_observability.tracing import mask_text
from minerva_platform.cli.ask.request import check_language
from minerva_platform.cli.io.console import WIDE, cut
from minerva_platform.cli.io.stream import is_terminal, one_line, write_text
from minerva_platform.config.settings import find_settings, home_directory
from minerva_platform.errors import StateError
from minerva_platform.storage.engine.database_file import is_lost
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactPlace, find_artifacts
from minerva_platform.storage.ledger.decisions import settle_late
from minerva_platform.storage.ledger.run_row import RunHead, heads_of
from minerva_platform.storage.ledger.schema import runs
from minerva_platform.text.language import Language, locale_language

_MAX_HEADS = 10
"""Runs that are shown one by one before they are removed."""
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP = 1024


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """A store, and where its artifacts lie."""

    home: Path
    engine: Engine
    artifacts: ArtifactPlace
    record_text: bool = True
    """Of `platform.yaml`."""

    def words(self, request: str) -> str:
        """Return a request as lists show it, masked; nothing of it if they may not."""
        return mask_text(request) if self.record_text else ""

    def digests_elsewhere(self) -> set[str]:
        """Return the artifacts that the home's own database names, if another one is configured."""
        from minerva_platform.storage.maintenance.inventory import digests_elsewhere  # noqa: PLC0415  # few commands ask

        return digests_elsewhere(self.home, self.engine)


@contextmanager
def opened_store(config: Path | None) -> Generator[OpenedStore | None]:
    """Give the store; None if nothing was ever kept. Nothing is made.

    Questions whose time is over are settled first.

    Raises:
        SettingsError: the configuration cannot be read, or names no database or no folder.
        StateError: the database cannot be used.
    """
    home, settings = home_directory(), find_settings(config).platform
    storage = settings.storage
    place = find_place(home, storage.url)
    if isinstance(place, Path) and not place.exists() and not is_lost(place):
        yield None
        return
    with opened_engine(place) as engine:
        try:
            settle_late(engine)
        except StateError:  # what is late waits for nobody anyway, and the home may be read-only
            engine.read(lambda _: None, empty=None)
        artifacts = find_artifacts(home, storage.files)
        yield OpenedStore(home, engine, artifacts, settings.record_text)


def reader_language(name: str | None) -> Language:
    """Return the language that was typed, else that of the locale.

    Raises:
        SettingsError: MINERVA does not speak it.
    """
    return check_language(name) or locale_language(os.environ)


def show_heads(store: OpenedStore, run_ids: Sequence[str]) -> None:
    """Print the first of these runs: since when, whose each is, who asked, and for what."""
    look = partial(heads_of, its=runs.c.run_id.in_(run_ids[:_MAX_HEADS]))
    for head in store.engine.read(look, empty=dict[str, RunHead]()).values():
        at = datetime.fromtimestamp(head.created, UTC).astimezone()
        whose = (f"{at:%Y-%m-%d %H:%M}", head.tenant, head.requester, store.words(head.request))
        line = "  ".join(filter(None, (head.run_id[:8], *whose)))
        write_text(f"  {cut(one_line(line), WIDE)}")
    if len(run_ids) > _MAX_HEADS:
        write_text(f"  … +{len(run_ids) - _MAX_HEADS:,}")


def is_confirmed(question: str) -> bool | None:
    """True if the person at the terminal says yes; None if nobody sits there."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        return None
    return typer.confirm(question, default=False, err=True)


def bytes_to_text(size: int) -> str:
    """Return a number of bytes for people: `1.2 MiB`."""
    number, unit = float(size), _UNITS[0]
    for larger in _UNITS[1:]:
        if number < _STEP:
            break
        number, unit = number / _STEP, larger
    return f"{number:,.0f} {unit}" if unit == _UNITS[0] else f"{number:,.1f} {unit}"
