"""A team that is left out is known by its examples: its requests go to no neighbour."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minerva_platform import Run, Task
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import Settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.durable.active_run import run_team
from minerva_platform.models.model import Model
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import MemorySink, Reply, scripted_openai_server
from minerva_platform.text.example_file import examples_without_import
from minerva_platform.text.language_detection import language_of

VOYAGES = (
    *("book a flight to Busan for Friday", "find the cheapest flight from Seoul to Tokyo"),
    *("which flights to Jeju leave in the morning", "change my flight to the evening"),
    *("reserve two seats on the flight to Paris", "cancel the flight that I booked"),
    *("금요일 부산행 비행기를 예약해줘", "제주행 비행기 중에서 가장 싼 것을 찾아줘"),
    *("아침에 떠나는 도쿄행 비행기가 있어?", "예약한 비행기를 저녁으로 바꿔줘"),
    *("파리행 비행기 좌석 두 개를 예약해줘", "예약한 비행기를 취소해줘"),
)
KITCHEN = (
    *("give me a recipe for tomato soup", "how long do I boil an egg"),
    *("which spices go with lamb", "write a shopping list for lasagne"),
    *("suggest a dinner without meat", "how much salt does bread dough need"),
    *("토마토 수프 요리법을 알려줘", "달걀은 몇 분 삶아야 해?"),
    *("양고기에 어울리는 향신료를 골라줘", "라자냐 재료 목록을 만들어줘"),
    *("고기 없는 저녁 메뉴를 추천해줘", "빵 반죽에 소금을 얼마나 넣어?"),
)
CAUSE = "cannot be imported: No module named 'no_such_airline'"
TEAM = """
from minerva_platform import Team
from minerva_platform.testing import StubAgent
from minerva_platform.text import read_examples

class Clerk(StubAgent):
    def __init__(self):
        super().__init__("clerk")
        self.examples = read_examples("minerva_{name}", "clerk")

class It(Team):
    name, description, members = "{name}", "Answers.", (Clerk(),)
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two installed teams; the package of `voyages` lacks what it imports."""
    for name, examples in (("kitchen", KITCHEN), ("voyages", VOYAGES)):
        package, metadata = tmp_path / f"minerva_{name}", tmp_path / f"{name}-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(
            f"[minerva.teams]\n{name} = minerva_{name}.team:It\n"
        )
        (package / "examples").mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "team.py").write_text(TEAM.format(name=name))
        (package / "examples" / "clerk.txt").write_text("\n".join(("# Its work.", *examples)))
        (package / "examples" / "declined.txt").write_text("sing me a song about the sea\n")
    (tmp_path / "minerva_voyages" / "__init__.py").write_text("import no_such_airline\n")
    for name in [name for name in sys.modules if name.startswith(("minerva_kit", "minerva_voy"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def platform(site: Path) -> AssembledTeam:
    """The platform over both teams, one of which is left out."""
    del site
    built = build_platform(Settings(None), teams=["kitchen", "voyages"])
    assert list(built.by_name) == ["kitchen"]
    return built


def ask(built: AssembledTeam, request: str, sink: MemorySink | None = None) -> Run:
    """Return the run of `request`."""
    options = RunOptions(recorder=sink) if sink else None
    return asyncio.run(
        run_team(built, Task(request=request, language=language_of(request)), options)
    )


def test_examples_are_read_of_a_package_that_cannot_be_imported(site: Path) -> None:
    """Its code is not run, and what it declines is no work of its own."""
    assert examples_without_import("minerva_voyages") == VOYAGES
    assert "minerva_voyages" not in sys.modules
    assert examples_without_import("no_such_package") == ()
    (site / "minerva_voyages" / "examples" / "clerk.txt").write_bytes(b"\xff\xfe\xff")
    assert examples_without_import("minerva_voyages") == ()


def by_examples(built: AssembledTeam, request: str) -> tuple[list[str], list[str]]:
    """Return who would serve `request`, and which absent teams would have."""
    assert isinstance(built.router, EmbeddedRouter)
    chosen = built.router.choose(request)
    return [goal.member for goal in chosen.goals], [goal.member for goal in chosen.absent]


def test_all_its_examples_are_its_own_and_none_of_a_neighbours(platform: AssembledTeam) -> None:
    """What is left out takes nothing from the others."""
    assert [by_examples(platform, each) for each in VOYAGES] == [([], ["voyages"])] * len(VOYAGES)
    assert [by_examples(platform, each) for each in KITCHEN] == [(["kitchen"], [])] * len(KITCHEN)


@pytest.mark.parametrize("request_", [VOYAGES[0], VOYAGES[6]])
def test_its_own_requests_name_it_and_the_cause(platform: AssembledTeam, request_: str) -> None:
    """Nobody is called, and the answer holds no command for the operator."""
    sink = MemorySink()
    run = ask(platform, request_, sink)

    assert (run.status, run.reason, run.hops) == ("failed", "no_route", ())
    assert [entry.path for entry in run.bypassed] == ["platform/voyages"]
    said = run.answer.splitlines()[0]
    told = {
        "en": "The team `voyages` cannot be imported, so it was left out at the start "
        "(`No module named 'no_such_airline'`).",
        "ko": "`voyages` 팀은 불러올 수 없어서 시작할 때 빠졌습니다 "
        "(`No module named 'no_such_airline'`).",
    }
    assert said == f"- `platform/voyages`: {told[language_of(request_)]}"
    assert "`kitchen`" in run.answer
    assert "install" not in run.answer
    (row,) = [record for record in sink.records if record.path == "platform/voyages"]
    assert (row.action, row.status) == ("stopped", "skipped")
    assert row.error is not None
    assert row.error["message"].startswith(CAUSE)
    (whole,) = [record for record in sink.records if record.kind == "run"]
    assert (whole.reason, whole.because_of) == ("no_route", "platform/voyages")


@pytest.mark.parametrize(
    ("request_", "lost"),
    [
        (
            "give me a recipe for tomato soup and book a flight to Busan for Friday",
            "book a flight to Busan for Friday",
        ),
        (
            "토마토 수프 요리법을 알려주고 금요일 부산행 비행기를 예약해줘",
            "금요일 부산행 비행기를 예약해줘",
        ),
    ],
)
def test_a_mixed_request_is_served_but_for_its_part(
    platform: AssembledTeam, request_: str, lost: str
) -> None:
    """The neighbour is not given the words of the absent team."""
    run = ask(platform, request_)

    assert (run.status, run.reason) == ("ok_degraded", "partly_served")
    assert [hop.path for hop in run.hops] == ["platform/kitchen/clerk"]
    (kitchen,) = platform.inner_teams
    clerk: Any = kitchen.by_name["clerk"]
    assert lost not in clerk.calls[-1].request
    assert lost in run.unserved[0]
    assert run.answer.splitlines()[0].endswith(run.unserved[0])
    last = run.answer.splitlines()[-1]
    assert last.startswith(f"- “{run.unserved[0]}” `platform/voyages`: ")
    assert "No module named 'no_such_airline'" in last


def test_a_member_that_the_task_names_gets_all_words(platform: AssembledTeam) -> None:
    """As it gets those that nobody serves: who names a member has chosen."""
    for request in (VOYAGES[0], f"{KITCHEN[0]} and {VOYAGES[0]}"):
        task = Task(request=request, members=("kitchen",), language="en")
        run = asyncio.run(run_team(platform, task))

        assert [hop.path for hop in run.hops] == ["platform/kitchen/clerk"]
        assert (run.status, run.unserved, run.bypassed) == ("ok", (), ())


def test_a_run_that_needs_no_absent_team_is_ok(platform: AssembledTeam) -> None:
    """What is left out degrades no run by itself."""
    run = ask(platform, KITCHEN[0])

    assert (run.status, run.bypassed, run.unserved) == ("ok", (), ())
    assert [hop.path for hop in run.hops] == ["platform/kitchen/clerk"]


@pytest.mark.usefixtures("fresh_models")
@pytest.mark.parametrize(("name", "asked"), [("plan", 1), ("step", 2), ("cascade", 0)])
def test_a_model_is_not_asked_for_what_is_surely_its_work(
    platform: AssembledTeam, name: RouterName, asked: int
) -> None:
    """A model that knows no such team would choose a neighbour; of that one's work it is asked."""
    kitchen = {"goals": [{"member": "kitchen", "request": KITCHEN[0]}]}
    steps = [{"next": "kitchen", "request": KITCHEN[0]}, {"next": "FINISH", "request": ""}]
    script = [Reply(json=each) for each in ([kitchen] if name == "plan" else steps)]
    with scripted_openai_server(script) as server:
        model = Model(ModelSpec(name="openai:scripted", base_url=server.url, timeout=10.0))
        led = replace(platform, router_choice=name, model=model)
        lost, served = ask(led, VOYAGES[0]), ask(led, KITCHEN[0])

    assert (lost.reason, lost.hops, lost.usage.model_calls) == ("no_route", (), 0)
    assert "`voyages`" in lost.answer
    assert (served.status, served.usage.model_calls) == ("ok", asked)
