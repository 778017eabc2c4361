"""What people copy into their continuous integration runs, and stops a build on a high finding."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from minerva_governance.commands.review import ReviewError, app, attachments

CI = Path(__file__).parents[3] / "configs" / "examples" / "ci"
POLICY = """\
apiVersion: minerva/v1
policy: {id: ci}
rules:
- id: ENC
  severity: high
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
"""


def texts_of(value: object) -> Iterator[str]:
    """Give every text of loaded YAML."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts_of(item)
        case dict():
            for item in value.values():
                yield from texts_of(item)
        case _:
            pass


def command_of(name: str) -> list[str]:
    """Return the words behind `minerva review` in an example."""
    content = yaml.safe_load((CI / name).read_text(encoding="utf-8"))
    (line,) = [text for text in texts_of(content) if text.startswith("minerva review")]
    return shlex.split(line)[2:]


@pytest.mark.slow
def test_a_high_finding_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command of the example ends with 3, and leaves what the next steps take."""
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("JUMIN_NO\n850101-1234566\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = command_of("review.yml")
    done = CliRunner().invoke(app, command)

    assert (done.exit_code, done.exception and type(done.exception)) == (3, SystemExit)
    assert {"findings.json", "report.md"} <= {each.name for each in Path("review").iterdir()}
    (tmp_path / "rows.csv").write_text("AGE\n3\n", encoding="utf-8")
    assert CliRunner().invoke(app, [*command, "--out", "clean"]).exit_code == 0
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.4")  # no rule can be decided any more
    assert CliRunner().invoke(app, [*command, "--out", "open"]).exit_code == 0
    open_ = CliRunner().invoke(app, [*command, "--out", "strict", "--fail-on-open"])
    assert (open_.exit_code, "could not be decided (--fail-on-open)" in open_.stderr) == (3, True)


@pytest.mark.parametrize("content", ["", '{"a": 1}', '{"tool": "minerva review"}'])
def test_an_earlier_review_is_one(tmp_path: Path, content: str) -> None:
    """What is no findings.json would be reviewed as data, and compared with nothing."""
    earlier = tmp_path / "findings.json"
    earlier.write_text(content, encoding="utf-8")

    with pytest.raises(ReviewError, match=r"--since .*findings\.json"):
        attachments(tmp_path, {}, earlier)


def test_what_is_uploaded_is_what_is_written() -> None:
    """The folder of `--out` is the one that the other steps name; both examples type the same."""
    command = command_of("review.yml")
    assert command == command_of("gitlab-ci.yml")
    folder = command[command.index("--out") + 1]
    content = yaml.safe_load((CI / "review.yml").read_text(encoding="utf-8"))
    paths = {text for text in texts_of(content) if text.startswith(folder)}

    assert paths == {folder, f"{folder}/findings.sarif"}
