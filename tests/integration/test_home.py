"""The folder of runs, made by whoever comes first: nobody else can look into it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from kept import keep_turn

from minerva_data.core.proposals.file import ProposalFile
from minerva_data.core.store.schema import connect
from minerva_data.core.store.store import FILE
from minerva_insilico.core.index.indexer import index_tree
from minerva_observability import JsonlSink
from minerva_platform.contract.values import Content
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.storage.ledger.threads import last_thread
from minerva_platform.storage.ledger.turn import KeptTurn

TURN = KeptTurn(request="r", answer="a", topic="t", run_id="i", status="ok")


def propose(home: Path) -> None:
    """Open the proposals for writing."""
    with ProposalFile(home).writing():
        pass


def index(home: Path) -> None:
    """Index a tree of one file."""
    root = home.parent / "tree"
    root.mkdir(parents=True)
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    index_tree(root, home=home)


DOORS: dict[str, Callable[[Path], object]] = {
    "turns": lambda home: last_thread(home / "state.db"),
    "run": lambda home: keep_turn(home / "state.db", "t", TURN),
    "records": lambda home: JsonlSink(home / "runs.jsonl").close(),
    "artifacts": lambda home: ArtifactStore(home / "artifacts").write(Content.of("x")),
    "glossary": lambda home: connect(home / FILE).close(),
    "proposals": propose,
    "index": index,
}


@pytest.mark.parametrize("door", DOORS)
def test_whoever_makes_the_folder_makes_it_private(door: str, tmp_path: Path) -> None:
    """Whichever part of a run comes first; what lies above it is as the system makes folders."""
    home = tmp_path / "above" / ".minerva"
    DOORS[door](home)

    assert home.stat().st_mode & 0o777 == 0o700
    assert all(each.stat().st_mode & 0o077 == 0 for each in home.iterdir() if each.is_dir())
