"""Paths that the clients of a server may attach: those below one folder, and no others."""

import runpy
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import create_model

from minerva_platform import AgentInput, Attachment, BindingError, Platform, Team
from minerva_platform.config.settings import find_settings
from minerva_platform.errors import SettingsError
from minerva_platform.langgraph import as_graph
from minerva_platform.testing import EachOnceRouter, StubAgent

ROOT = Path(__file__).parents[3]


def office() -> Team:
    """Return a team whose worker says what is in the attached notes."""
    reader = StubAgent(
        "reader",
        behave=lambda given: {"summary": " ".join(note.path.read_text() for note in given.notes)},
    )
    takes: Any = Annotated[tuple[Attachment, ...], Attachment.of("*.txt")]
    reader.Input = create_model("reader_takes", __base__=AgentInput, notes=(takes, ()))
    return Team(name="office", description="…", members=(reader,), router=EachOnceRouter())


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Return the folder that clients may read; a secret lies beside it."""
    folder = tmp_path / "shared"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "note.txt").write_text("a note")
    (tmp_path / "secret.txt").write_text("a secret")
    return folder


def answer(root: Any, *paths: str | Path) -> str:
    """Ask with these paths, as a client of a server does."""
    graph = as_graph(office(), attachments_root=root)
    given: Any = {"request": "go", "attachments": [str(path) for path in paths]}
    return str(graph.invoke(given)["answer"])


def test_a_path_below_the_root_is_taken(shared: Path) -> None:
    """Absolute or from the root, and a link that stays in it."""
    (shared / "link.txt").symlink_to("deep/note.txt")
    for path in (shared / "deep" / "note.txt", "deep/note.txt", "link.txt", "deep/../link.txt"):
        assert "a note" in answer(shared, path)


@pytest.mark.parametrize(
    "path", ["../secret.txt", "deep/../../secret.txt", "out.txt", "out/secret.txt", "loop", "a\0b"]
)
def test_a_path_that_leads_out_is_refused(path: str, shared: Path) -> None:
    """By `..` or by a link; the error names no folder of the server."""
    (shared / "out.txt").symlink_to(shared.parent / "secret.txt")
    (shared / "out").symlink_to(shared.parent)
    (shared / "loop").symlink_to(shared / "loop")
    with pytest.raises(BindingError, match=r"does not lie below|is not there") as raised:
        answer(shared, path)
    assert str(shared) not in str(raised.value)


@pytest.mark.parametrize("name", ["secret.txt", "nothing.txt"])
def test_what_lies_elsewhere_is_not_even_told_to_be_there(name: str, shared: Path) -> None:
    """A file and none get the same answer."""
    path = shared.parent / name
    with pytest.raises(BindingError) as raised:
        answer(shared, path)
    assert f"names '{path}', which does not lie below" in str(raised.value)


def test_a_file_that_is_gone_is_said(shared: Path) -> None:
    """As the client named it."""
    with pytest.raises(BindingError, match=r"names 'gone\.txt', which is not there"):
        answer(shared, "gone.txt")


def test_without_a_folder_no_path_is_taken(shared: Path) -> None:
    """With what whoever runs the server may do about it; words alone are answered."""
    with pytest.raises(BindingError, match=r"sets `server\.attachments_root` in platform\.yaml"):
        answer(None, shared / "deep" / "note.txt")
    assert answer(None) == ""


def test_a_program_of_ones_own_takes_any_path(shared: Path) -> None:
    """As ever."""
    assert "a secret" in answer(..., shared.parent / "secret.txt")


def test_the_root_must_be_a_folder(tmp_path: Path) -> None:
    """It is said when the graph is made, not at the first request."""
    with pytest.raises(SettingsError, match=r"is no folder\. Make it"):
        as_graph(office(), attachments_root=tmp_path / "nowhere")


def test_the_configured_root_is_an_absolute_path(tmp_path: Path) -> None:
    """Otherwise it would depend on where the server starts."""
    (tmp_path / "platform.yaml").write_text("server:\n  attachments_root: shared\n")
    with pytest.raises(SettingsError, match="write a path that begins with /"):
        _ = find_settings(tmp_path).platform


@pytest.mark.parametrize("is_set", [True, False])
def test_studio_takes_what_lies_below_the_configured_root(
    shared: Path, monkeypatch: pytest.MonkeyPatch, *, is_set: bool
) -> None:
    """And no path where none is configured."""
    configs = shared.parent / "configs"
    configs.mkdir()
    words = f"server:\n  attachments_root: {shared}\n" if is_set else "{}\n"
    (configs / "platform.yaml").write_text(words)
    monkeypatch.setenv("MINERVA_CONFIG", str(configs))
    studio = runpy.run_path(str(ROOT / "configs" / "studio.py"))
    with Platform(teams=[office()]) as platform:
        graph = studio["_graph"](platform)
        given = {"request": "ask reader for its part number 1", "attachments": ["deep/note.txt"]}
        if is_set:
            assert "a note" in graph.invoke(given)["answer"]
        else:
            with pytest.raises(BindingError, match="this server takes none"):
                graph.invoke(given)
