"""The team as a whole: its contract, its examples, its place in the house."""

import ast
from pathlib import Path

import pytest

import minerva_insilico
from minerva_insilico import InsilicoTeam
from minerva_platform.testing import ScriptedRouter, assert_hops
from minerva_platform.text import language_of

PACKAGE = Path(minerva_insilico.__file__).parent
MEMBERS = InsilicoTeam().assembled.agents


def test_searching_a_directory_indexes_it_first(pkg: Path) -> None:
    """The need for an index calls its producer; both hand-offs may leave the team."""
    team = InsilicoTeam(router=ScriptedRouter("code_search_agent"))

    run = team.invoke({"request": "Who calls load?", "attachments": [str(pkg)]})

    assert_hops(run, "insilico/ast_parser_agent", "insilico/code_search_agent")
    assert run["status"] == "ok"
    assert set(run["handoffs"]) == {
        *("insilico.code_index", "insilico.code_uses", "insilico.declared_fields"),
    }
    assert "`pkg.b.run`" in run["answer"]


def test_the_index_is_not_told_twice(pkg: Path) -> None:
    """The searcher names what was indexed itself, so the parser's overview stays away."""
    team = InsilicoTeam(router=ScriptedRouter("docstring_agent"))

    run = team.invoke({"request": "How well is it documented?", "attachments": [str(pkg)]})

    assert "14.3 %" in run["answer"]
    assert "Most complex" not in run["answer"]
    assert run["answer"].count("`d.py:4`") == 1


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_a_worker_has_examples_in_both_languages(member: object) -> None:
    """They train the router: twenty or more, at least eight of them in each language."""
    examples = list(getattr(member, "examples", ()))
    korean = [text for text in examples if language_of(text) == "ko"]

    assert len(examples) == len(set(examples)) >= 20
    assert len(korean) >= 8
    assert len(examples) - len(korean) >= 8


def test_no_example_belongs_to_two_workers() -> None:
    """One sentence with two answers teaches the router nothing."""
    examples = [text for member in MEMBERS for text in member.examples]

    assert len(examples) == len(set(examples))


def test_the_core_knows_no_framework() -> None:
    """It can be used, tested and rewritten without the platform."""
    imported = {
        name.partition(".")[0]
        for path in (PACKAGE / "core").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert not imported & {"langchain_core", "langgraph", "minerva_platform", "pydantic"}
