"""A run that stops between two steps goes on from its checkpoint, which holds masked values."""

from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_platform import BaseAgent

RESIDENT_NUMBER = "850101-1234566"
EMAIL = "canary.person@example.org"
CONFIG: Any = {"configurable": {"thread_id": "stopped"}}
USES = {"uses": [{"name": "EMAIL", "path": "a.py", "line": 3}], "total": 1, "truncated": False}
PLAN = {"columns": [{"table": "T", "column": "EMAIL", "status": "unresolved"}]}


def step_by_step(agent: BaseAgent[Any, Any], given: dict[str, Any], saver: InMemorySaver) -> Any:
    """Return the answer of a run that is stopped before each step and read back from `saver`."""
    graph: CompiledStateGraph[Any] = agent.build_graph().compile(saver, interrupt_before="*")
    graph.invoke(agent.input_to_state(agent.validate_input(given)), CONFIG)
    while graph.get_state(CONFIG).next:
        graph.invoke(None, CONFIG)
    return agent.state_to_output(graph.get_state(CONFIG).values).model_dump(mode="json")


def test_both_workers_go_on_from_any_step(tmp_path: Path) -> None:
    """What a step finds is read back as the same objects, and holds no value of the data."""
    (tmp_path / "rows.csv").write_text(
        f"JUMIN_NO,EMAIL\n{RESIDENT_NUMBER},{EMAIL}\n", encoding="utf-8"
    )
    (tmp_path / "s.sql").write_text(f"CREATE TABLE T (EMAIL CHAR(9)); -- {EMAIL}", encoding="utf-8")
    (tmp_path / "privacy.md").write_text("# Privacy\n1. We collect names.\n", encoding="utf-8")
    question = {"request": "what is kept?", "attachments": [tmp_path]}
    policy = step_by_step(PolicyAgent(), question, InMemorySaver())
    given = {**question, "policy": policy["policy"], "code_uses": USES, "rename_plan": PLAN}
    saver = InMemorySaver()
    review = step_by_step(ComplianceAgent(), given, saver)

    kept = repr([*saver.blobs.values(), *saver.writes.values(), list(saver.storage["stopped"])])
    assert policy == PolicyAgent().invoke(question)
    assert review == ComplianceAgent().invoke(given)
    assert review["findings"]["counts"]["failed"] > 0
    assert "850101-1******" in kept
    assert (RESIDENT_NUMBER in kept, EMAIL in kept) == (False, False)
