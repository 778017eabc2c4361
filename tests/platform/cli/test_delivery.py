"""`--out DIR`: whole files, inside the folder, whatever the artifacts are called."""

from pathlib import Path

import pytest

from minerva_platform.cli.ask.delivery import check_folder, deliver
from minerva_platform.cli.io.exit_codes import UndeliveredError
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.values import Content, StoredArtifact
from minerva_platform.storage.files.artifacts import ArtifactStore


def run_with(folder: Path, *artifacts: tuple[str, str]) -> Run:
    """Return a run that left these artifacts (name, content)."""
    store = ArtifactStore(folder / "store")
    stored = [
        StoredArtifact(
            name=name, media_type="text/plain", path=str(store.directory / digest), sha256=digest
        )
        for name, text in artifacts
        for digest in [store.write(Content.of(text))]
    ]
    return Run(run_id="r", thread_id="t", status="ok", answer="# 답\n", artifacts=tuple(stored))


def names(folder: Path) -> list[str]:
    """Return what lies in `folder`, hidden files included."""
    return sorted(path.name for path in folder.iterdir())


def test_two_artifacts_of_one_name_both_arrive(tmp_path: Path) -> None:
    """The same content comes once; `answer.md` belongs to the answer."""
    out = check_folder(tmp_path / "a" / "out")
    run = run_with(
        tmp_path,
        ("r.md", "one"),
        ("r.md", "two"),
        ("r.md", "one"),
        ("R.MD", "x"),
        ("answer.md", "y"),
    )
    placed = deliver(run, out).artifacts

    assert names(out) == ["R-3.MD", "answer-2.md", "answer.md", "r-2.md", "r.md"]
    assert [Path(artifact.path).read_text() for artifact in placed] == ["one", "two", "x", "y"]
    assert (out / "answer.md").read_text(encoding="utf-8") == "# 답\n"


@pytest.mark.parametrize(
    "name",
    ["..", ".", "../../evil", "/etc/evil", "..\\evil", "", "a" * 300, "가" * 200 + ".md", "\0"],
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    """An artifact's name comes from a worker, which may have it from anywhere."""
    out = check_folder(tmp_path / "out")
    (artifact,) = deliver(run_with(tmp_path, (name, "text")), out).artifacts

    assert Path(artifact.path).parent == out
    assert len(names(out)) == 2
    assert names(tmp_path) == ["out", "store"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """Otherwise a planted link would aim the answer at another file."""
    out = check_folder(tmp_path / "out")
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (out / "answer.md").symlink_to(secret)
    deliver(run_with(tmp_path), out)

    assert secret.read_text() == "mine"
    assert (out / "answer.md").read_text(encoding="utf-8") == "# 답\n"


def test_a_write_that_fails_leaves_no_half_file(tmp_path: Path) -> None:
    """What stood there before is still whole."""
    out = check_folder(tmp_path / "out")
    (out / "r.md").mkdir()

    with pytest.raises(UndeliveredError, match=r"r\.md could not be written: Is a directory"):
        deliver(run_with(tmp_path, ("r.md", "one")), out)
    assert names(out) == ["r.md"]


def test_an_artifact_that_left_the_store_is_told(tmp_path: Path) -> None:
    """Somebody may prune between the run and the delivery."""
    gone = StoredArtifact(
        name="r.md", media_type="text/plain", path=str(tmp_path / "no"), sha256="0"
    )
    run = Run(run_id="r", thread_id="t", status="ok", artifacts=(gone,))

    with pytest.raises(UndeliveredError, match="No such file"):
        deliver(run, check_folder(tmp_path / "out"))
