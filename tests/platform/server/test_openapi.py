"""The server answers as its OpenAPI says; `make chaos` asks every operation, and much more."""

import pytest
from openapi import failures_of, known_ids, operations
from schemathesis import GenerationMode
from server import Served


@pytest.mark.slow
def test_what_can_be_read_is_read_as_it_is_described(served: Served) -> None:
    """With ids that are there, and with others."""
    known, found = known_ids(served.url), operations(served.url)
    reading = [operation for label, operation in found.items() if label.startswith("GET ")]
    modes = [GenerationMode.POSITIVE]
    failures = [
        failure
        for operation in reading
        for failure in failures_of(operation, modes, known, examples=1)
    ]

    assert failures == []
    assert len(reading) >= 15
