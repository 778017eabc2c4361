"""What is asked of the three teams is in the answer, or named as not done."""

import pytest

from minerva_platform import Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions


@pytest.fixture(scope="module")
def platform() -> AssembledTeam:
    """Return the platform of the three teams."""
    return build_platform()


@pytest.mark.parametrize(
    ("request_", "terms"),
    [
        ("진단 코드, 환자 식별을 표로 정렬해줘", ["진단 코드", "환자 식별"]),
        (
            "요금제 코드랑 회선 개통일 용어사전에서 찾아서 한 줄에 하나씩 적어줘",
            ["요금제 코드", "회선 개통일"],
        ),
        (
            "Just JSON, no prose. Terms = permit number, inspection result, zoning district",
            ["permit number", "inspection result", "zoning district"],
        ),
        (
            "환자 이름, 진료 일자, 주민등록번호, 고객 취미의 표준 약어를 표로 알려줘",
            ["환자 이름", "진료 일자", "주민등록번호", "고객 취미"],
        ),
        (
            "patient name, admission date, blood type, favourite colour",
            ["patient name", "admission date", "blood type", "favourite colour"],
        ),
        (
            "keep it short - what is our standard name for SIM card number and activation date",
            ["SIM card number", "activation date"],
        ),
    ],
)
async def test_no_term_of_a_list_is_lost(
    platform: AssembledTeam, request_: str, terms: list[str]
) -> None:
    """Known or not, each is in a row of the table; a wish about its form takes none along."""
    run = await run_team(platform, Task(request=request_), RunOptions())

    assert {hop.path.split("/")[1] for hop in run.hops} == {"data"}
    assert [term for term in terms if f"| {term} |" not in run.answer] == []


@pytest.mark.parametrize(
    ("request_", "rest", "name"),
    [
        ("주민번호 컬럼 이름 바꾸고 부산행 비행기 예약해줘", "부산행 비행기 예약해줘", "RRNO"),
        (
            "standardise patient name, admission date and book a flight to Busan",
            "book a flight to Busan",
            "HSPTLZ_YMD",
        ),
    ],
)
async def test_the_part_that_nobody_serves_is_named(
    platform: AssembledTeam, request_: str, rest: str, name: str
) -> None:
    """Although it is longer than the part that is served, or follows a list."""
    run = await run_team(platform, Task(request=request_), RunOptions())

    assert (run.status, run.unserved) == ("ok_degraded", (rest,))
    assert name in run.answer
