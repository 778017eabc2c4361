"""Load policies and notices, find mistakes in them, and answer what they say."""

import re
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_governance.agents.clock import Clock, local_today
from minerva_governance.agents.file_account import told_files
from minerva_governance.agents.narrowing import spans_of_restrictions
from minerva_governance.agents.policies import load_shelf
from minerva_governance.contracts import PolicySet
from minerva_governance.core.policy.lint import lint
from minerva_governance.core.policy.rule_search import search_rules
from minerva_governance.core.reading.source import gather
from minerva_governance.core.report.policy_answer import broken_policies, policy_to_markdown
from minerva_governance.core.review.restriction import unheeded_words
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent
from minerva_platform.text import read_examples

_WORD = re.compile(r"\w+")
BASELINE = Path(__file__).parents[1] / "seed" / "baseline.yaml"
"""The rules for those who attach none."""


class PolicyInput(AgentInput):
    """The files to load, folders included; without any policy the bundled baseline answers."""

    attachments: Annotated[
        tuple[Attachment, ...],
        Attachment.of("*.yaml", "*.yml", "*.md", "*.markdown", "*.txt", "dir"),
    ] = ()


class PolicyOutput(AgentOutput):
    """What was loaded, and the rules that the question is about."""

    policy: PolicySet


class PolicyState(TypedDict):
    """JSON only: a checkpoint may hold it."""

    given: dict[str, Any]
    policy: dict[str, Any]
    summary: str
    citations: list[dict[str, Any]]
    files: list[dict[str, Any]]
    unused: tuple[str, ...]


class PolicyAgent(BaseAgent[PolicyInput, PolicyOutput]):
    """Reads policies as data, never as code."""

    name = "policy_agent"
    description = (
        "Loads privacy policies (YAML rules) and privacy notices (Markdown), reports their "
        "mistakes with line numbers, and answers which rule or clause says what. "
        "Choose it for questions about the rules themselves."
    )
    examples = read_examples("minerva_governance", "policy_agent")
    aspects = tuple("article clause paragraph severity 근거 심각도 정책 조 조항 항".split())
    declines = read_examples("minerva_governance", "declined")

    def __init__(self, *, today: Clock = local_today) -> None:
        self._today = today

    def build_graph(self) -> StateGraph[PolicyState, None, PolicyState, PolicyState]:
        """Return load, lint, match, answer: one after another."""
        graph = StateGraph(PolicyState)
        graph.add_node("load", self.load)
        graph.add_node("lint", self.lint)
        graph.add_node("match", self.match)
        graph.add_node("answer", self.answer)
        graph.add_edge(START, "load")
        graph.add_edge("load", "lint")
        graph.add_edge("lint", "match")
        graph.add_edge("match", "answer")
        graph.add_edge("answer", END)
        return graph

    def input_to_state(self, payload: PolicyInput) -> dict[str, Any]:
        """Keep the input as JSON."""
        return {"given": payload.model_dump(mode="json")}

    def load(self, state: PolicyState) -> dict[str, Any]:
        """Read every attached file; a policy with a mistake is left out and named."""
        given = PolicyInput.model_validate(state["given"])
        paths = [file.path for file in given.attachments]
        shelf = load_shelf(gather(paths).sources, baseline=BASELINE, language=given.language)
        policy = PolicySet(
            policies=tuple(shelf.policies),
            clauses=tuple(shelf.clauses),
            problems=tuple(shelf.problems),
            mistakes=tuple(shelf.mistakes),
            documents=tuple(shelf.documents),
            is_baseline=shelf.is_baseline,
        )
        files = told_files(given.attachments, policy.documents)
        return {"policy": policy.model_dump(mode="json"), "files": files}

    def lint(self, state: PolicyState) -> dict[str, Any]:
        """Note what is odd in files that do load."""
        policy = PolicySet.model_validate(state["policy"])
        odd = lint(policy.policies, today=self._today(), language=state["given"]["language"])
        return _changed(policy, problems=(*policy.problems, *odd))

    def match(self, state: PolicyState) -> dict[str, Any]:
        """Find the rules and clauses that the request asks about."""
        policy = PolicySet.model_validate(state["policy"])
        question = str(state["given"].get("request", ""))
        return _changed(policy, matches=search_rules(question, policy.policies, policy.clauses))

    def answer(self, state: PolicyState) -> dict[str, Any]:
        """Write the summary; every rule and clause named is cited."""
        policy = PolicySet.model_validate(state["policy"])
        summary = policy_to_markdown(
            policy.policies,
            policy.clauses,
            matches=policy.matches,
            problems=policy.problems,
            language=state["given"]["language"],
            question=str(state["given"].get("request", "")),
            is_baseline=policy.is_baseline,
        )
        if policy.mistakes:
            broken = broken_policies(policy.mistakes, state["given"]["language"])
            summary = f"{broken}\n\n{summary}"
        citations = [
            {"source": hit.source, "line": hit.line, "quote": hit.quote} for hit in policy.matches
        ] or [
            {"source": rule.source, "line": rule.line, "quote": rule.title}
            for loaded in policy.policies
            for rule in loaded.rules
        ]
        return {
            "summary": summary,
            "citations": citations,
            "unused": _unheeded(policy, str(state["given"].get("request", ""))),
        }


def _unheeded(policy: PolicySet, request: str) -> tuple[str, ...]:
    """Return the words of a question that neither a rule nor a clause of the answer holds."""
    names = [use.name for use in policy.documents]
    answer = " ".join([*(hit.quote for hit in policy.matches), *names])
    unheeded = unheeded_words(
        request,
        policy.policies,
        names=names,
        restrictions=spans_of_restrictions(request),
        periods_count=False,
    )
    return tuple(words for words in unheeded if not _is_said(words, answer))


def _is_said(words: str, answer: str) -> bool:
    """Tell whether an answer holds at least half of `words`; a Korean one may have a particle."""
    said = set(_WORD.findall(answer.casefold()))
    asked = _WORD.findall(words.casefold())
    held = [w for w in asked if w in said or (not w.isascii() and any(w in one for one in said))]
    return 2 * len(held) >= len(asked)


def _changed(policy: PolicySet, **changes: Any) -> dict[str, Any]:
    return {"policy": policy.model_copy(update=changes).model_dump(mode="json")}
