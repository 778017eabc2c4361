"""An office whose workers change the world, each by one effect with all the words that it gets.

A worker that is called does its deed, whatever the words: so a deed that nobody asked for is seen.
"""

from collections.abc import Callable, Sequence
from typing import Any

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, effect

EXAMPLES: dict[str, Sequence[str]] = {
    "pay": (
        "pay invoice 12",
        "settle the bill from Acme",
        "please pay the invoice of May",
        "transfer the money for invoice 40",
        "can you pay this bill",
        "송장 12 결제해줘",
        "거래처 청구서 결제 부탁해",
        "이번 달 송장 지급해줘",
        "인보이스 대금 송금해줘",
        "5번 송장 처리해줘",
    ),
    "mail": (
        "send a mail to Jane",
        "email the supplier about the delay",
        "write Bob an email with the subject minutes",
        "mail the report to the team",
        "drop Sue a message about lunch",
        "김과장에게 메일 보내줘",
        "회의록을 팀에 메일로 보내줘",
        "인사팀한테 휴가 건으로 메일 써서 보내줘",
        "고객에게 안내 메일 발송해줘",
        "박부장님께 이메일 드려줘",
    ),
    "order": (
        "order ten pens",
        "buy two new chairs",
        "get us more printer paper",
        "please order a laptop for the trainee",
        "place an order for coffee",
        "볼펜 열 자루 주문해줘",
        "의자 2개 사줘",
        "복사지 더 주문해줘",
        "신입용 노트북 발주해줘",
        "커피 원두 구매해줘",
    ),
    "room": (
        "book room 12 for Tuesday",
        "reserve the boardroom tomorrow",
        "I need a meeting room at three",
        "book a room for ten people",
        "get me the small room on Thursday",
        "화요일 회의실 예약해줘",
        "대회의실 내일 잡아줘",
        "301호 예약 부탁해",
        "세미나실 오후에 빌려줘",
        "팀 회의할 방 예약해줘",
    ),
    "access": (
        "grant Anna access to the wiki",
        "give Tom permission for the CRM",
        "let the new intern into the drive",
        "add Eva to the GitHub group",
        "open the finance folder for Leo",
        "민수씨에게 위키 권한 줘",
        "신입한테 그룹웨어 접근 권한 열어줘",
        "지영님 드라이브 권한 부여해줘",
        "외주 직원에게 VPN 계정 만들어줘",
        "재무 폴더 접근 허용해줘",
    ),
}
"""What each worker is asked for."""

Fault = Callable[[str], None]
"""Raises after the deed, if the work shall fail then; it is given the worker's name."""


class Errand(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one deed, with the whole request as its argument."""

    def __init__(self, name: str, done: Callable[[str, str], None], fault: Fault) -> None:
        self.name = name
        self.description = f"Does it: {name}."
        self.examples = EXAMPLES[name]

        def deed(what: str) -> str:
            done(name, what)
            return f"{name}: {what}"

        deed.__name__ = name
        self.deed = effect("once")(deed)
        self.fault = fault

    def work(self, given: AgentInput) -> AgentOutput:
        """Do it."""
        told = self.deed(given.request)
        self.fault(self.name)
        return AgentOutput(summary=told)


def errands(done: Callable[[str, str], None], fault: Fault = lambda _: None, **named: Any) -> Team:
    """Return the office; `done` is told each deed with its words."""
    members = [Errand(name, done, fault) for name in EXAMPLES]
    return Team(name="office", description="Runs errands.", members=members, **named)
