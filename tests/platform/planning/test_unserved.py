"""Every part of a request is accounted for: what nobody serves is said, in the person's words."""

from pathlib import Path
from typing import Any

import pytest

from minerva_observability import MemorySink
from minerva_platform import Run, RunLimits, Task, Team
from minerva_platform.config.settings import Rule
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import as_graph
from minerva_platform.routing import Decision, Goal
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import ScriptedRouter, StubAgent

INVOICES = (
    "check the invoices",
    "are the invoices of May complete",
    "verify the totals of these invoices",
    "find duplicate invoices",
    "is the VAT on this invoice right",
    "청구서를 확인해줘",
    "이번 달 청구서 합계가 맞는지 봐줘",
    "중복된 청구서가 있는지 확인해줘",
    "연체된 청구서를 찾아줘",
    "청구서 번호를 찾아줘",
)
CONTRACTS = (
    "summarise this contract",
    "when does the contract end",
    "read the terms of the lease",
    "what notice period does the contract have",
    "which contracts end this year",
    "계약서를 요약해줘",
    "계약이 언제 끝나는지 알려줘",
    "해지 통보 기간을 찾아줘",
    "올해 끝나는 계약을 알려줘",
    "임대 계약 조건을 읽어줘",
)
HALF = "check the invoices and pay them"


def worker(name: str, examples: tuple[str, ...], behave: Any = None) -> StubAgent:
    """Return a worker that knows its work by examples."""
    stub = StubAgent(name, behave=behave)
    stub.examples = examples
    return stub


def office(behave: Any = None) -> Team:
    """Return a team of two workers; nobody in it pays."""
    invoices = worker("invoices", INVOICES, behave)
    return Team(name="office", description="…", members=[invoices, worker("contracts", CONTRACTS)])


def scripted(*unserved: str, goals: tuple[str, ...] = ("a",), **decided: Any) -> ScriptedRouter:
    """Return a router whose plan names `unserved`."""
    goal = tuple(Goal(member=name, request="go") for name in goals)
    return ScriptedRouter(Decision(goals=goal, finish=True, unserved=unserved, **decided))


async def ask(team: Team, request: str = HALF, **options: Any) -> Run:
    """Run `team` for `request`."""
    return await run_team(team.assembled, Task(request=request), RunOptions(**options))


@pytest.fixture(scope="module")
def platform() -> Team:
    """Return the office under a platform, beside a team of other work."""
    school = worker("pupils", ("enrol a pupil", "which pupils are absent", "학생 출석을 알려줘"))
    other = Team(name="school", description="…", members=[school])
    return Team(name="platform", description="…", members=[office(), other])


@pytest.mark.parametrize(
    ("request_", "unserved", "begins"),
    [
        (HALF, ("pay them",), "Not done: pay them\n\ninvoices answered"),
        ("청구서를 확인하고 결제해줘", ("결제해줘",), "하지 못한 것: 결제해줘\n\ninvoices"),
        (
            "Water the plants, check the invoices and then shred them!",
            ("Water the plants", "shred them"),
            "Not done: Water the plants; shred them\n\ninvoices answered",
        ),
    ],
)
async def test_what_nobody_serves_is_said_first(
    request_: str, unserved: tuple[str, ...], begins: str
) -> None:
    """The rest is answered; the run is degraded and names each part that was cut and left."""
    run = await ask(office(), request_)

    assert (run.status, run.reason, run.unserved) == ("ok_degraded", "partly_served", unserved)
    assert run.answer.startswith(begins)
    assert [hop.agent_name for hop in run.hops] == ["invoices"]
    assert run.bypassed == ()


@pytest.mark.parametrize(
    "request_",
    [
        "check the invoices, thanks a lot for your help",
        "check the invoices and put them in a table",
        "check the invoices. Keep it short and answer in Korean",
        "check the invoices and explain why",
        "청구서를 확인하고 표로 정리해줘. 부탁드립니다",
        "청구서를 확인해주고 답은 영어로 짧게 써줘",
        "check the invoices and summarise the contract",
        "청구서를 확인하고 계약서를 요약해줘",
    ],
)
async def test_courtesies_forms_and_what_others_serve_are_done(request_: str) -> None:
    """Only work that nobody does may be called not done."""
    run = await ask(office(), request_)

    assert (run.status, run.reason, run.unserved) == ("ok", None, ())


@pytest.mark.parametrize("rules", [(), (Rule(when="invoice", goals=("invoices",)),)])
async def test_a_worker_does_not_get_what_nobody_serves(rules: tuple[Rule, ...]) -> None:
    """It would take the words for a part of its own work, whoever routes, and answer to them."""
    seen: list[str] = []
    team = office(lambda payload: seen.append(payload.request))
    team.router, team.rules = ("rules" if rules else None), rules
    run = await ask(team)

    assert (seen, run.unserved) == (["check the invoices"], ("pay them",))


async def test_only_the_root_judges(platform: Team) -> None:
    """A team below got its part from somebody who found that it serves it."""
    sink = MemorySink()
    run = await ask(platform, recorder=sink)
    routes = {record.path: record for record in sink.records if record.kind == "route"}

    assert (run.reason, run.unserved) == ("partly_served", ("pay them",))
    assert [record.action for record in routes.values()] == ["left_out", None]
    below = Team(name="platform", description="…", router=scripted(goals=("office",)), members=[
        Team(name="office", description="…", members=[StubAgent("a")], router=scripted("pay them"))
    ])  # fmt: skip
    assert (await ask(below)).status == "ok"


async def test_the_record_says_where_and_never_what() -> None:
    """The row that decided it has an action and an error; the words of a request are no record."""
    sink = MemorySink()
    await ask(office(), recorder=sink)
    (route,) = [record for record in sink.records if record.kind == "route"]
    (run,) = [record for record in sink.records if record.kind == "run"]

    assert (route.action, run.status, run.reason) == ("left_out", "ok_degraded", "partly_served")
    assert route.error is not None
    assert route.error["type"] == "PartlyServedError"
    assert route.error["message"] == "No member serves the characters 23-31 of the request."
    assert route.decision is not None
    (part,) = route.decision["unserved"]
    assert (part["start"], part["end"], len(part["request_sha256"])) == (23, 31, 64)
    assert "pay them" not in repr(sink.records)


async def test_the_record_says_it_beside_a_router_that_fell_back() -> None:
    """A router that broke is one failure, a part that nobody serves another."""
    sink = MemorySink()
    router = scripted("pay them", fallback="TimeoutError: no answer")
    team = Team(name="t", description="…", members=[StubAgent("a")], router=router)
    await ask(team, recorder=sink)

    told = [(row.action, row.error["type"]) for row in sink.records if row.error]
    assert told == [("left_out", "PartlyServedError"), ("substituted", "TimeoutError")]


async def test_both_are_told_when_the_served_half_fails() -> None:
    """The answer says what nobody serves and what broke; the failure gives the reason."""

    def fail(_: Any) -> None:
        message = "the archive is offline"
        raise OSError(message)

    run = await ask(office(fail))

    assert (run.status, run.reason, run.unserved) == ("failed", "all_failed", ("pay them",))
    assert run.answer.startswith("Not done: pay them")
    assert "“check the invoices” `office/invoices`" in run.answer
    assert "the archive is offline" in run.bypassed[0].cause


async def test_a_limits_reason_wins_and_the_text_stays() -> None:
    """Both are told; the reason is the one that may be mended by another limit."""
    router = scripted("pay them", goals=("a", "b"))
    agents = [StubAgent("a"), StubAgent("b")]
    team = Team(name="t", description="…", members=agents, router=router)
    run = await ask(team, limits=RunLimits(hops=1))

    assert (run.status, run.reason) == ("failed", "loop_limit")
    assert run.unserved == ("pay them",)
    assert run.answer.startswith("Not done: pay them")


@pytest.mark.parametrize(
    "said",
    [
        "delete the database",  # no quote
        "pay\tthem, please",
        HALF,  # all of it, although somebody was chosen
        "",
        "x" * 5_000,
    ],
)
async def test_a_router_may_quote_and_nothing_else(said: str) -> None:
    """Whatever a router says, the person reads own words only."""
    team = Team(name="t", description="…", members=[StubAgent("a")], router=scripted(said))
    run = await ask(team)

    assert (run.status, run.unserved) == ("ok", ())


async def test_a_router_that_is_asked_again_need_not_repeat_itself() -> None:
    """What it named once stays not done, unless it gives the very words to a member later."""
    request = "check the invoices, pay them, shred them and file the rest"
    router = ScriptedRouter(
        Decision(goals=(Goal(member="a", request=request),), unserved=("pay them", "shred them")),
        Decision(goals=(Goal(member="b", request="shred them"),), unserved=("file the rest",)),
        Decision(finish=True),
    )
    agents = [StubAgent("a"), StubAgent("b")]
    run = await ask(Team(name="t", description="…", members=agents, router=router), request)

    assert run.unserved == ("pay them", "file the rest")


async def test_a_quote_counts_once_in_any_spacing() -> None:
    """Spaces and line breaks of the request do not matter."""
    router = scripted("pay them", "pay  them")
    team = Team(name="t", description="…", members=[StubAgent("a")], router=router)
    run = await ask(team, "check the invoices and pay\n   them")

    assert run.unserved == ("pay them",)


async def test_a_task_that_names_its_members_is_not_judged() -> None:
    """Who addresses a member has chosen whom the words are for."""
    run = await run_team(office().assembled, Task(request=HALF, members=("invoices",)))

    assert (run.status, run.unserved) == ("ok", ())


async def say(team: Team, home: Path, words: str) -> Run:
    """Say `words` as the next turn of one thread."""
    with opened_engine(home / "state.db") as engine:
        options = RunOptions(home=home, thread_id="t", engine=engine)
        return await run_team(team.assembled, Task(request=words), options)


async def test_old_words_are_not_told_again(tmp_path: Path) -> None:
    """A follow-up carries the words of earlier turns; only what was typed now counts."""
    team = office()
    first = await say(team, tmp_path, HALF)
    second = await say(team, tmp_path, "and the totals of it?")

    assert first.unserved == ("pay them",)
    assert "pay them" in second.understood
    assert (second.status, second.unserved) == ("ok", ())


async def test_a_follow_up_is_judged_too(tmp_path: Path) -> None:
    """It goes to whoever answered before, less what it asks besides and nobody serves."""
    seen: list[str] = []
    team = office(lambda payload: seen.append(payload.request))
    await say(team, tmp_path, "check the invoices of May")
    run = await say(team, tmp_path, "is the VAT of it right? And book a flight to Jeju")

    assert (run.reason, run.unserved) == ("partly_served", ("book a flight to Jeju",))
    assert seen[1] == "check the invoices of May\nis the VAT of it right?"


async def test_a_pasted_text_is_no_wish() -> None:
    """Nobody types that many wishes: the text is what the wish before it is about."""
    text = "check the invoices\n" + "Send the reminder to the tenant of flat seven. " * 40
    run = await ask(office(), text)

    assert (run.status, run.unserved) == ("ok", ())


async def test_a_server_is_told_too() -> None:
    """What LangGraph's server shows of a run leaves out nothing that the run goes without."""
    graph = as_graph(office())
    shown = await graph.ainvoke({"request": HALF})

    assert (shown["unserved"], shown["left_out"], shown["cut"]) == (["pay them"], [], 0)


@pytest.mark.parametrize(
    ("first", "second", "given"),
    [
        ("Look up Olivia Grant ", "and tell me her balance", "and tell me Olivia Grant's balance"),
        ("Check ORDER_HIST, ", "who has access to it", "who has access to ORDER_HIST"),
        ("고객 박서연 씨를 찾고 ", "그분의 등급을 알려줘", "박서연의 등급을 알려줘"),
        ("PaymentBatch.java 분석하고 ", "그 파일이 쓰는 컬럼도", "PaymentBatch.java이 쓰는 컬럼도"),
        ("Look up Olivia Grant ", "and ask Sam Hill for his balance", ""),
        ("check the totals ", "and pay them", ""),
    ],
)
def test_a_pronoun_takes_the_name_of_the_clause_before(first: str, second: str, given: str) -> None:
    """Another member's clause is all that a worker sees, so a pronoun would name nobody."""
    goals = (Goal(member="a", request=first), Goal(member="b", request=second))
    router = ScriptedRouter(Decision(goals=goals, finish=True))
    members = [StubAgent("a"), StubAgent("b")]
    team = Team(name="desk", description="…", members=members, router=router)

    team.ask(first + second)

    assert members[0].calls[0].request == first
    assert members[1].calls[0].request == (given or second)
