"""Uses of six model fields in the test suites of django-filter and djangorestframework (BSD).

`code_uses.yaml` and `code_uses_blind.yaml` beside this file hold the places, labelled by reading,
by an author who has seen neither the search nor its fixtures. Of the blind file only totals are
shown.
The sources come from the package index (`pip download`) into a folder below the temporary folder,
where the next run finds them. Without a network, unpack both source distributions into one folder
(`django_filter-25.1/`, `djangorestframework-3.16.1/`) and name it in `MINERVA_STRANGERS_CODE`.
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import yaml

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

CODE = "MINERVA_STRANGERS_CODE"
LABELS = {"code_uses.yaml": True, "code_uses_blind.yaml": False}
"""Whether the places of a file may be shown."""

_HERE = Path(__file__).parent
_SECONDS = 300
_SHOWN = 20


@dataclass
class Score:
    """What the search says about one field, against what a reader says."""

    asked: str
    lost: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    labelled: int = 0
    unclear: int = 0

    @property
    def found(self) -> int:
        """Labelled uses which the search finds."""
        return self.labelled - len(self.lost)

    @property
    def recall(self) -> float:
        """The share of labelled uses that is found."""
        return self.found / self.labelled

    @property
    def precision(self) -> float:
        """The share of shown places that are uses; what the reader left open does not count."""
        return self.found / max(1, self.found + len(self.wrong))


def measure(_data: Path | None = None) -> bool:
    """Print what is found of each field; True if no labelled use is lost."""
    try:
        scores = {name: _scores(_HERE / name) for name in LABELS}
    except (OSError, subprocess.SubprocessError) as error:
        print(f"not measured: {error}\nWithout a network, set {CODE} to the folder of the sources.")
        return True
    print(f"  {'field':<53}{'uses':>7}{'found':>7}{'lost':>7}{'wrong':>7}{'open':>7}"
          f"{'precision':>11}{'recall':>8}")  # fmt: skip
    for name, found in scores.items():
        for score in found:
            _show(score)
        _show(_sum(found, f"all of {name}"))
    for score in (score for name in scores if LABELS[name] for score in scores[name]):
        for title, places in (("lost", score.lost), ("wrong", score.wrong)):
            for place in places[:_SHOWN]:
                print(f"  {title} {score.asked}: {place}")
    print()
    return not any(score.lost for found in scores.values() for score in found)


def _show(score: Score) -> None:
    counts = (score.labelled, score.found, len(score.lost), len(score.wrong), score.unclear)
    print(f"  {score.asked:<53}{''.join(f'{count:>7}' for count in counts)}"
          f"{score.precision:>11.3f}{score.recall:>8.3f}")  # fmt: skip


def _sum(scores: list[Score], title: str) -> Score:
    return Score(
        title,
        lost=[place for score in scores for place in score.lost],
        wrong=[place for score in scores for place in score.wrong],
        labelled=sum(score.labelled for score in scores),
        unclear=sum(score.unclear for score in scores),
    )


def _scores(labels: Path) -> list[Score]:
    entries: list[dict[str, Any]] = yaml.safe_load(labels.read_text(encoding="utf-8"))
    found: list[Score] = []
    for entry in entries:
        with _indexed(_sources(str(entry["package"]))) as index:
            found.append(_score(index, entry))
    return found


def _score(index: Index, entry: dict[str, Any]) -> Score:
    asked = f"{entry['model']}.{entry['field']}"
    uses = field_uses(index, [asked], with_variables=False)
    labelled, unclear = set(entry["uses"]), set(entry["unclear"])
    shown = {f"{use.path}:{use.line}" for use in uses.items if _was_read(use.path)}
    return Score(
        f"{str(entry['package']).partition('=')[0]} {asked}",
        lost=sorted(labelled - shown),
        wrong=sorted(shown - labelled - unclear),
        labelled=len(labelled),
        unclear=len(shown & unclear),
    )


def _was_read(path: str) -> bool:
    """Whether the labels cover a file: the tests, and the scripts of the documentation."""
    return path.startswith("tests/") or (path.startswith("docs/") and path.count("/") == 1)


@contextmanager
def _indexed(root: Path) -> Generator[Index]:
    with TemporaryDirectory() as home, Index(index_tree(root, home=Path(home)).database) as index:
        yield index


def _sources(requirement: str) -> Path:
    """Return the unpacked source distribution of `name==version`, downloaded if it is not there.

    Raises:
        OSError: the folder that is named for the sources does not have it.
        subprocess.SubprocessError: it cannot be downloaded.
    """
    name, _, version = requirement.partition("==")
    given = os.environ.get(CODE)
    folder = Path(given) if given else Path(gettempdir()) / f"minerva-strangers-{os.getuid()}"
    root = folder / f"{name.replace('-', '_')}-{version}"
    if root.is_dir():
        return root
    if given:
        message = f"{root} is no folder."
        raise FileNotFoundError(message)
    folder.mkdir(mode=0o700, exist_ok=True)
    with TemporaryDirectory(dir=folder) as fresh:
        _download(requirement, Path(fresh))
        (archive,) = Path(fresh).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(fresh, filter="data")
        (Path(fresh) / root.name).rename(root)
    return root


def _download(requirement: str, folder: Path) -> None:
    command = (
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--no-binary", ":all:", "--dest", str(folder), requirement,
    )  # fmt: skip
    subprocess.run(command, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=True)
