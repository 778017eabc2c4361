"""A run of one shape that waits for a person and is killed twice; `make chaos` has all."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from shaped_team import LEADER, check_whole, configured, decide, scenario
from shapes import BY_TOOLS, NOTE, SHAPES, asked_twice, check_records

from minerva_observability import read_records
from minerva_observability.records.record import row_to_record
from minerva_platform.testing import scripted_openai_server
from minerva_platform.testing.durability.processes import Move, Processes, processes


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Generator[Processes]:
    """Give the program whose processes move the runs of one house."""
    with processes(scenario(), tmp_path_factory.mktemp("runs")) as found:
        yield found


@pytest.mark.whole
@pytest.mark.parametrize("shape", SHAPES)
def test_a_killed_run_does_and_asks_nothing_twice(workers: Processes, shape: str) -> None:
    """Killed after each deed, before its answer: neither deed nor decision is made again."""
    home = workers.new_home(shape)
    with scripted_openai_server(LEADER) as server:
        configured(home / "configs", shape, server.url)
        paused = workers.do(Move(home=home)).its_run()
        (question,) = paused.interrupts
        decisions = {question.id: decide(question)}
        last = workers.do(
            Move(
                home=home,
                run_id=paused.run_id,
                decisions=decisions,
                kill_at="after the invoices",
            )
        )
        assert last.was_killed
        for point in ("after the parcels", None):
            move = Move(home=home, run_id=paused.run_id, after_kill=last.was_killed, kill_at=point)
            last = workers.do(move)
        run = last.its_run()

    check_whole(run, home, shape)
    deeds = (home / "deeds").read_text(encoding="utf-8").splitlines()
    assert sorted(line.split()[0] for line in deeds) == ["invoices", "parcels"]
    assert asked_twice(server.calls) == []
    assert run.usage.model_calls == len(server.calls)
    if shape in BY_TOOLS:
        assert NOTE in json.dumps(server.calls[-1].messages)
    rows = read_records(Path(home / "runs.jsonl"))
    check_records(run, [row_to_record(row) for row in rows])
