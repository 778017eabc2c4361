"""Every shape of a team, killed at every hop, on SQLite and Postgres.

`make test` has one run of each, in tests/platform/routing/test_killed_shapes.py.
"""

from pathlib import Path

import pytest
from ledger import Store
from shaped_team import LEADER, check_whole, configured, scenario
from shapes import SHAPES

from minerva_platform.testing import kill_at_every_hop, scripted_openai_server

MIN_POINTS = 20


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_killed_at_any_hop_ends_as_if_it_were_not(
    shape: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three levels, a question and two deeds: the same hops and answer, each deed by one key."""
    url = store.address if store.address.startswith("postgresql:") else None
    with scripted_openai_server(LEADER) as server:
        folder = configured(tmp_path / "configs", shape, server.url)
        monkeypatch.setenv("MINERVA_CONFIG", str(folder))
        found = kill_at_every_hop(scenario(url), tmp_path / "runs")

    for each in found:
        check_whole(each.run, each.home, shape)
    assert len(found) >= MIN_POINTS
