"""`minerva compact`: the same runs and figures afterwards, from a tenth of the bytes."""

import json
from pathlib import Path
from typing import Any

import pytest

from minerva_observability import JsonlSink

pytestmark = pytest.mark.usefixtures("with_trial")


@pytest.fixture
def recorded(invoke: Any, minerva_home: Path) -> Path:
    """Record two runs and return their file."""
    for request in ("speak", "fail"):
        invoke("ask", request, "--team", "trial")
    return minerva_home / "runs.jsonl"


def test_runs_are_found_after_it(invoke: Any, recorded: Path) -> None:
    """The list and the tree of a run say the same as before; what was done is told."""
    before = invoke("runs", "--json").stdout, invoke("runs", "last").stdout

    done = invoke("compact")

    assert done.exit_code == 0
    assert done.stderr.startswith("1 file, ")
    assert "MiB are" in done.stderr
    assert not recorded.exists()
    assert (invoke("runs", "--json").stdout, invoke("runs", "last").stdout) == before


def test_it_tells_a_script(invoke: Any, recorded: Path) -> None:
    """One object on standard output."""
    recorded.write_bytes(recorded.read_bytes() * 2 + b"no record\n")

    told = json.loads(invoke("compact", "--json").stdout)

    assert told["converted"] == [str(recorded)]
    assert told["rejected"] == 1
    assert told["duplicates"] == told["rows"]
    assert told["bytes_after"] == sum(Path(path).stat().st_size for path in told["written"])


def test_a_file_in_use_is_named(invoke: Any, recorded: Path) -> None:
    """Nothing is taken from under a process that runs."""
    sink = JsonlSink(recorded)

    done = invoke("compact", str(recorded.parent))

    assert done.exit_code == 0
    assert "Nothing to compact" in done.stderr
    assert f"{recorded} is being written to" in " ".join(done.stderr.split())
    assert recorded.exists()
    sink.close()


def test_a_folder_that_is_not_there(invoke: Any, tmp_path: Path) -> None:
    """Is a mistake of typing."""
    done = invoke("compact", str(tmp_path / "nowhere"))

    assert done.exit_code == 2
    assert "There is no" in done.stderr


def test_a_file_that_cannot_be_converted_is_named(invoke: Any, recorded: Path) -> None:
    """It stays, and the command fails; the reason is told: here, Parquet that is damaged."""
    (recorded.parent / "runs").mkdir()
    (recorded.parent / "runs" / "2025-01-01-0.parquet").write_bytes(b"no Parquet at all")

    done = invoke("compact")

    assert done.exit_code == 2
    assert f"{recorded}: " in done.stderr.replace("\n", " ")
    assert "Nothing to compact" not in done.stderr
    assert recorded.exists()
