"""The bundled glossary, and the schema of the made-up hospital."""

from pathlib import Path

import pytest

from minerva_data.core.glossary.glossary import Glossary, seed_glossary
from minerva_data.core.lookup.lookup import Lookup

HOSPITAL = Path(__file__).parents[3] / "configs" / "examples" / "hospital" / "schema.sql"


@pytest.fixture(scope="session")
def glossary() -> Glossary:
    """Give the bundled glossary."""
    return seed_glossary()


@pytest.fixture(scope="session")
def lookup(glossary: Glossary) -> Lookup:
    """Give a lookup over the bundled glossary."""
    return Lookup(glossary)


@pytest.fixture(scope="session")
def hospital_schema() -> Path:
    """Give the Oracle schema of the example: 45 columns in 6 tables."""
    return HOSPITAL
