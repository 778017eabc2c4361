"""Load policies and notices, find mistakes in them, and answer what they say."""

import re
from pathlib import Path
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph

from minerva_governance.answers.policy_answer import (
    TEXTS as ANSWERS,
    broken_policies,
    policy_to_markdown,
)
from minerva_governance.contracts import PolicySet
from minerva_governance.core.detection.mask import mask_model
from minerva_governance.core.policy.draft import SYSTEM, Draft, SaidRules, make_draft, prompt_of
from minerva_governance.core.policy.lint import lint
from minerva_governance.core.policy.rule_search import WORDS, search_rules
from minerva_governance.core.reading.source_files import gather
from minerva_governance.core.review.unused_words import unused_words
from minerva_governance.steps.attached_files import told_files
from minerva_governance.steps.clock import Clock, local_today
from minerva_governance.steps.policy_draft import ask_about_draft, asks_for_draft, wrong_with
from minerva_governance.steps.policy_loading import load_policies
from minerva_governance.steps.restrictions import restrictions_of
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Citation,
    Shown,
    WorkerState,
)
from minerva_platform.text import read_examples

_WORD = re.compile(r"\w+")
BASELINE = Path(__file__).parents[1] / "seed" / "baseline.yaml"
"""The rules for those who attach none."""


class PolicyInput(AgentInput):
    """The files to load, folders included; without any policy the bundled baseline answers."""

    attachments: Annotated[
        tuple[Attachment, ...],
        Attachment.of("*.yaml", "*.yml", "*.md", "*.markdown", "*.txt", "*.html", "*.htm", "dir"),
    ] = ()


class PolicyOutput(AgentOutput):
    """What was loaded, and the rules that the question is about."""

    policy: PolicySet


class PolicyState(WorkerState):
    """What the nodes hand on; private to this worker."""

    attachments: tuple[Attachment, ...]
    policy: PolicySet
    drafted: Draft


class PolicyAgent(BaseAgent[PolicyInput, PolicyOutput]):
    """Reads policies as data, never as code."""

    name = "policy_agent"
    description = (
        "Loads privacy policies (YAML rules) and privacy notices (Markdown), reports their "
        "mistakes with line numbers, and answers which rule or clause says what. "
        "Choose it for questions about the rules themselves."
    )
    examples = read_examples("minerva_governance", "policy_agent")
    aspects = WORDS["follow_up.aspects"]
    declines = read_examples("minerva_governance", "declined")

    def __init__(self, *, today: Clock = local_today) -> None:
        self._today = today

    def build_graph(self) -> StateGraph[PolicyState, None, PolicyState, PolicyState]:
        """Return load, lint, match, answer; with a model also draft and ask, if it is asked for."""
        graph = StateGraph(PolicyState)
        graph.add_sequence([self.load, self.lint, self.match, self.answer])
        graph.add_edge(START, "load")
        if self.model is not None:
            graph.add_sequence([self.draft, self.ask])
            graph.add_conditional_edges("answer", _after_answer, ["draft", END])
        return graph

    def load(self, state: PolicyState) -> dict[str, Any]:
        """Read every attached file; a policy with a mistake is left out and named."""
        attachments, language = state["attachments"], state["language"]
        found = gather([file.path for file in attachments], language=language)
        policy = load_policies(found.sources, baseline=BASELINE, language=language)
        return {"policy": policy, "files": told_files(attachments, policy.documents)}

    def lint(self, state: PolicyState) -> dict[str, Any]:
        """Note what is odd in files that do load."""
        policy = state["policy"]
        odd = lint(policy.policies, today=self._today(), language=state["language"])
        return {"policy": policy.model_copy(update={"problems": (*policy.problems, *odd)})}

    def match(self, state: PolicyState) -> dict[str, Any]:
        """Find the rules and clauses that the request asks about."""
        policy = state["policy"]
        found = search_rules(state["request"], policy.policies, policy.clauses)
        matches = tuple(hit for hit in found if hit.id in _rules(state)) or found
        return {"policy": policy.model_copy(update={"matches": matches})}

    def answer(self, state: PolicyState) -> dict[str, Any]:
        """Write the summary; every rule and clause named is cited."""
        policy, language = state["policy"], state["language"]
        has_named_rule = any(hit.id in _rules(state) for hit in policy.matches)
        summary = policy_to_markdown(
            policy, state["request"], language, lists_all=not has_named_rule
        )
        if policy.mistakes:
            broken = broken_policies(policy.mistakes, language)
            summary = f"{broken}\n\n{summary}"
        if self.model is None and asks_for_draft(state["request"]):
            summary = f"{ANSWERS('draft.no_model', language)}\n\n{summary}"
        citations = tuple(
            Citation(source=hit.source, line=hit.line, quote=hit.quote) for hit in policy.matches
        ) or tuple(
            Citation(source=rule.source, line=rule.line, quote=rule.title)
            for loaded in policy.policies
            for rule in loaded.rules
        )
        return {
            "summary": summary,
            "citations": citations,
            "shown": (
                Shown(kind="rule", names=tuple(hit.id for hit in policy.matches)),
                Shown(kind="file", names=tuple(use.name for use in policy.documents)),
            ),
            "unused": _find_unused_words(policy, state["request"]),
        }

    async def draft(self, state: PolicyState) -> dict[str, Any]:
        """Let the model draft rules from the clauses; those that do not hold are refused."""
        clauses = [one for one in state["policy"].clauses if not one.is_hidden]
        if not clauses:
            return {"drafted": Draft()}
        none = SaidRules(rules=[])
        said = await self.assist(
            prompt_of(clauses), schema=SaidRules, instead=none, system=SYSTEM, is_whole=False
        )
        language = state["language"]
        draft = make_draft(
            said, clauses, fault=lambda rule: wrong_with([rule], language), language=language
        )
        return {"drafted": mask_model(draft)}

    def ask(self, state: PolicyState) -> dict[str, Any]:
        """Wait for a person; nothing is written before."""
        told, artifacts = ask_about_draft(state["drafted"], state["language"])
        return {"summary": f"{told}\n\n{state['summary']}", "artifacts": artifacts}


def _after_answer(state: PolicyState) -> str:
    return "draft" if asks_for_draft(state["request"]) else END


def _rules(state: PolicyState) -> frozenset[str]:
    """Return the rules of earlier answers that the request refers to."""
    return frozenset(name for one in state["meant"] if one.kind == "rule" for name in one.names)


def _find_unused_words(policy: PolicySet, request: str) -> tuple[str, ...]:
    """Return the words of a question that neither a rule nor a clause of the answer holds."""
    names = [use.name for use in policy.documents]
    answer = " ".join([*(hit.quote for hit in policy.matches), *names])
    unused = unused_words(
        request,
        policy.policies,
        names=names,
        restrictions=restrictions_of(request),
        periods_count=False,
    )
    return tuple(words for words in unused if not _is_said(words, answer))


def _is_said(words: str, answer: str) -> bool:
    """True if an answer holds at least half of `words`; a Korean one may have a particle."""
    said = set(_WORD.findall(answer.casefold()))
    asked = _WORD.findall(words.casefold())
    held = [w for w in asked if w in said or (not w.isascii() and any(w in one for one in said))]
    return 2 * len(held) >= len(asked)
