"""Say which days are holidays."""

from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph

from minerva_calendar.contracts import Holiday, Holidays
from minerva_calendar.core.holiday_file import HolidayFile, read_holidays
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, Citation
from minerva_platform.text import Language, escaped, markdown_table, read_texts

TEXTS = read_texts("minerva_calendar.answers", "holidays")


class HolidayInput(AgentInput):
    """A holiday file, if there is one."""

    file: Annotated[Attachment | None, Attachment.of("holidays*.csv")] = None


class HolidayOutput(AgentOutput):
    """The holidays, always: an empty list says that none are known."""

    holidays: Holidays


class HolidayState(TypedDict):
    """The fields of Input and Output, and what stays inside."""

    language: Language
    file: Attachment | None
    holidays: Holidays
    unread: tuple[int, ...]
    citations: tuple[Citation, ...]
    summary: str


class HolidayAgent(BaseAgent[HolidayInput, HolidayOutput]):
    """Reads the holidays that somebody attached."""

    name = "holiday_agent"
    description = "Lists the public holidays of an attached holidays.csv."
    examples = (
        "이 파일에 있는 공휴일 알려줘",
        "5월 공휴일 목록 보여줘",
        "올해 쉬는 날이 언제야?",
        "첨부한 holidays.csv에서 휴일만 뽑아줘",
        "회사 창립기념일이 휴일로 들어 있어?",
        "추석 연휴가 며칠부터야?",
        "빨간 날 정리해줘",
        "Which public holidays are in this file?",
        "List the bank holidays of May.",
        "When are we off this year?",
        "Show me the holiday calendar.",
        "Is Christmas a day off?",
    )

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return read, then write."""
        graph = StateGraph(HolidayState)
        graph.add_sequence([self.read, self.write])
        graph.add_edge(START, "read")
        return graph

    def read(self, state: HolidayState) -> dict[str, Any]:
        """Read the file, if one came."""
        file = state["file"]
        if file is None:
            return {"holidays": Holidays(), "unread": ()}
        with file.path.open(encoding="utf-8-sig", newline="") as lines:
            found = read_holidays(lines)
        return {
            "holidays": _to_handoff(file.name, found),
            "unread": found.unread,
            "citations": (Citation(source=file.name),),
        }

    def write(self, state: HolidayState) -> dict[str, Any]:
        """Say it in the person's language."""
        language, days, unread = state["language"], state["holidays"].days, state["unread"]
        parts: list[str] = []
        if state["holidays"].source is None:
            parts.append(TEXTS("empty", language))
        if days:
            rows = [(str(holiday.day), escaped(holiday.name)) for holiday in days]
            parts.append(markdown_table(TEXTS.row("header", language), rows))
        if unread:
            parts.append(TEXTS("unread", language, lines=", ".join(map(str, unread))))
        return {"summary": "\n\n".join(parts)}


def _to_handoff(source: str, found: HolidayFile) -> Holidays:
    days = tuple(Holiday(day=day, name=name) for day, name in found.days)
    return Holidays(source=source, days=days)
