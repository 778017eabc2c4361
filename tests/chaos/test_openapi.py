"""Nothing that a server is sent makes it fail, and it answers as its OpenAPI says."""

from pathlib import Path

from openapi import failures_of, known_ids, operations
from schemathesis import GenerationMode
from server import Wanted, serving

EXAMPLES = 10
"""Requests of each kind for each operation, and as many again with ids that are there."""


def test_every_operation_answers_as_it_is_described(tmp_path: Path) -> None:
    """To what the schema allows and what it forbids: no 5xx, no other shape."""
    with serving(Wanted(tmp_path)) as served:
        known, found = known_ids(served.url), operations(served.url)
        failures = [
            failure
            for operation in found.values()
            for failure in failures_of(operation, GenerationMode, known, examples=EXAMPLES)
        ]

    assert failures == []
    assert len(found) >= 30
