"""What each distribution says of itself: its licence, who made it, and where it comes from.

A company's scanner reads only the metadata of an installed wheel. `make test-isolated ARGS=dist`
builds and installs the wheels, and reads the same there.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [
    ROOT,
    *sorted(path.parent for path in ROOT.glob("*/pyproject.toml")),
    *sorted(path.parent for path in ROOT.glob("teams/*/pyproject.toml")),
]
ALIKE = ("version", "license", "license-files", "authors", "requires-python", "urls")
OWN = ("description", "keywords")


def project(folder: Path) -> dict[str, Any]:
    """Return the `[project]` table of a distribution."""
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["project"]
    return table


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_distributions_say_alike_what_they_share(folder: Path) -> None:
    """The root project is the pattern for all others."""
    pattern, table = project(ROOT), project(folder)

    assert {key: table.get(key) for key in ALIKE} == {key: pattern[key] for key in ALIKE}
    assert set(table["urls"]) == {"Documentation", "Issues", "Repository"}
    assert [key for key in OWN if not table.get(key)] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_distribution_is_classified_as_the_others_are(folder: Path) -> None:
    """Only the topic is its own. A licence is no classifier: `license` says it."""
    shared = {line for line in project(ROOT)["classifiers"] if not line.startswith("Topic ::")}
    own: list[str] = project(folder)["classifiers"]

    assert {line for line in own if not line.startswith("Topic ::")} == shared
    assert [line for line in own if line.startswith("Topic ::")] != []
    assert [line for line in own if line.startswith("License ::")] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_distribution_holds_the_licence_itself(folder: Path) -> None:
    """A symlink would lead out of an sdist, and hatchling leaves it out of a wheel."""
    licence = folder / "LICENSE"

    assert not licence.is_symlink()
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_what_a_server_runs_with_is_locked() -> None:
    """`base.txt` holds the drivers and servers that the extras of the platform name."""
    locked = {
        line.partition("==")[0].partition("[")[0]
        for line in (ROOT / "configs/locks/base.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }

    assert locked >= {"fastapi", "psycopg", "psycopg-binary", "uvicorn"}
