"""What tests of the server share: servers that stay for a module, and people with tokens."""

from collections.abc import Generator
from pathlib import Path

import pytest
from server import Guarded, Served, Wanted, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """Give a server that needs no token."""
    with serving(Wanted(tmp_path_factory.mktemp("home"))) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Generator[Guarded]:
    """Give a server that needs tokens."""
    home = tmp_path_factory.mktemp("guarded")
    with serving(Wanted(home, needs_token=True)) as server:
        yield Guarded(server)


@pytest.fixture(autouse=True)
def _nothing_is_held(request: pytest.FixtureRequest) -> Generator[None]:
    """Let no test leave a worker held for the next one."""
    yield
    for name in ("served", "guarded"):
        if name in request.fixturenames:
            found = request.getfixturevalue(name)
            server: Served = getattr(found, "served", found)
            home: Path = server.service.app.home
            for path in home.glob("hold-*"):
                path.unlink()
