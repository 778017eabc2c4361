"""The README is true: its examples run, its table is the schema."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

from minerva_observability.records import RecordRow
from minerva_observability.sinks.semconv import INSTRUMENTS

README = Path(__file__).parents[2] / "observability" / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_examples_run_one_after_another(tmp_path: Path) -> None:
    """As a newcomer would paste them into one fresh session."""
    examples = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    known = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}

    session = subprocess.run(
        [sys.executable, "-c", "\n".join(examples)],
        cwd=tmp_path,
        env=known,
        capture_output=True,
        text=True,
        check=False,
    )

    assert session.returncode == 0, session.stderr
    assert len(examples) == 10
    assert session.stdout.startswith(".minerva/runs.jsonl closed\nplatform ")


def test_the_table_lists_every_field() -> None:
    """A new field is documented or this fails."""
    table = re.findall(r"^\| `(\w+)` \|", TEXT.partition("## Secrets")[0], re.MULTILINE)

    assert sorted(table) == sorted(get_type_hints(RecordRow))


def test_the_table_lists_every_metric() -> None:
    """By the name of the convention, and as Prometheus shows it."""
    table = re.findall(r"^\| `([\w.]+)` \| `(\w+)` \|", TEXT, re.MULTILINE)
    units = {"s": "_seconds"}
    ends = {"histogram": "", "counter": "_total", "observed": "_total"}

    assert sorted(table) == sorted(
        (each.name, each.name.replace(".", "_") + units.get(each.unit, "") + ends[each.kind])
        for each in INSTRUMENTS
    )
