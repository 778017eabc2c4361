"""Keep trained routers, so that only the first start after a change trains.

Training takes a second for three teams, and a quarter of a minute for thirty teams of thirty
workers. Reading a file back takes milliseconds. A file belongs to one supervisor's examples, so an
edited example trains its own supervisor and those above it, and no other. The files can be deleted
at any time. They hold numbers and text only, so reading one runs no code.
"""

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import orjson

from minerva_platform.routing.training.classifier import LinearModel, TrainingSet
from minerva_platform.routing.training.thresholds import ScoreThresholds, measure_thresholds

LEARNING = __name__
"""The logger that gets a line before each training."""

MAX_FILES = 256
"""Trained routers that are kept. Beyond that the oldest are deleted."""

_DIGEST = hashlib.sha256().digest_size
"""Bytes at the beginning of a file that identify the rest."""

_ARRAYS = ("idf", "margins", "familiarities")
_THRESHOLDS = ("threshold", "clear", "sure")


class RouterStore:
    """A folder of trained routers, by a digest of their training data and code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recall(self, examples: TrainingSet) -> tuple[LinearModel, ScoreThresholds]:
        """Return the model and thresholds that this code learns from these examples, kept or new.

        An unreadable file is trained again. A file that cannot be written is skipped.
        """
        file = self.folder / f"{_key(examples)}.npz"
        try:
            said = file.stat()
            return _read_model(file, (said.st_ino, said.st_mtime_ns, said.st_size))
        except (OSError, ValueError):
            learned = learn(examples)
            with suppress(OSError):
                _write(file, *learned)
                self._forget_the_oldest()
            return learned

    def _forget_the_oldest(self) -> None:
        kept = sorted(self.folder.glob("*.npz"), key=lambda file: file.stat().st_mtime)
        for file in kept[:-MAX_FILES]:
            file.unlink(missing_ok=True)


def learn(examples: TrainingSet) -> tuple[LinearModel, ScoreThresholds]:
    """Return the model and the thresholds that `examples` give."""
    logging.getLogger(LEARNING).info("learning from %d examples", len(examples.texts))
    model, unseen = examples.model_and_unseen
    return model, measure_thresholds(unseen, examples.labels)


def _key(examples: TrainingSet) -> str:
    said = [_code(), examples.texts, examples.labels, examples.members, examples.declined_texts]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()


@cache
def _code() -> str:
    """Return a digest of all code and data that decide how a router learns."""
    digest = hashlib.sha256()
    routing, text = files("minerva_platform.routing"), files("minerva_platform.text")
    for file in (*_files_in(routing), *_files_in(text)):
        digest.update(file.read_bytes())
    return f"{digest.hexdigest()},{version('numpy')}"


def _files_in(folder: Traversable) -> Iterator[Traversable]:
    """Yield the files of `folder` and below it, word lists among them, but no bytecode."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file():
            yield entry
        elif entry.name != "__pycache__":
            yield from _files_in(entry)


@lru_cache(maxsize=8)
def _read_model(file: Path, _state: tuple[int, ...]) -> tuple[LinearModel, ScoreThresholds]:
    """Return what a file holds. A process that makes several routers reads it once."""
    import numpy as np  # noqa: PLC0415  # numpy must not load with the command line

    data = file.read_bytes()
    if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        message = f"{file} is not as it was written."
        raise ValueError(message)
    with np.load(BytesIO(data[_DIGEST:]), allow_pickle=False) as kept:
        grams: list[str] = orjson.loads(kept["features"].tobytes())
        arrays: dict[str, Any] = {name: kept[name] for name in _ARRAYS}
        unseen, *thresholds = map(float, kept["numbers"])
    model = LinearModel(
        features={gram: row for row, gram in enumerate(grams)}, unseen_idf=unseen, **arrays
    )
    return model, ScoreThresholds(**dict(zip(_THRESHOLDS, thresholds, strict=True)))


def _write(file: Path, model: LinearModel, thresholds: ScoreThresholds) -> None:
    """Write beside `file`, then rename, so that no reader sees half of it."""
    import numpy as np  # noqa: PLC0415  # see above

    ordered = sorted(model.features, key=model.features.__getitem__)
    numbers = [model.unseen_idf, *(getattr(thresholds, name) for name in _THRESHOLDS)]
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".part-")
    try:
        arrays = {name: getattr(model, name) for name in _ARRAYS}
        features = np.frombuffer(orjson.dumps(ordered), dtype=np.uint8)
        content = BytesIO()
        savez = cast("Any", np.savez)
        savez(content, features=features, numbers=np.asarray(numbers), **arrays)
        data = content.getvalue()
        with os.fdopen(handle, "wb") as target:
            target.write(hashlib.sha256(data).digest() + data)
        Path(temporary).replace(file)
    finally:
        Path(temporary).unlink(missing_ok=True)
