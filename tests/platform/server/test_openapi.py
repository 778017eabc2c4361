"""The server does what its OpenAPI says, and nothing that it is sent makes it fail."""

import os
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from server import Served

EXAMPLES = int(os.environ.get("MINERVA_OPENAPI_EXAMPLES", "4"))
"""Requests of each kind for each operation; `make chaos` sends many more."""
CHECKS: Any = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations(served: Served) -> dict[str, Any]:
    """Return the operations of the server's OpenAPI, by method and path."""
    plain = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
    schema = schemathesis.openapi.from_url(f"{served.url}/openapi.json", config=plain)
    found = (result.ok() for result in schema.get_all_operations())
    return {operation.label: operation for operation in found}


@pytest.fixture(scope="module")
def known(served: Served) -> dict[str, str]:
    """Return ids of a thread and a run that are there."""
    body = {"assistant_id": "depot", "input": {"request": "box"}}
    values = httpx.post(f"{served.url}/runs/wait", json=body, timeout=60).json()
    ids = {name: values[name] for name in ("thread_id", "run_id")}
    return {**ids, "checkpoint_id": values["run_id"], "assistant_id": "depot"}


def test_each_operation_answers_as_it_is_described(served: Served, known: dict[str, str]) -> None:
    """To what the schema allows and what it forbids, with ids that are there and that are not."""
    found = operations(served)
    failures: dict[str, str] = {}
    for label, operation in found.items():
        for mode in schemathesis.GenerationMode:
            try:
                _ask(operation, mode, known)
            except Unsatisfiable:  # nothing can be wrong with a request without any part
                assert not operation.body, label
            except (FailureGroup, Failure) as failure:
                failures[f"{label}, {mode.value}"] = str(failure)

    assert failures == {}
    assert len(found) >= 30


def _ask(operation: Any, mode: schemathesis.GenerationMode, known: dict[str, str]) -> None:
    @FEW
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=60)
        if mode.is_positive and case.path_parameters and case.method != "DELETE":
            given = case.path_parameters.items()
            case.path_parameters = {name: known.get(name, value) for name, value in given}
            case.call_and_validate(checks=CHECKS, timeout=60)

    answers()
