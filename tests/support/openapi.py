"""Requests made of a server's own OpenAPI: what it allows, and what it forbids."""

import warnings
from collections.abc import Iterable
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS: Any = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def operations(url: str) -> dict[str, Any]:
    """Return the operations that a server describes, by method and path."""
    plain = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json", config=plain)
    results: Any = schema.get_all_operations()
    found = (result.ok() for result in results)
    return {operation.label: operation for operation in found}


def known_ids(url: str) -> dict[str, str]:
    """Return ids of a thread and a run that are there."""
    body = {"assistant_id": "depot", "input": {"request": "box"}}
    values = httpx.post(f"{url}/runs/wait", json=body, timeout=60).json()
    ids = {name: values[name] for name in ("thread_id", "run_id")}
    return {**ids, "checkpoint_id": values["run_id"], "assistant_id": "depot"}


def failures_of(
    operation: Any, modes: Iterable[GenerationMode], known: dict[str, str], *, examples: int
) -> list[str]:
    """Return what an operation answers otherwise than it is described."""
    failures: list[str] = []
    for mode in modes:
        try:
            _ask(operation, mode, known, examples)
        except Unsatisfiable:  # nothing can be wrong with a request without any part
            assert not operation.body, operation.label
        except (FailureGroup, Failure) as failure:
            failures.append(f"{operation.label}, {mode.value}: {failure}")
    return failures


def _ask(operation: Any, mode: GenerationMode, known: dict[str, str], examples: int) -> None:
    few = settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=(
            HealthCheck.filter_too_much,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
        ),
    )

    @few
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=60)
        if mode.is_positive and case.path_parameters and case.method != "DELETE":
            given = case.path_parameters.items()
            case.path_parameters = {name: known.get(name, value) for name, value in given}
            case.call_and_validate(checks=CHECKS, timeout=60)

    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Overriding standard format"
        )  # schemathesis's own formats
        answers()
