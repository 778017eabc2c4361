"""Six requests, which every step answers alike."""

from collections.abc import Callable

ASKED = (
    "what is the standard name of patient name?",
    "환자 이름과 생년월일의 표준 이름을 알려줘",
    "make a table of patient name, ward code and birth date",
    "입원일자, 환자 이름, 병동코드를 표로 정리해줘",
    "check patient name, discharge time and ward code for violations",
    "퇴원일시와 입원일자가 표준을 위반하는지 검사해줘",
)


def show(ask: Callable[[str], str]) -> None:
    for request in ASKED:
        print(f"> {request}\n{ask(request)}")
