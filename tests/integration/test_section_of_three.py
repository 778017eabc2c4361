"""The request that three workers serve in turn is answered once, whichever router chooses."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
from forms import each_with
from named_members import WORKERS, NamedMembers, named_members, repeated_rows, teams_of

from minerva_platform.config.router_spec import RouterName

PlatformWith = Callable[[RouterName], NamedMembers]

SECTION = "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘"
FILE = Path(__file__).parent.parent / "bench/section_strangers.yaml"
ONE_TABLE = {
    "ko": "환자 식별 표준 약어랑 개인정보 규정 위반 여부를 하나의 표로 보여줘",
    "en": "Show the standard name of payment amount and its retention rule in one single table",
}
NEIGHBOURS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in yaml.safe_load(FILE.read_text("utf-8"))
} | {name: {"request": text, "teams": ["data", "governance"]} for name, text in ONE_TABLE.items()}
ROUTERS: tuple[RouterName, ...] = ("embedded", "cascade", "step", "plan")
REQUESTS = {
    "english": "Tell me the standard abbreviation and domain of the patient identifier column, and "
    "sort the answer table by domain priority",
    "audited": "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, "
    "표를 도메인 우선순위로 정렬해서 감사해줘",
    "section": SECTION,
}
pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module")
def platform_with(tmp_path_factory: pytest.TempPathFactory) -> Generator[PlatformWith]:
    """Give the three teams' platform by its router, its model scripted; each is built once."""
    with ExitStack() as stack:

        def build(router: RouterName) -> NamedMembers:
            folder = tmp_path_factory.mktemp("configs")
            return stack.enter_context(named_members(folder, router))

        yield cache(build)


def assert_once(platform: NamedMembers, request: str, order: Sequence[str]) -> None:
    """Show that the data team alone gives the table once, in whose order the model names it."""
    run = platform.ask(request, {"platform": ["data"], "data": order})

    assert run.status == "ok"
    assert teams_of(run) == {"data"}
    assert run.answer.count("PT_ID") == 1
    assert sum(line.startswith("| ---") for line in run.answer.splitlines()) == 1


@pytest.mark.parametrize("router", ROUTERS)
@pytest.mark.parametrize("name", REQUESTS)
def test_the_table_is_given_once(
    platform_with: PlatformWith, router: RouterName, name: str
) -> None:
    """By the data team alone."""
    assert_once(platform_with(router), REQUESTS[name], WORKERS["data"])


def test_the_order_of_a_model_does_not_count(platform_with: PlatformWith) -> None:
    """A worker that made what another showed is not called again when the model names it."""
    for order in permutations(WORKERS["data"]):
        assert_once(platform_with("step"), SECTION, order)


@pytest.mark.parametrize(("router", "name"), each_with(ROUTERS, NEIGHBOURS))
def test_a_request_starts_the_teams_that_it_needs(
    platform_with: PlatformWith, router: RouterName, name: str
) -> None:
    """No other team, and no row of a table comes twice, also if two teams shall fill one table."""
    row = NEIGHBOURS[name]
    run = platform_with(router).ask(row["request"], {**WORKERS, "platform": row["teams"]})

    assert teams_of(run) == {*row["teams"]}
    assert not repeated_rows(run.answer)
