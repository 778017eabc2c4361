"""Requests for two workers of one small team, in fields that no bundled team knows."""

from pathlib import Path

import pytest
from small_teams import tally_workers

TEAMS = Path(__file__).parents[2] / "bench/small_teams.yaml"


@pytest.mark.slow
def test_two_workers_of_a_small_team_are_told_apart() -> None:
    """Ten examples a worker are few: three of four such requests reach both, others stay whole."""
    counts = tally_workers(TEAMS)

    assert (counts["two"], counts["one"]) == (20, 20)
    assert counts["two: workers"] >= 15
    assert counts["one: workers"] >= 19
    assert counts["two: team"] == counts["one: team"] == 20
    assert counts["two: told"] + counts["one: told"] <= 2
