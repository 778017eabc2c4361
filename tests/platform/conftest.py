"""What tests of the platform share."""

from collections.abc import Generator

import pytest

from minerva_platform.models.circuit_breaker import reset_breakers


@pytest.fixture
def fresh_models() -> Generator[None]:
    """Let no model rest from another test's failures."""
    reset_breakers()
    yield
    reset_breakers()
