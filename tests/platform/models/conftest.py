"""Models that are asked again at once, with nothing remembered of earlier failures."""

from collections.abc import Generator

import pytest

from minerva_platform.models import guard
from minerva_platform.models.breaker import reset_breakers


@pytest.fixture(autouse=True)
def _fresh_models(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setattr(guard, "FIRST_WAIT_S", 0.0)
    reset_breakers()
    yield
    reset_breakers()
