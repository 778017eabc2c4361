"""What the team's README shows is run, as it stands."""

import re
from pathlib import Path

import pytest

from minerva_governance.core.reading.source_files import Source
from minerva_governance.steps.policy_loading import load_policy

ROOT = Path(__file__).parents[3]
README = (ROOT / "teams" / "governance" / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the README's block of code in `language`."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    return str(code)


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints the rule on retention and the counts of the review."""
    monkeypatch.chdir(ROOT)

    exec(block("python"), {})  # noqa: S102  # our own README

    printed = capsys.readouterr().out
    assert "RET-01" in printed.splitlines()[2]
    assert "'failed': " in printed


def test_the_policy_example_loads(tmp_path: Path) -> None:
    """Every predicate of it is known."""
    path = tmp_path / "policy.yaml"
    path.write_text(block("yaml"), encoding="utf-8")
    policy = load_policy(Source.of(path))

    assert policy is not None
    assert len(policy.rules) == 7
