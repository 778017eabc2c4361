"""The README is true: its examples run, its table is the schema."""

import re
from pathlib import Path
from typing import get_type_hints

import pytest

from minerva_observability import RecordRow
from minerva_observability.semconv import INSTRUMENTS

README = Path(__file__).parents[2] / "observability" / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_examples_run_one_after_another(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As a newcomer would paste them into one session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    examples = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)

    session: dict[str, object] = {}
    for example in examples:
        exec(compile(example, README.name, "exec"), session)  # noqa: S102  # our own README

    assert len(examples) == 9
    assert capsys.readouterr().out.startswith(".minerva/runs.jsonl closed\nplatform ")


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
