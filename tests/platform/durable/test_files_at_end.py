"""A team tells files of its run anew once people have decided; the run keeps what it tells."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from minerva_platform import Artifact, Platform, Team, agent, ask_approval
from minerva_platform.contract.run_object import Run


@agent(examples=["write the report"])
def reporter(request: str) -> dict[str, Any]:
    """Writes a report, and asks a person."""
    ask_approval("Sign it?", tool="sign", arguments={"what": request})
    report = Artifact(name="report.md", media_type="text/markdown", content="asked")
    return {"summary": "written", "artifacts": [report]}


class Office(Team):
    """Tells in the report who decided."""

    def files_at_end(
        self, run: Run, decisions: Sequence[Mapping[str, Any]], files: Mapping[str, str]
    ) -> Sequence[Artifact]:
        """Return the report of a run with each decision."""
        assert files.keys() == {each.name for each in run.artifacts}
        said = [f"{each['tool']}: {each['type']} by {each['by']}" for each in decisions]
        text = "\n".join([files["report.md"], *said])
        return [Artifact(name="report.md", media_type="text/markdown", content=text)]


class Broken(Office):
    """Cannot tell."""

    def files_at_end(self, *_: Any, **__: Any) -> Sequence[Artifact]:
        """Fail."""
        message = "no pen"
        raise ValueError(message)


def decided(team: Team, home: Path) -> tuple[Run, str]:
    """Return the run after its approval, and what its report says."""
    with Platform(teams=[team], home=home) as app:
        asked = app.ask("write the report")
        run = app.resume(asked.run_id, {asked.interrupts[0].id: {"type": "approve"}})
        return run, Path(run.artifacts[0].path).read_text()


def office(kind: type[Team]) -> Team:
    """Return a team of a reporter."""
    return kind(name="office", description="Writes reports.", members=(reporter,))


def test_the_kept_file_says_who_decided(tmp_path: Path) -> None:
    """The decision is known to the run alone, after the worker has written."""
    run, report = decided(office(Office), tmp_path)

    assert run.status == "ok"
    assert report.splitlines()[0] == "asked"
    assert report.splitlines()[1].startswith("sign: approve by ")


def test_a_team_that_cannot_tell_keeps_its_files_and_says_so(tmp_path: Path) -> None:
    """The answer says what the files lack."""
    run, report = decided(office(Broken), tmp_path)

    assert (run.status, report) == ("ok_degraded", "asked")
    assert "the files do not tell what was decided" in run.answer
