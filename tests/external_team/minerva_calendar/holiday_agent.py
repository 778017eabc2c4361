"""Say which days are holidays."""

from typing import Annotated, Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from minerva_calendar.contracts import Holiday, Holidays
from minerva_calendar.core.holiday_file import HolidayFile, read_holidays
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, Citation
from minerva_platform.text import Language

_EMPTY = {
    "ko": "공휴일 파일이 없어 주말만 쉬는 날로 봅니다. `holidays.csv`를 첨부하면 반영합니다.",
    "en": "No holiday file came along: only weekends are free. Attach `holidays.csv` to change it.",
}
_HEAD = {"ko": "| 날짜 | 공휴일 |", "en": "| date | holiday |"}
_UNREAD = {"ko": "읽지 못한 줄: ", "en": "Lines that could not be read: "}


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
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(HolidayState)
        graph.add_node("read", self.read)
        graph.add_node("write", self.write)
        graph.add_edge(START, "read")
        graph.add_edge("read", "write")
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
        language, days = state["language"], state["holidays"].days
        unread = state["unread"]
        parts: list[str] = []
        if state["holidays"].source is None:
            parts.append(_EMPTY[language])
        if days:
            rows = [f"| {holiday.day} | {holiday.name} |" for holiday in days]
            parts.append("\n".join([_HEAD[language], "| --- | --- |", *rows]))
        if unread:
            parts.append(_UNREAD[language] + ", ".join(map(str, unread)))
        return {"summary": "\n\n".join(parts)}


def _to_handoff(source: str, found: HolidayFile) -> Holidays:
    days = tuple(Holiday(day=day, name=name) for day, name in found.days)
    return Holidays(source=source, days=days)
