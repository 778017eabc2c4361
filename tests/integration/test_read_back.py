"""Every worker goes on from what is kept of it between any two of its steps."""

import os
from collections.abc import Mapping
from typing import Any

import pytest
from reviews import HOSPITAL
from steps import in_steps

from minerva_data import DataTeam
from minerva_governance import GovernanceTeam
from minerva_insilico import InsilicoTeam
from minerva_platform import BaseAgent, Team

PLAN = {
    "columns": [
        {"table": "TB_PATIENT", "column": "PAT_ID", "physical_name": "PT_NO", "status": "renamed"}
    ]
}
QUESTIONS = (
    {"request": "where is JUMIN_NO used, and does it reach a log"},
    {"request": "who calls register"},
    {"request": "how are patients stored"},
    {"request": "what breaks", "plan": PLAN},
    {"request": "", "query": "register", "mode": "callers"},
)

pytestmark = pytest.mark.usefixtures("minerva_home")


@pytest.fixture(scope="module")
def workers() -> Mapping[str, BaseAgent[Any, Any]]:
    """The bundled workers by name."""
    teams: tuple[Team, ...] = (DataTeam(), InsilicoTeam(), GovernanceTeam())
    return {name: agent for team in teams for name, agent in team.assembled.by_name.items()}


@pytest.fixture
def index(workers: Mapping[str, BaseAgent[Any, Any]]) -> dict[str, Any]:
    """What insilico's parser gives of the hospital's code."""
    return workers["ast_parser_agent"].invoke({"request": "index", "source": {"path": HOSPITAL}})


@pytest.mark.small(1)
@pytest.mark.parametrize("request_", ["index this", "which modules import each other in a cycle"])
async def test_the_parser_goes_on(
    workers: Mapping[str, BaseAgent[Any, Any]], index: dict[str, Any], request_: str
) -> None:
    """Its scan, its staged index and its question."""
    parser = workers["ast_parser_agent"]
    os.unlink(index["index"]["database"])  # noqa: PTH108  # a path of a coroutine would wait
    payload = {"request": request_, "source": {"path": HOSPITAL}}

    found = await in_steps(parser, payload)

    assert found["changes"] == index["changes"]
    assert found["declared"] == index["declared"]
    assert found["index"] == index["index"]


@pytest.mark.small(3)
@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_search_goes_on(
    workers: Mapping[str, BaseAgent[Any, Any]], index: dict[str, Any], question: dict[str, Any]
) -> None:
    """Its hits by name, by words, by mode, and along a plan."""
    search, payload = workers["code_search_agent"], {**question, "index": index["index"]}

    assert await in_steps(search, payload) == await search.ainvoke(payload)


async def test_the_documenter_goes_on(
    workers: Mapping[str, BaseAgent[Any, Any]], index: dict[str, Any]
) -> None:
    """Its selection and its counts."""
    payload = {"request": "docstring coverage", "index": index["index"]}

    documenter = workers["docstring_agent"]

    assert await in_steps(documenter, payload) == await documenter.ainvoke(payload)


async def test_the_data_workers_go_on(workers: Mapping[str, BaseAgent[Any, Any]]) -> None:
    """Each takes what the one before has given."""
    request = "standardise this schema"
    gives = {"retrieval_agent": "recommendation", "post_processor_agent": "table"}
    payload: dict[str, Any] = {"schemas": [{"path": HOSPITAL / "schema.sql"}]}
    for name in ("retrieval_agent", "post_processor_agent", "auditor_agent"):
        worker, payload = workers[name], {"request": request, **payload}

        found = await in_steps(worker, payload)

        assert found == await worker.ainvoke(payload), name
        payload = {gives[name]: found[gives[name]]} if name in gives else {}


async def test_the_governance_workers_go_on(workers: Mapping[str, BaseAgent[Any, Any]]) -> None:
    """The policy, then the review of everything."""
    attached = [{"path": path} for path in sorted(HOSPITAL.iterdir()) if path.is_file()]
    payload = {"request": "report violations", "attachments": attached}
    policy, compliance = workers["policy_agent"], workers["compliance_agent"]

    read = await in_steps(policy, payload)
    assert read == await policy.ainvoke(payload)

    payload["policy"] = read["policy"]
    assert await in_steps(compliance, payload) == await compliance.ainvoke(payload)
