"""Where runs are kept is configured, and no password of it is ever shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minerva_platform.config.settings import find_settings
from minerva_platform.errors import SettingsError, StateError
from minerva_platform.storage.engine.location import PostgresPlace, find_place
from minerva_platform.storage.engine.opening import opened_engine

SECRET = "hunter2hunter2"  # noqa: S105  # made up
URL = f"postgresql://minerva:{SECRET}@127.0.0.1:1/runs?password={SECRET}"


def configure(folder: Path, url: str) -> Path:
    """Write a platform.yaml that names a database."""
    folder.mkdir()
    (folder / "platform.yaml").write_text(f"storage:\n  url: {url}\n", encoding="utf-8")
    return folder


def test_without_a_word_it_is_the_home(tmp_path: Path) -> None:
    """In SQLite's file, as ever."""
    assert find_place(tmp_path) == tmp_path / "state.db"


def test_the_variable_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container is told by its environment."""
    configured = "postgresql://minerva@db/runs"
    settings = find_settings(configure(tmp_path / "configs", configured))
    assert settings.platform.storage.url == configured
    assert str(find_place(tmp_path, configured)) == configured
    monkeypatch.setenv("MINERVA_STORAGE_URL", f"sqlite:///{tmp_path}/other.db")

    assert find_place(tmp_path, configured) == tmp_path / "other.db"


@pytest.mark.parametrize("url", [URL, "postgresql://u:x@db/runs", "postgresql://db?password=x"])
def test_a_password_in_the_file_is_refused(url: str, tmp_path: Path) -> None:
    """With the name of the variable that takes it, and without the password."""
    with pytest.raises(SettingsError, match="set MINERVA_STORAGE_PASSWORD") as raised:
        _ = find_settings(configure(tmp_path / "configs", url)).platform

    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("url", ["mysql://u@db/runs", "sqlite://", "state.db", "postgresql://[x"])
def test_what_is_no_database_of_ours_is_refused(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to write."""
    monkeypatch.setenv("MINERVA_STORAGE_URL", url)
    with pytest.raises(SettingsError, match=r"MINERVA_STORAGE_URL .* write postgresql://USER@HOST"):
        find_place(tmp_path)


@pytest.mark.parametrize("url", [URL, f"postgresql://minerva:{SECRET}@127.0.0.1:port/runs"])
def test_a_password_is_never_shown(url: str) -> None:
    """Neither by the place nor by an error of a server that is not there."""
    place = PostgresPlace(url)
    with (
        pytest.raises((StateError, SettingsError)) as raised,
        opened_engine(place) as engine,
    ):
        engine.write(lambda _: None)

    shown = f"{place} {place!r} {raised.value} {raised.value!r}"
    assert "postgresql://minerva@127.0.0.1" in shown
    assert SECRET not in shown


def test_a_server_that_is_not_there_is_said_before_anything_runs(
    type_in: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sentence, with a status for scripts."""
    monkeypatch.setenv("MINERVA_STORAGE_URL", URL)
    done = type_in("ask", "--team", "data", "patient name")

    assert done.returncode == 2
    assert "postgresql://minerva@127.0.0.1:1/runs, which cannot be used" in done.stderr
    assert SECRET not in done.stderr + done.stdout
