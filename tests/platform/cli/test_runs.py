"""`minerva runs`: what was recorded, found again by id, whatever happened to the file."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import copies
import pytest

pytestmark = pytest.mark.usefixtures("with_trial")

TRIAL = Path(__file__).with_name("trial_team.py").read_text(encoding="utf-8")
RAISED = TRIAL.partition("raise RuntimeError(message)")[0].count("\n") + 1
"""The line in which the worker `fail` raises."""


@pytest.fixture
def two_runs(invoke: Any, minerva_home: Path) -> list[str]:
    """Record a run that failed and a degraded one after it; return their ids."""
    for request in ("fail", "speak fail"):
        invoke("ask", request, "--team", "trial")
    rows = [json.loads(line) for line in (minerva_home / "runs.jsonl").read_text().splitlines()]
    return [row["run_id"] for row in rows if row["kind"] == "run"]


def test_runs_are_listed_newest_first(invoke: Any, two_runs: list[str]) -> None:
    """With status, reason, time, hops and failures."""
    done = invoke("runs")
    lines = done.stdout.splitlines()

    assert done.exit_code == 0
    assert lines[0].split() == ["run", "started", "status", "time", "hops", "failures", "request"]
    assert [line[:8] for line in lines[1:]] == [two_runs[1][:8], two_runs[0][:8]]
    assert "▲ ok_degraded" in lines[1]
    assert lines[1].split()[-4:] == ["2", "1", "speak", "fail"]
    assert "✗ failed (all_failed)" in lines[2]


def test_the_list_says_how_much_it_shows(invoke: Any, two_runs: list[str]) -> None:
    """As JSON and for people."""
    shown = invoke("runs", "--limit", "1")
    as_json = json.loads(invoke("runs", "--limit", "1", "--json").stdout)

    assert "1 of 2 runs" in shown.stderr
    assert (as_json["total"], as_json["shown"], as_json["truncated"]) == (2, 1, True)
    assert as_json["runs"][0]["run_id"] == two_runs[1]
    assert as_json["runs"][0]["hops"] == 2


@pytest.mark.parametrize("word", ["last", "prefix", "id"])
def test_one_run_is_shown_with_its_hops_and_decisions(
    invoke: Any, two_runs: list[str], word: str
) -> None:
    """Each hop and node with its self time, what was bypassed and why, who routed."""
    wanted = {"last": "last", "prefix": two_runs[1][:6], "id": two_runs[1]}[word]
    done = invoke("runs", wanted)

    assert done.exit_code == 0
    assert done.stdout.startswith(f"run {two_runs[1]}\n")
    assert re.search(r"─ ✓ speak +[\d.,]+ ms +self ", done.stdout)
    assert re.search(r"└─ ✗ work +[\d.,]+ ms", done.stdout)
    assert re.search(r"├─ ✓ route +→ speak, fail", done.stdout)
    assert "words" in done.stdout
    assert " 1.00 speak" in done.stdout
    told = " ".join(done.stdout.split())
    cause = f"RuntimeError: [bold]10 characters broke it[/bold] (trial_team.py:{RAISED}, in step)"
    assert f"bypassed trial/fail {cause}" in told
    assert told.count("RuntimeError") == 1


def test_bad_lines_are_counted_and_hide_nothing(
    invoke: Any, two_runs: list[str], minerva_home: Path
) -> None:
    """A killed process, a crashed file system and a stray editor are told apart."""
    with (minerva_home / "runs.jsonl").open("ab") as file:
        file.write(b'{"schema":1,"run\nnot json\n\0\0\0\n')
    listed = invoke("runs")
    as_json = json.loads(invoke("runs", two_runs[0], "--json").stdout)

    assert len(listed.stdout.splitlines()) == 3
    assert "3 lines hold no record, passed over: " in listed.stderr
    assert as_json["bad_lines"] == 3
    assert {row["run_id"] for row in as_json["rows"]} == {two_runs[0]}


def test_a_full_file_is_followed_by_the_next(
    invoke: Any, two_runs: list[str], minerva_home: Path, tmp_path: Path
) -> None:
    """At the size that platform.yaml says; runs of all files are listed and shown."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "platform.yaml").write_text("runs_file_mib: 1\n", encoding="utf-8")
    with (minerva_home / "runs.jsonl").open("ab") as file:
        file.write(b" " * 1024 * 1024 + b"\n")
    invoke("ask", "speak", "--team", "trial", "--config", tmp_path / "conf")
    third = json.loads((minerva_home / "runs.2.jsonl").read_text().splitlines()[-1])["run_id"]
    listed = json.loads(invoke("runs", "--json").stdout)

    assert [run["run_id"] for run in listed["runs"]] == [third, *reversed(two_runs)]
    assert invoke("runs", third[:8]).stdout.startswith(f"run {third}\n")
    assert invoke("runs", two_runs[0]).stdout.startswith(f"run {two_runs[0]}\n")


def test_an_ambiguous_beginning_names_the_runs(invoke: Any, minerva_home: Path) -> None:
    """Nothing is shown rather than the wrong run."""
    minerva_home.mkdir()
    row = {"schema": 1, "span_id": "s", "path": "p", "kind": "run", "status": "ok", "ms": 1}
    lines = [json.dumps({**row, "run_id": f"ab{end}"}) for end in "cd"]
    (minerva_home / "runs.jsonl").write_text("\n".join(lines))
    done = invoke("runs", "ab")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "2 runs begin with `ab`: abc, abd. Type more." in done.stderr


def test_before_the_first_run_it_says_what_to_type(invoke: Any) -> None:
    """An empty list is no error."""
    done = invoke("runs")

    assert (done.exit_code, done.stdout) == (0, "")
    assert "minerva ask" in done.stderr


def test_a_run_says_what_it_took(invoke: Any, minerva_home: Path) -> None:
    """Status, begin, tokens and cost in a line; tries, self times and waiting in the tree."""
    minerva_home.mkdir()
    row: dict[str, Any] = {"schema": 1, "run_id": "abc", "status": "ok", "ms": 30, "self_ms": 10}
    row |= {"started_at": "2026-01-31T09:00:00.000Z", "path": "t/w"}
    reset = {"type": "OSError", "message": "reset"}
    rows: list[dict[str, Any]] = [
        {"kind": "node", "node": "get", "status": "failed", "error": reset, "action": "retried"},
        {"kind": "node", "node": "get", "attempt": 2},
        {"kind": "model", "model": "m", "prompt_tokens": 1200, "completion_tokens": 7, "cost": 0.5},
        {"kind": "pause", "status": "paused", "waited_ms": 4200},
        {"kind": "agent"},
        {"kind": "run", "path": "t", "status": "ok_degraded", "reason": "deadline"},
    ]
    lines = [json.dumps({**row, "span_id": str(n), **each}) for n, each in enumerate(rows)]
    (minerva_home / "runs.jsonl").write_text("\n".join(lines))
    text = invoke("runs", "abc").stdout
    told = " ".join(text.split())

    assert text.startswith("run abc\n▲ ok_degraded (deadline) · began 2026-01-31 ")
    assert "1,200 tokens in, 7 out · cost 0.5000 USD · persons took 4.2 s" in told
    assert "✗ get attempt 1 retried 30 ms self 10 ms" in told
    assert "✓ get attempt 2 30 ms self 10 ms" in told
    assert "? pause waited 4.2 s for a person" in told


def test_a_run_that_waited_shows_its_work_and_its_wait_apart(
    invoke: Any, minerva_home: Path
) -> None:
    """Two parts add up to 70 ms, and the bars know nothing of the two hours between them."""
    minerva_home.mkdir()
    common: dict[str, Any] = {"schema": 1, "run_id": "abc", "status": "ok", "self_ms": 10}
    worker = {**common, "kind": "agent", "path": "t/w", "agent_name": "w"}
    decided = {"type": "edit", "by": "kim"}
    rows: list[dict[str, Any]] = [
        {**worker, "status": "paused", "ms": 20, "started_at": "2026-01-31T09:00:00.010Z"},
        {**common, "kind": "pause", "path": "t/w", "status": "paused", "ms": 0}
        | {"started_at": "2026-01-31T09:00:00.030Z"},
        {**common, "kind": "run", "path": "t", "status": "needs_human", "ms": 30}
        | {"started_at": "2026-01-31T09:00:00.000Z"},
        {**common, "kind": "decision", "path": "t/w", "decision": decided, "ms": 0}
        | {"waited_ms": 7_200_000, "started_at": "2026-01-31T11:00:00.000Z"},
        {**worker, "ms": 40, "started_at": "2026-01-31T11:00:00.000Z", "resume_no": 1},
        {**common, "kind": "run", "path": "t", "ms": 40, "resume_no": 1}
        | {"started_at": "2026-01-31T11:00:00.000Z"},
    ]
    lines = [json.dumps({**each, "span_id": str(n)}) for n, each in enumerate(rows)]
    (minerva_home / "runs.jsonl").write_text("\n".join(lines))
    text = invoke("runs", "abc").stdout
    told = " ".join(text.split())
    listed = " ".join(invoke("runs").stdout.split())

    assert "✓ ok · began 2026-01-31 " in told
    assert "· persons took 2.0 h" in told
    assert "70 ms self 20 ms" in told
    assert "60 ms self 20 ms" in told
    assert "✓ edit by kim, after 2.0 h" in told
    assert "✓ ok 70 ms 1" in listed


def test_no_name_on_record_is_obeyed(invoke: Any, minerva_home: Path) -> None:
    """Not by the terminal, and not as markup: anybody may have written the file."""
    minerva_home.mkdir()
    name = "[red]\x1b[2J[/nope]"
    row: dict[str, Any] = {
        "schema": 1,
        "run_id": f"a{name}",
        "span_id": "s",
        "status": "failed",
        "ms": 1,
    }
    decision = {"goals": [name], "scores": {name: 1.0}}
    rows: list[dict[str, Any]] = [
        {**row, "kind": "route", "path": name, "router": name, "decision": decision},
        {**row, "kind": "run", "path": name, "action": name, "reason": name, "span_id": "t"},
    ]
    (minerva_home / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    shown, listed = invoke("runs", "a"), invoke("runs")

    assert (shown.exit_code, listed.exit_code) == (0, 0)
    assert "\x1b" not in shown.stdout + listed.stdout
    assert shown.stdout.count("[red]\\x1b[2J[/nope]") >= 5


def test_compacted_runs_without_duckdb_say_what_to_install(
    invoke: Any, two_runs: list[str], minerva_home: Path
) -> None:
    """In one line, not in a traceback."""
    assert invoke("compact").exit_code == 0
    assert len(json.loads(invoke("runs", "--json").stdout)["runs"]) == len(two_runs)
    narrowed = json.loads(invoke("runs", "--json", "--tenant", "local").stdout)
    assert (narrowed["total"], narrowed["shown"]) == (len(two_runs), len(two_runs))
    assert json.loads(invoke("runs", "--json", "--tenant", "acme").stdout)["total"] == 0
    rows = json.loads(invoke("runs", two_runs[1], "--json").stdout)["rows"]
    assert [row["role"] for row in rows if row["kind"] == "agent"] == ["goal", "goal"]
    assert not (minerva_home / "runs.jsonl").exists()
    program = "import sys; sys.modules['duckdb'] = None; from minerva_platform.cli import main; "
    for arguments in (["runs"], ["runs", "last"], ["runs", two_runs[0]]):
        done = copies.run(
            [sys.executable, "-c", program + "main()", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
        assert "pip install 'minerva-observability[dashboard]'" in done.stderr
