"""What `make quick` runs, and to which room a test file belongs."""

from pathlib import Path

import pytest
from quick import Quick
from rooms import ROOT, room_of, rooms

FILES = sorted(  # of which `make test` has tests
    path
    for path in ROOT.glob("tests/**/test_*.py")
    if not {"bench", "chaos", "external_team", "orders"}.intersection(path.relative_to(ROOT).parts)
)


def test_a_room_that_is_not_there_is_answered_with_those_that_are() -> None:
    """Who mistypes one sees at once what to type."""
    with pytest.raises(pytest.UsageError, match=r"no room `storge`.* storage, .*observability"):
        Quick("storge")


def test_rooms_are_folders_and_teams() -> None:
    """A new one is a room without being named anywhere."""
    assert {"storage", "runtime", "routing", "cli", "server", "whole"} < set(rooms())
    assert rooms()[-4:] == ["data", "governance", "insilico", "observability"]


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("tests/teams/data/test_ddl.py", "data"),
        ("tests/observability/dashboard/test_words.py", "observability"),
        ("tests/platform/cli/test_ask.py", "cli"),
        ("tests/platform/storage/test_prune.py", "storage"),
        ("tests/platform/planning/test_planner.py", "planning"),
        ("tests/test_layout.py", None),
    ],
)
def test_a_file_belongs_to_its_folder(file: str, room: str | None) -> None:
    """A file about the project belongs to no room."""
    assert room_of(ROOT / file) == room


def test_the_platform_s_tests_lie_in_folders_named_as_its_own() -> None:
    """What tests all of it lies in `whole`."""
    names = {path.parent.name for path in ROOT.glob("platform/minerva_platform/*/__init__.py")}
    lying = {
        path.relative_to(ROOT / "tests/platform").parts[0]
        for path in FILES
        if path.is_relative_to(ROOT / "tests/platform")
    }

    assert lying <= names | {"whole"}


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ("import subprocess\n", True),
        ("from minerva_platform.testing import Reply, scripted_openai_server\n", True),
        ("pytestmark = pytest.mark.slow\n", True),
        ('pytestmark = [pytest.mark.usefixtures("x"), pytest.mark.browser]\n', True),
        ('"""About subprocess."""\n# subprocess\nimport os\n', False),
        ("from ledger import Store\n", False),
    ],
)
def test_a_file_that_starts_something_is_not_imported(
    tmp_path: Path,
    text: str,
    is_left: bool,  # noqa: FBT001  # a case
) -> None:
    """By the names of what starts it, or by its marker."""
    file = tmp_path / "test_it.py"
    file.write_text(text)

    assert bool(Quick("").pytest_ignore_collect(file)) is is_left


def test_all_that_is_not_of_the_room_is_not_imported() -> None:
    """Importing costs more than most tests."""
    quick = Quick("planning")
    taken = [file for file in FILES if not quick.pytest_ignore_collect(file)]

    assert ROOT / "tests/platform/planning/test_planner.py" in taken
    assert {room_of(file) for file in taken} == {"planning"}
