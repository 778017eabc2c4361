"""What tests of the platform share."""

from collections.abc import Generator

import pytest

from minerva_platform.models.circuit_breaker import reset_breakers


@pytest.fixture
def fresh_models(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Let no model rest from another test's failures, and none be waited for."""
    monkeypatch.setattr("minerva_platform.models.resilient_chat.FIRST_WAIT_S", 0.0)
    reset_breakers()
    yield
    reset_breakers()
