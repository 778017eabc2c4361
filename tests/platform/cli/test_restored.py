"""A restored copy at the command line: what rests, what is said, and the word that ends it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("trial_alone")

WORD = "minerva doctor --this-is-the-store"


@pytest.mark.slow
def test_a_restored_backup_pays_nothing_that_its_original_has_paid(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command refuses in a sentence that says what to type."""
    asked = invoke("ask", "pay", "--team", "trial", "--json", "--thread", "t")
    run_id = json.loads(asked.stdout)["run_id"]
    queued = invoke("ask", "note it", "--team", "trial", "--background").stdout.strip()
    told = json.loads(invoke("backup", "store.tar", "--json").stdout)
    assert invoke("approve", run_id).exit_code == 0
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 12000\n"

    unpack, _, use = told["restore"].rpartition(" && ")
    subprocess.run(unpack, shell=True, check=True)  # noqa: S602  # what a person would type
    monkeypatch.setenv("MINERVA_HOME", use.split()[0].removeprefix("MINERVA_HOME="))
    for refused in (
        invoke("approve", run_id),
        invoke("resume", run_id),
        invoke("resume", queued),
        invoke("ask", "yes", "--team", "trial", "--thread", "t"),
        invoke("runs", "wait", run_id),
        invoke("runs", "wait", queued),
    ):
        assert (refused.exit_code != 0, WORD in refused.stderr) == (True, True)
    worker = invoke("worker", "--until-empty")
    found = json.loads(invoke("doctor", "--json").stdout)["findings"]

    assert (worker.exit_code, "2 runs that were accepted before rest" in worker.stderr) == (0, True)
    assert [each["code"] for each in found] == ["restored_copy"]
    assert found[0]["type"].endswith(WORD)
    assert "questions: 1, effects in doubt: 0" in found[0]["what"]
    assert invoke("runs", "events", queued, "--follow").exit_code == 0
    (asked,) = json.loads(invoke("waiting", "--json").stdout)["questions"]
    assert (asked["run_id"], asked["rests"]) == (run_id, True)
    for listed in (invoke("waiting"), invoke("waiting", "show", run_id)):
        assert ("minerva approve" in listed.stdout, WORD in listed.stderr) == (False, True)
    unclear = invoke("ask", "yes, but less", "--team", "trial", "--thread", "t")
    assert (WORD in unclear.stdout, "minerva approve" in unclear.stdout) == (True, False)
    assert "a question of this thread rests" in unclear.stderr
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 12000\n"

    word = invoke("doctor", "--this-is-the-store", "--language", "en")
    assert "goes on: runs: 2, with questions: 1." in word.stdout
    assert "is not marked as a restored copy" in invoke("doctor", "--this-is-the-store").stdout
    assert invoke("doctor").exit_code == 0
    assert invoke("approve", run_id).exit_code == 0  # whoever gave the word let it
    assert (tmp_path / "paid").read_text(encoding="utf-8") == "Kim 12000\nKim 12000\n"


def test_a_copy_of_another_tool_is_marked_by_the_doctor(invoke: Any) -> None:
    """Nothing rests where nothing is kept, and one word at a time is typed."""
    assert "Nothing is kept" in invoke("doctor", "--restored").stderr
    run_id = json.loads(invoke("ask", "pay", "--team", "trial", "--json").stdout)["run_id"]
    marked = invoke("doctor", "--restored", "--json")
    assert json.loads(marked.stdout)["original"]["runs"] == [run_id]
    assert WORD in invoke("approve", run_id, "--language", "ko").stderr
    assert "쉬는 실행: 1개" in invoke("doctor", "--restored", "--language", "ko").stdout
    both = invoke("doctor", "--restored", "--this-is-the-store")
    assert (both.exit_code, "Type one of these alone" in both.stderr) == (2, True)
