"""Count working days, or find the day on which a term ends."""

from datetime import date
from typing import Any, Literal, TypedDict

from langgraph.graph import START, StateGraph

from minerva_calendar.contracts import Holidays
from minerva_calendar.core.question import Span, Term, UnclearQuestionError, question_from_words
from minerva_calendar.core.working_day import working_day_after, working_days_between
from minerva_platform import AgentError, AgentInput, AgentOutput, BaseAgent
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_calendar.answers", "deadline")


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
        graph = StateGraph(DeadlineState)
        graph.add_sequence([self.calculate, self.write])
        graph.add_edge(START, "calculate")
        return graph

    def calculate(self, state: DeadlineState) -> dict[str, Any]:
        """Fill in the side of the question that was left open."""
        try:
            question = question_from_words(state["request"])
        except UnclearQuestionError as error:
            raise AgentError(TEXTS("unclear", state["language"])) from error
        return _answer(question, frozenset(holiday.day for holiday in state["holidays"].days))

    def write(self, state: DeadlineState) -> dict[str, Any]:
        """Say it in the person's language."""
        language = state["language"]
        text = TEXTS(
            state["asked"],
            language,
            first=state["first"],
            last=state["last"],
            days=state["days"],
        )
        if state["holidays"].source is None:
            text += "\n\n" + TEXTS("only_weekends", language)
        return {"summary": text}


def _answer(question: Span | Term, holidays: frozenset[date]) -> dict[str, Any]:
    first = question.first
    if isinstance(question, Term):
        last = working_day_after(first, question.days, holidays)
        return {"asked": "term", "first": first, "last": last, "days": question.days}
    days = working_days_between(first, question.last, holidays)
    return {"asked": "span", "first": first, "last": question.last, "days": days}
