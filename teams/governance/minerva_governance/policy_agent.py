"""Load policies and notices, find mistakes in them, and answer what they say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_governance.clock import Clock, local_today
from minerva_governance.contracts import PolicySet
from minerva_governance.core.lint import lint
from minerva_governance.core.policy_answer import policy_to_markdown
from minerva_governance.core.policy_file import PolicyError
from minerva_governance.core.rule_search import search_rules
from minerva_governance.core.wording import Problem
from minerva_governance.policy_shelf import load_shelf
from minerva_platform import AgentError, AgentInput, AgentOutput, Attachment, BaseAgent

BASELINE = Path(__file__).parent / "seed" / "baseline.yaml"
"""The rules for those who attach none."""


class PolicyLoadError(AgentError):
    """An attached policy does not load; the text names file, line and rule of each mistake."""

    def __init__(self, problems: Sequence[Problem], text: str) -> None:
        self.problems = tuple(problems)
        super().__init__(text)


class PolicyInput(AgentInput):
    """The files to load; without any policy the bundled baseline answers."""

    policies: Annotated[tuple[Attachment, ...], Attachment.of("*.yaml", "*.yml")] = ()
    notices: Annotated[tuple[Attachment, ...], Attachment.of("*.md")] = ()


class PolicyOutput(AgentOutput):
    """What was loaded, and the rules that the question is about."""

    policy: PolicySet


class PolicyState(TypedDict):
    """JSON only: a checkpoint may hold it."""

    given: dict[str, Any]
    policy: dict[str, Any]
    summary: str
    citations: list[dict[str, Any]]


class PolicyAgent(BaseAgent[PolicyInput, PolicyOutput]):
    """Reads policies as data, never as code."""

    name = "policy_agent"
    description = (
        "Loads privacy policies (YAML rules) and privacy notices (Markdown), reports their "
        "mistakes with line numbers, and answers which rule or clause says what. "
        "Choose it for questions about the rules themselves."
    )
    examples = (
        "개인정보 처리방침에 보유 기간이 어떻게 적혀 있어?",
        "주민번호 보관에 관한 규칙이 뭐야?",
        "정책 파일에 오타가 있는지 확인해줘",
        "privacy.yaml 문법 검사해줘",
        "암호화를 요구하는 조항을 찾아줘",
        "처리방침 제3조가 무슨 내용이야?",
        "우리 내부 규정에서 로그에 대해 뭐라고 하나요?",
        "이메일을 수집한다고 처리방침에 써 있나요?",
        "규칙 목록을 보여줘",
        "어떤 규칙이 심각도 high인지 알려줘",
        "면제된 규칙과 만료일을 보여줘",
        "환자 정보는 몇 년 동안 보관할 수 있다고 되어 있어?",
        "정책에 어떤 의무가 적혀 있는지 요약해줘",
        "제3자 제공에 관한 조항 좀 찾아줘",
        "고지문에 적힌 수집 항목이 무엇인지 알려줘",
        "정책 파일이 왜 안 읽히는지 봐줘",
        "What does our privacy policy say about retention?",
        "Which rule requires encryption of resident numbers?",
        "Lint privacy.yaml and tell me the line of each mistake",
        "Show me the clauses of the privacy notice",
        "Is there a rule about logging personal data?",
        "List the rules of this policy with their severity",
        "Which waivers are in the policy and when do they expire?",
        "Why does my policy file not load?",
        "Quote the clause on third-party sharing",
        "What are we allowed to collect according to the notice?",
        "How long may patient records be kept under our rules?",
        "Explain rule KANON-01",
        "보존 연한이 몇 년이지",
        "방침에 뭐라고 써 있어",
        "제3자 제공 조항 있나요",
        "수집 항목에 휴대폰 번호 들어가?",
        "암호화 의무 대상이 뭔지 규칙에서 찾아줘",
        "정책 파일 오류 줄 번호",
        "yaml 규칙 문법 틀린 데",
        "규정집에서 마스킹 기준 알려줘",
        "개인정보 몇 년까지 갖고 있어도 돼",
        "파기 절차가 정책에 어떻게 나와 있나",
        "어떤 규칙이 주민번호에 걸려",
        "정책 목록 보여주세요",
        "동의 없이 수집 가능한 항목이 있는지 방침 확인",
        "우리 규칙 몇 개나 돼",
        "처리 목적을 명시한 조항 인용해줘",
        "what does the notice say about email",
        "how long may we keep patient data",
        "which clauses mention third parties",
        "rules for masking",
        "is the yaml of our policy well formed",
        "show all rules with high severity",
        "retention period in the policy",
        "quote the paragraph on consent",
        "are there mistakes in the rule file",
        "list the encryption requirements",
        "policy 에서 phone 관련 rule",
        "방침 문서 조항별로 정리",
        "privacy notice 내용 요약",
    )
    Input = PolicyInput
    Output = PolicyOutput
    state_schema = PolicyState

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
        """Read every attached file; a policy with a mistake ends the work here.

        Raises:
            PolicyLoadError: names file, line and rule of every mistake.
        """
        given = PolicyInput.model_validate(state["given"])
        try:
            shelf = load_shelf(
                [file.path for file in given.policies],
                [file.path for file in given.notices],
                baseline=BASELINE,
                language=given.language,
            )
        except PolicyError as error:
            raise PolicyLoadError(error.problems, str(error)) from None
        policy = PolicySet(
            policies=shelf.policies,
            clauses=shelf.clauses,
            problems=shelf.problems,
            is_baseline=shelf.is_baseline,
        )
        return {"policy": policy.model_dump(mode="json")}

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
        citations = [
            {"source": hit.source, "line": hit.line, "quote": hit.quote} for hit in policy.matches
        ] or [
            {"source": rule.source, "line": rule.line, "quote": rule.title}
            for loaded in policy.policies
            for rule in loaded.rules
        ]
        return {"summary": summary, "citations": citations}


def _changed(policy: PolicySet, **changes: Any) -> dict[str, Any]:
    return {"policy": policy.model_copy(update=changes).model_dump(mode="json")}
