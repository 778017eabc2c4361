"""A kept review goes on although its state names classes by the paths that they once had."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from minerva_governance.agents.compliance import ComplianceAgent, ComplianceInput
from minerva_governance.agents.policy import PolicyAgent, PolicyInput
from minerva_platform import Attachment

POLICY = """
apiVersion: minerva/v1
policy: {id: house, version: 1}
rules:
- {id: ENC, applies_to: {kind: column, pii: any}, require: {encrypted: true}}
"""


@dataclass
class Earlier:
    """The broken rules of an earlier review, as an old state names it."""

    failing: dict[str, str]


class Input(BaseModel):
    """A file of the input, as an old state names it."""

    name: str
    kind: str
    standing: str
    why: str = ""
    sha256: str = ""


Earlier.__module__ = "minerva_governance.report.since"
Input.__module__ = "minerva_governance.report.document"


def files_of(*paths: Path, is_kept_under_old_paths: bool = False) -> dict[str, Any]:
    """Return the files of a review that was kept before its last node."""
    attachments = tuple(Attachment(path=path) for path in paths)
    about = {"language": "en", "request": "review", "attachments": attachments}
    policy = PolicyAgent().run(PolicyInput.model_validate(about)).policy
    payload = ComplianceInput.model_validate({**about, "policy": policy})
    agent = ComplianceAgent(today=lambda: date(2026, 11, 24))
    saver = InMemorySaver()
    graph: Any = agent.build_graph().compile(checkpointer=saver, interrupt_before=["report"])
    thread = {"configurable": {"thread_id": "1"}}
    state = {name: getattr(payload, name) for name in type(payload).model_fields}
    kept = graph.invoke({"meant": (), **state}, thread)
    if is_kept_under_old_paths:
        inputs = tuple(Input(**each.model_dump()) for each in kept["inputs"])
        changes = {"earlier": Earlier(kept["earlier"].failing), "inputs": inputs}
        graph.update_state(thread, changes, as_node="evaluate")
    answer = graph.invoke(None, thread)
    return {each.name: each.content for each in answer["artifacts"]}


def test_a_state_that_names_classes_by_old_paths_is_read(tmp_path: Path) -> None:
    """Its inputs and its earlier review come back as their fields; the files are the same."""
    policy, data, earlier = (tmp_path / each for each in ("policy.yaml", "people.csv", "old.json"))
    policy.write_text(POLICY, encoding="utf-8")
    data.write_text("name,jumin\nKim,850101-1234566\n", encoding="utf-8")
    earlier.write_text(files_of(policy, data)["findings.json"], encoding="utf-8")
    files = files_of(policy, data, earlier)

    assert json.loads(files["findings.json"])["since"]["remaining"] == 1
    assert files_of(policy, data, earlier, is_kept_under_old_paths=True) == files
