"""What the tables of the terminal look like at 60 and 80 columns, in both languages.

`python tests/platform/cli/test_terminal_pages.py` writes the pages anew.
"""

import json
import os
import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Group

from minerva_observability.records import RunSummary
from minerva_platform.cli.decide.waiting_list import draw_waiting
from minerva_platform.cli.io.console import to_plain_text
from minerva_platform.cli.records.figure_options import StatsOptions
from minerva_platform.cli.records.stats import told_of
from minerva_platform.cli.views.runs import StoreView, draw_list, draw_run
from minerva_platform.cli.views.stats import draw_stats
from minerva_platform.contract.run_object import Interrupt
from minerva_platform.storage.ledger.questions import OpenQuestion
from minerva_platform.storage.ledger.run_row import RunHead
from minerva_platform.text.language import Language

PAGES = Path(__file__).parent
NOON = 1_893_499_200.0
"""2030-01-01 at noon, UTC."""
LOOKS = [(width, language) for width in (60, 80) for language in ("en", "ko")]


def row(path: str, kind: str, at: int, ms: float, **more: Any) -> Any:
    """Return a row of a record that began `at` milliseconds after noon."""
    began = f"2030-01-01T12:00:00.{at:03d}Z"
    name = path.rpartition("/")[2].partition("#")[0]
    its = {"run_id": "5e" * 16, "span_id": f"{path}{kind}{at}", "agent_name": name, "team": "data"}
    always = {"schema": 2, "kind": kind, "path": path, "status": "ok", "ms": ms, "self_ms": ms / 2}
    return {**its, **always, "started_at": began, "timestamp": began, **more}


DOWN = {"type": "ModelUnavailableError", "message": "the model did not answer in time"}
ROWS = [
    row("platform", "run", 0, 990.0, status="ok_degraded", reason="partly_served"),
    row("platform", "route", 5, 20.0, router="cascade", parent_id="platformrun0",
        decision={"goals": ["data", "정책검토팀"], "scores": {"data": 0.8, "정책검토팀": 0.7},
                  "margin": 0.31}),
    row("platform", "model", 6, 15.0, model="large-model-2030-01-01", prompt_tokens=1200,
        completion_tokens=30, cost=0.01, parent_id="platformroute5"),
    row("platform/data", "agent", 40, 500.0, role="preparation"),
    row("platform/data/vocabulary_mapping_agent", "agent", 50, 400.0, role="producer"),
    row("platform/data/vocabulary_mapping_agent", "node", 60, 300.0, node="align_source_columns",
        status="failed", error=DOWN, action="retried"),
    row("platform/정책검토팀", "agent", 600, 300.0, role="approval"),
    row("platform/정책검토팀/privacy_statement_reviewer", "agent", 610, 200.0, status="failed",
        error=DOWN, action="bypassed", role="approval"),
]  # fmt: skip
TENANTS = ("local", "hospital_seoul", "정책연구원")
WORDS = (
    "Standardise the patient table and tell me which columns have no term",
    "진단 코드, 환자 식별, 검사 일자를 표로 정렬하고 표준 용어를 붙여 줘",
    "pay",
)


def head(number: int, status: str) -> RunHead:
    """Return a run as the store knows it."""
    its = (f"{number:x}" * 32, "t", "platform", status, WORDS[number % 3], TENANTS[number % 3])
    requester = ("clinical-data-portal", None, "kim")[number % 3]
    return RunHead(*its, of_original=False, reason=None, requester=requester, created=NOON)


def question(number: int) -> OpenQuestion:
    """Return a question that waits."""
    path = ("platform/finance/payment_agent", "정책검토팀/privacy_statement_reviewer")[number % 2]
    tool = ("transfer_money", None)[number % 2]
    text = "이 내용을 환자에게 보내도 됩니까? 개인정보가 두 건 들어 있습니다."
    its_id, asked_at = f"{number:x}" * 32, NOON - 4000 * number
    asked = Interrupt(id=its_id, value=text, path=path, tool=tool, text=text, asked=asked_at)
    of = head(number, "needs_human")
    return OpenQuestion(**asdict(of), interrupt=asked)


def pages(home: Path, width: int, language: Language) -> Iterator[str]:
    """Yield the list of runs, a run, the figures and the questions."""
    heads = {each.run_id: each for each in map(head, (1, 2, 3, 4, 5), ("cancelled", "running",
             "ok_degraded", "failed", "queued"))}  # fmt: skip
    view = StoreView(heads=heads, orphans=frozenset({"2" * 32}))
    recorded = [
        RunSummary(
            str(number) * 32, started_at="2030-01-01T11:50:00.000Z", status="ok", ms=1234.5, hops=12
        )
        for number in (3, 4, 5)
    ]
    drawn = (
        draw_list([heads["1" * 32], heads["2" * 32]], recorded, view, width, language),
        Group(*draw_run(ROWS, heads["3" * 32], view, width, language)),
        draw_stats(told_of(StatsOptions(source=str(home / "runs.jsonl"))), width, language),
        draw_waiting([question(1), question(2)], NOON, width, language),
    )
    return (to_plain_text(each, width) for each in drawn)


def page(home: Path, width: int, language: Language) -> str:
    """Return all pages for a width and a language."""
    lines = (json.dumps(each, ensure_ascii=False) for each in ROWS)
    (home / "runs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "\n\n".join(pages(home, width, language)) + "\n"


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("width", "language"), LOOKS)
def test_the_pages_are_as_they_were_looked_at(
    tmp_path: Path, width: int, language: Language
) -> None:
    """No line is wider than the terminal, and no name is cut inside a word."""
    text = page(tmp_path, width, language)
    kept = PAGES / f"terminal_{width}_{language}.txt"

    assert max(map(cell_len, text.splitlines())) <= width
    for name in ("vocabulary_mapping_agent", "privacy_statement_reviewer", "align_source_columns"):
        assert all(part in text for part in name.split("_"))
    assert text == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_reason_beside_the_status_leaves_room_for_failures(language: Language) -> None:
    """Of a tenant's run whose request is long, at 80 columns."""
    run_id, began = "3" * 32, "2030-01-01T11:50:00.000Z"
    its = replace(head(3, "ok_degraded"), run_id=run_id, tenant="acme", requester="ann")
    ends: Any = {"status": "ok_degraded", "reason": "partly_served", "ms": 1234.5, "failures": 27}
    run = RunSummary(run_id, started_at=began, hops=12, **ends)
    drawn = draw_list([], [run], StoreView(heads={run_id: its}), 80, language)

    text = to_plain_text(drawn, 80)
    assert all(part in text for part in ("(partly_served)", " 27 ", "acme", "ann", "11:50:00"))


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    with TemporaryDirectory() as folder:
        for columns, spoken in LOOKS:
            written = page(Path(folder), columns, spoken)  # type: ignore[arg-type]  # of `LOOKS`
            (PAGES / f"terminal_{columns}_{spoken}.txt").write_text(written, encoding="utf-8")
    sys.stdout.write(f"{len(LOOKS)} pages\n")
