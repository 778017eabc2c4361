"""Source trees of the tests' own, and a way to open their indexes."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

PKG = {
    "a.py": "def load(p): ...\n",
    "b.py": 'from pkg.a import load\n\n\ndef run(): return load("x")\n',
    "c.py": 'class T:\n    "doc"\n\n    def m(self): return self.load()\n',
    "d.py": "x = 1\n\n\ndef broken(:\n",
}

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes a tree of sources and returns its root."""

    def write_tree(name: str, sources: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / name
        for path, content in sources.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write_tree


@pytest.fixture
def pkg(write: Write) -> Path:
    """Give the package of the acceptance table: one definition, two callers, one wrong file."""
    return write("pkg", PKG)


@pytest.fixture
def open_index() -> Iterator[Open]:
    """Give a function that indexes a tree and opens the result until the test ends."""
    with ExitStack() as stack:
        yield lambda root: stack.enter_context(Index(index_tree(root).database))
