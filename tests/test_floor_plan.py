"""The floor plan: a folder is a word of the field, imports lead one way, no crumbs.

Function-level imports count; imports for type checkers do not.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    path.parent.name: path.parent
    for pattern in (
        "platform/*/__init__.py",
        "observability/*/__init__.py",
        "teams/*/*/__init__.py",
    )
    for path in ROOT.glob(pattern)
}
MAX_MODULES = 15
MIN_LINES = 40

SMALL = {
    "minerva_data.steps.restrictions": "the same module in each team",
    "minerva_governance.core.predicates.standard_name": "a predicate a module",
    "minerva_governance.core.review.markdown_text": "a form of notices a module",
    "minerva_governance.team": "an entry point",
    "minerva_insilico.team": "an entry point",
    "minerva_observability.sinks.memory": "a sink a module, for users",
    "minerva_reading.schema_reader": "the door of two readers",
    "minerva_platform.storage.migrations.env": "Alembic runs it by its name",
    "minerva_platform.storage.migrations.versions.v0003_queue": "Alembic runs it by its number",
    "minerva_platform.storage.migrations.versions.v0005_owned_runs": "the same",
    "minerva_platform.storage.migrations.versions.v0006_told_and_sent": "the same",
    "minerva_platform.storage.migrations.versions.v0008_trace_and_versions": "the same",
    "minerva_platform.cli_kit": "public, for the commands of teams",
}
"""Small modules with one importer or none that are seams, and why."""


@cache
def graph(package: str) -> grimp.ImportGraph:
    """Return who imports whom inside `package`."""
    return grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)


def modules() -> Iterator[Path]:
    """Yield every module of the project; what makes a folder a package is none."""
    for folder in PACKAGES.values():
        yield from (path for path in folder.rglob("*.py") if path.name != "__init__.py")


def dotted(path: Path) -> str:
    """Return the module's name."""
    (folder,) = (folder for folder in PACKAGES.values() if path.is_relative_to(folder))
    return ".".join(path.relative_to(folder.parent).with_suffix("").parts)


def test_a_folder_holds_fifteen_modules_at_most() -> None:
    """More is a missing word."""
    counted = Counter(path.parent for path in modules())
    full = {str(folder.relative_to(ROOT)): n for folder, n in counted.items() if n > MAX_MODULES}

    assert full == {}


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_no_imports_lead_in_a_circle(package: str) -> None:
    """Who reads one module of a circle must read all of them."""
    found = graph(package)
    imports = {module: found.find_modules_directly_imported_by(module) for module in found.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.slow
def test_a_small_module_with_one_importer_is_a_seam() -> None:
    """Otherwise its lines stand better where they are used."""
    small: set[str] = set()
    for path in modules():
        name = dotted(path)
        importers = graph(name.partition(".")[0]).find_modules_that_directly_import(name)
        if len(path.read_text("utf-8").splitlines()) < MIN_LINES and len(importers) < 2:
            small.add(name)

    assert small - set(SMALL) == set()
    assert set(SMALL) - small == set()
