"""A team whose contract no longer fits, beside the one that it reads from.

The metadata is what an installer would write; `make test-isolated` does the same with wheels.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from minerva_platform.cli.main import app

MODULE = Path(__file__).parents[1] / "ledger_team" / "minerva_ledger.py"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what installs the ledger in a version, instead of the one that is there."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))

    def replace(version: str, *, reads: int) -> None:
        shutil.rmtree(site, ignore_errors=True)
        metadata = site / f"minerva_ledger-{version}.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Name: minerva-ledger\nVersion: {version}\n")
        (metadata / "entry_points.txt").write_text(
            "[minerva.teams]\nledger = minerva_ledger:LedgerTeam\n"
        )
        module = MODULE.read_text().replace("ClassVar[int] = 1", f"ClassVar[int] = {reads}")
        (site / "minerva_ledger.py").write_text(module)
        shutil.rmtree(site / "__pycache__", ignore_errors=True)
        monkeypatch.delitem(sys.modules, "minerva_ledger", raising=False)

    return replace


@pytest.fixture
def minerva(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Call the command in this process, for the data team and the ledger."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "platform.yaml").write_text("teams: [data, ledger]\n")

    def call(*words: str) -> Result:
        return CliRunner().invoke(app, words, prog_name="minerva")

    return call


@pytest.mark.slow
def test_an_unfit_version_is_left_out_until_the_old_one_is_back(
    install: Callable[..., None], minerva: Callable[..., Result]
) -> None:
    """Everybody else is there with one warning; `minerva check` names both sides with versions."""
    install("2.0", reads=2)
    unfit, told = minerva("teams"), minerva("check")
    install("1.0", reads=1)
    fit, fine = minerva("teams"), minerva("check")

    assert (unfit.exit_code, unfit.stderr.count("left out: ")) == (0, 1)
    assert "left out: `ledger` (minerva-ledger 2.0, minerva_ledger.py:" in unfit.stderr
    assert "retrieval_agent" in unfit.stdout
    assert told.exit_code == 2
    assert (
        "`keep_ledger` of `ledger` (minerva-ledger 2.0) cannot read the `data.rename_plan` of "
        "`auditor_agent` of `data` (minerva-team-data "
    ) in told.stderr
    assert "version 1 is given, version 2 is read" in told.stderr
    assert (fit.exit_code, fit.stderr) == (0, "")
    assert "keep_ledger" in fit.stdout
    assert fine.exit_code == 0


def test_a_misfit_is_told_beside_a_team_that_cannot_be_read(
    install: Callable[..., None], minerva: Callable[..., Result], tmp_path: Path
) -> None:
    """Nobody has to mend one team to hear of the next."""
    install("2.0", reads=2)
    team = "class Hollow(Team):\n    name, description, members = 'hollow', 'Empty.', (None,)\n"
    (tmp_path / "site" / "minerva_hollow.py").write_text(
        f"from minerva_platform import Team\n\n\n{team}"
    )
    metadata = next((tmp_path / "site").glob("*.dist-info")) / "entry_points.txt"
    metadata.write_text(f"{metadata.read_text()}hollow = minerva_hollow:Hollow\n")
    (tmp_path / "configs" / "platform.yaml").write_text("teams: [data, hollow, ledger]\n")
    told = minerva("check").stderr

    assert "`platform/hollow`: a member of `hollow` is None, which is no agent" in told
    assert "version 1 is given, version 2 is read" in told
