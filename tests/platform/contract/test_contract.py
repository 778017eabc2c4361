"""What crosses borders is frozen, JSON only, and tolerant of what it does not know."""

from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import ValidationError

from minerva_platform import Artifact, Attachment, ContractError, Handoff, Run, Task
from minerva_platform.contract.result import Bypass, Hop
from minerva_platform.contract.run_object import Interrupt, SentHandoff
from minerva_platform.contract.values import Effect, StoredArtifact, Usage
from minerva_platform.text import language_of


class Plan(Handoff):
    """A small hand-off."""

    kind: ClassVar[str] = "contract.plan"
    steps: tuple[str, ...]


def test_a_handoff_reads_only_what_it_knows() -> None:
    """A producer may add fields without breaking anybody."""
    read = Plan.model_validate({"steps": ["a"], "new_in_version_2": 1})

    assert read == Plan(steps=("a",))


def test_a_handoff_cannot_be_changed() -> None:
    """Two consumers of one hand-off can never see different things."""
    with pytest.raises(ValidationError, match="frozen"):
        Plan(steps=("a",)).steps = ()  # type: ignore[misc]  # that it is refused is the point


@pytest.mark.parametrize("kind", ["plan", "Team.plan", "team plan", "team.", "team.plan-2", ""])
def test_a_kind_names_its_team(kind: str) -> None:
    """Two teams' payloads cannot be taken for each other."""
    with pytest.raises(ContractError, match=r"team\.payload_name"):
        type("Bad", (Handoff,), {"__annotations__": {"kind": ClassVar[str]}, "kind": kind})


def test_an_attachment_validates_from_a_path(tmp_path: Path) -> None:
    """An author's test passes a plain path."""
    file = tmp_path / "Schema.SQL"

    assert Attachment.model_validate(str(file)) == Attachment(path=file)
    assert Attachment.model_validate(file).name == "Schema.SQL"


@pytest.mark.parametrize(
    ("name", "taken"),
    [("schema.sql", True), ("SCHEMA.SQL", True), ("schema.sql.bak", False), ("sql", False)],
)
def test_a_pattern_compares_names_without_case(tmp_path: Path, name: str, *, taken: bool) -> None:
    """Windows users' file names match, other files do not."""
    pattern = Attachment.of("*.sql", "*.ddl")

    assert pattern.takes(Attachment(path=tmp_path / name)) is taken


def test_only_the_directory_pattern_takes_a_directory(tmp_path: Path) -> None:
    """A folder called `x.sql` is no SQL file."""
    folder = tmp_path / "x.sql"
    folder.mkdir()

    assert not Attachment.of("*.sql").takes(Attachment(path=folder))
    assert Attachment.of("dir").takes(Attachment(path=folder))
    assert not Attachment.of("dir").takes(Attachment(path=tmp_path / "dir"))
    assert str(Attachment.of("dir", "*.py")) == "a directory or *.py"


@pytest.mark.parametrize("name", ["../evil", "a/b", "a\\b", "", "a\x00b"])
def test_an_artifact_is_a_file_name(name: str) -> None:
    """`--out DIR` never writes outside of DIR."""
    with pytest.raises(ValidationError):
        Artifact(name=name, content="x")


def test_a_task_speaks_the_language_of_its_words() -> None:
    """Whoever makes a task need not say the language; saying it wins."""
    assert Task(request="환자 이름").language == "ko"
    assert Task(request="patient name").language == "en"
    assert Task(request="part", context="전체 요청").language == "ko"
    assert Task(request="환자 이름", language="en").language == "en"
    assert Task(request="words").context == "words"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("PT_ID 도메인 알려줘", "ko"),
        ("what is PT_ID", "en"),
        ("", "en"),
        ("ㅋ", "ko"),
        ("漢字", "en"),
    ],
)
def test_one_syllable_of_hangul_decides(text: str, language: str) -> None:
    """Korean sentences carry English identifiers, hardly ever the other way round."""
    assert language_of(text) == language


def test_usage_adds_up() -> None:
    """What members spent is what the run spent."""
    total = Usage(model_calls=1, prompt_tokens=5) + Usage(model_calls=2, routing_calls=1)

    assert total == Usage(model_calls=3, routing_calls=1, prompt_tokens=5)


def test_the_run_object_has_the_published_fields() -> None:
    """`--json` prints exactly this; scripts depend on it."""
    run = Run(
        run_id="r",
        thread_id="t",
        status="ok_degraded",
        answer="text",
        hops=(Hop(path="p/a", agent_name="a", team="p", status="ok", ms=1.5, started_ns=7),),
        handoffs={"team.plan": {"steps": []}},
        all_handoffs={"team.plan": (SentHandoff(sender="p/a", payload={"steps": []}),)},
        bypassed=(Bypass(path="p/b", cause="ValueError: no", action="bypassed"),),
        effects=(Effect(name="pay", key="k", arguments={"cents": 7}, outcome="done", at=1.5),),
        interrupts=(Interrupt(id="i", value={"question": "?"}),),
        artifacts=(StoredArtifact(name="r.md", media_type="text/markdown", path="/x", sha256="0"),),
    )

    assert run.to_json_dict() == {
        "run_id": "r",
        "thread_id": "t",
        "status": "ok_degraded",
        "reason": None,
        "answer": "text",
        "hops": [{"path": "p/a", "agent_name": "a", "team": "p", "status": "ok", "ms": 1.5}],
        "handoffs": {"team.plan": {"steps": []}},
        "all_handoffs": {"team.plan": [{"sender": "p/a", "version": 1, "payload": {"steps": []}}]},
        "bypassed": [
            {
                "path": "p/b",
                "cause": "ValueError: no",
                "action": "bypassed",
                "because_of": None,
                "is_whole": False,
            }
        ],
        "interrupts": [
            {
                "id": "i",
                "value": {"question": "?"},
                "path": "",
                "kind": "question",
                "text": "",
                "tool": None,
                "arguments": {},
                "allowed": ["respond"],
                "answer_schema": None,
                "shown_sha256": "",
                "asked": 0.0,
                "expires_at": None,
                "refused": "",
                "earlier": None,
            }
        ],
        "artifacts": [{"name": "r.md", "path": "/x", "sha256": "0"}],
        "usage": {
            "model_calls": 0,
            "routing_calls": 0,
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "unpriced_calls": 0,
        },
        "unserved": [],
        "effects": [
            {
                "name": "pay",
                "key": "k",
                "run_id": "",
                "path": "",
                "arguments": {"cents": 7},
                "target": [],
                "outcome": "done",
                "at": 1.5,
            }
        ],
        "left_out": [],
        "cut": 0,
        "files": [],
        "more_files": 0,
        "notices": [],
        "unused": [],
    }
