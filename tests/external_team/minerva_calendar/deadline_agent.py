"""Count working days, or find the day on which a term ends."""

from datetime import date
from typing import Any, Literal

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from minerva_calendar.contracts import Holidays
from minerva_calendar.core.question import Span, Term, UnclearQuestionError, question_from_words
from minerva_calendar.core.working_day import working_day_after, working_days_between
from minerva_platform import AgentError, AgentInput, AgentOutput, BaseAgent
from minerva_platform.text import Language

_ANSWER = {
    ("span", "ko"): "{first}부터 {last}까지(양 끝 포함) 영업일은 **{days}일**입니다.",
    ("span", "en"): "From {first} to {last}, both included, there are **{days} working days**.",
    ("term", "ko"): "{first}에서 {days}영업일 뒤는 **{last}**입니다.",
    ("term", "en"): "{days} working days after {first} is **{last}**.",
}
_ONLY_WEEKENDS = {
    "ko": "공휴일 파일이 없어 주말만 뺐습니다.",
    "en": "No holiday file came along, so only weekends were left out.",
}
_UNCLEAR = {
    "ko": "어느 날인지 알 수 없습니다. 날짜 두 개, 또는 날짜 하나와 영업일 수를 적어 주세요: "
    "2026-03-02부터 10영업일 뒤",
    "en": "Which days are meant? Write two dates, or a date and a number: "
    "10 working days after 2026-03-02",
}


class DeadlineInput(AgentInput):
    """The question, and the holidays it must be answered with."""

    holidays: Holidays


class DeadlineOutput(AgentOutput):
    """A span of days: `days` working days lie in it."""

    first: date
    last: date
    days: int


class DeadlineState(TypedDict):
    """The fields of Input and Output, and what stays inside."""

    request: str
    language: Language
    holidays: Holidays
    asked: Literal["span", "term"]
    first: date
    last: date
    days: int
    summary: str


class DeadlineAgent(BaseAgent[DeadlineInput, DeadlineOutput]):
    """Answers how many working days, or until when."""

    name = "deadline_agent"
    description = "Counts working days between two dates, or finds the day a term of them ends."
    examples = (
        "2026-03-02부터 2026-03-31까지 영업일이 며칠이야?",
        "2026년 5월 4일부터 10영업일 뒤는 며칠이야?",
        "근무일 기준 5일 뒤 날짜 알려줘",
        "납기가 2026-07-01에서 15영업일이면 언제까지야?",
        "두 날짜 사이 영업일 수 계산해줘",
        "처리 기한을 영업일로 계산해줘",
        "다음 달 근무일이 며칠인지 세어줘",
        "How many working days are there from 2026-03-02 to 2026-03-31?",
        "What date is 10 business days after 2026-05-04?",
        "Count the working days between these two dates.",
        "When is the deadline, 15 business days from 2026-07-01?",
        "By which day must we answer if we have 30 working days?",
    )

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return calculate, then write."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(DeadlineState)
        graph.add_node("calculate", self.calculate)
        graph.add_node("write", self.write)
        graph.add_edge(START, "calculate")
        graph.add_edge("calculate", "write")
        return graph

    def calculate(self, state: DeadlineState) -> dict[str, Any]:
        """Fill in the side of the question that was left open."""
        try:
            question = question_from_words(state["request"])
        except UnclearQuestionError as error:
            raise AgentError(_UNCLEAR[state["language"]]) from error
        return _answer(question, frozenset(holiday.day for holiday in state["holidays"].days))

    def write(self, state: DeadlineState) -> dict[str, Any]:
        """Say it in the person's language."""
        language = state["language"]
        text = _ANSWER[state["asked"], language].format(
            first=state["first"], last=state["last"], days=state["days"]
        )
        if state["holidays"].source is None:
            text += "\n\n" + _ONLY_WEEKENDS[language]
        return {"summary": text}


def _answer(question: Span | Term, holidays: frozenset[date]) -> dict[str, Any]:
    first = question.first
    if isinstance(question, Term):
        last = working_day_after(first, question.days, holidays)
        return {"asked": "term", "first": first, "last": last, "days": question.days}
    days = working_days_between(first, question.last, holidays)
    return {"asked": "span", "first": first, "last": question.last, "days": days}
