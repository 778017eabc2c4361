"""Starting stays cheap: what nobody asked for is not imported."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "alembic",
    "dbos",
    "duckdb",
    "langchain",
    "langchain_core",
    "langgraph",
    "nicegui",
    "sqlalchemy",
}
HEAVY_LIBRARIES = HEAVY | {"numpy", "opentelemetry", "pydantic", "sqlglot", "structlog"}


def modules_after(code: str, *arguments: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after running `code`."""
    program = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n" + code
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, check=True, text=True
    )
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option: str) -> None:
    """Completion and `--help` answer while a person still holds the key down."""
    loaded = modules_after("from minerva_platform.cli import main; main()", option)

    assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    "package", ["minerva_platform", "minerva_reading", "minerva_observability"]
)
def test_importing_a_package_loads_no_library(package: str) -> None:
    """A program that only might use MINERVA pays for it when it does."""
    loaded = modules_after(f"import {package}")

    assert package in loaded
    assert loaded & HEAVY_LIBRARIES == set()


def test_a_name_of_the_contract_does_not_load_the_graph_runtime() -> None:
    """Teams declare their hand-offs before anybody runs a graph."""
    loaded = modules_after("from minerva_platform import BaseAgent, Handoff, Run, Team, agent")

    assert "pydantic" in loaded
    assert loaded & HEAVY == set()
