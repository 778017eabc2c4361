"""A workflow: members in a declared order, with conditions, choices, branches and joins."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from shapes import check_records, model_at

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    ContractError,
    Handoff,
    Run,
    SettingsError,
    Task,
    Team,
)
from minerva_platform.conversation.preview import foresee
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import END, START, Choose, When, Workflow
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import Reply, StubAgent, scripted_openai_server
from minerva_platform.validation.team_declarations import find_problems

REQUEST = "take over the file of Monday"


class Verdict(Handoff):
    """What a validation comes to."""

    kind = "office.verdict"
    is_fine: bool


class _Validated(AgentOutput):
    verdict: Verdict | None = None


class Validate(BaseAgent[AgentInput, _Validated]):
    """Finds fine what is asked, as often as it is told; later it is."""

    name, description = "validate", "Validates."

    def __init__(self, *verdicts: str | None) -> None:
        self.verdicts = list(verdicts)

    def work(self, given: AgentInput) -> _Validated:
        """Give the next verdict, or none."""
        said = self.verdicts.pop(0)
        verdict = None if said is None else Verdict(is_fine=said == "fine")
        return _Validated(summary=f"validated: {given.request}", verdict=verdict)


def broken(_: Any) -> None:
    """Fail."""
    message = "no connection"
    raise OSError(message)


def is_fine(verdict: Verdict) -> bool:
    """Read a verdict."""
    return verdict.is_fine


LOAD_OR_NOT = When(Verdict, is_fine, then="load", otherwise="quarantine")


def workflow(order: Any, *members: Any, **said: Any) -> Team:
    """Return a team of `members`, and of a plain worker for each other name in the order."""
    max_rounds = said.pop("max_rounds", None)
    router = Workflow(order, max_rounds)
    known = {member.name for member in members}
    edges = router.edges if START in order else ()
    others = dict.fromkeys(edge.target for edge in edges if edge.target not in {*known, END})
    team = (*members, *map(StubAgent, others))
    return Team(name="office", description="Files.", members=team, router=router, **said)


async def asked(team: Team, request: str = REQUEST) -> Run:
    """Ask a team once; the run agrees with its records."""
    sink = MemorySink()
    run = await run_team(team.assembled, Task(request=request), RunOptions(recorder=sink))
    check_records(run, sink.records)
    return run


def called(run: Run) -> list[str]:
    """Return the calls of workers in order, by the last part of their paths."""
    return [hop.path.rpartition("/")[2] for hop in run.hops]


@pytest.mark.parametrize(("fine", "branch"), [("fine", "load"), ("bad", "quarantine")])
async def test_a_condition_takes_one_branch(fine: str, branch: str) -> None:
    """What the hand-off says decides; the other branch is not called, and nothing is degraded."""
    order = {START: "extract", "extract": "validate", "validate": LOAD_OR_NOT}

    run = await asked(workflow(order, Validate(fine)))

    assert (run.status, called(run)) == ("ok", ["extract", "validate", branch])
    assert run.answer == f"{branch} answered"


async def test_every_member_is_asked_the_whole_request() -> None:
    """No router cuts it."""
    heard: list[str] = []

    def listen(given: Any) -> None:
        heard.append(given.request)

    request = "take over the file of Monday, and then count the pages"
    await asked(workflow({START: "one", "one": "two"}, StubAgent("two", behave=listen)), request)

    assert heard == [request]


async def test_a_join_waits_for_all_branches_that_were_started() -> None:
    """A short branch waits for a long one; the join is called once."""
    order = {
        START: ("short", "long"),
        "short": "join",
        "long": "longer",
        "longer": "join",
        "join": END,
    }
    run = await asked(workflow(order))

    assert sorted(called(run)[:2]) == ["long", "short"]
    assert called(run)[2:] == ["longer", "join"]
    assert run.answer == "join answered"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            {
                START: ("write", "draw"),
                "write": "validate",
                "draw": "colour",
                "colour": "validate",
                "validate": When(Verdict, is_fine, then=END, otherwise=("write", "draw")),
            },
            "write draw colour validate write#2 draw#2 colour#2 validate#2",
        ),
        (
            {
                START: "plan",
                "plan": ("write", "draw"),
                "write": "validate",
                "draw": "validate",
                "validate": When(Verdict, is_fine, then=END, otherwise="write"),
            },
            "plan write draw validate write#2 validate#2",
        ),
    ],
    ids=["two ways back", "a way back to one branch"],
)
async def test_a_join_in_a_circle_waits_in_each_round(order: Any, expected: str) -> None:
    """It is called once a round; the way back, to a member declared above, is not waited for."""
    run = await asked(workflow(order, Validate("bad", "fine"), max_rounds=12))

    assert called(run) == expected.split()
    assert run.status == "ok"


class Gate(BaseAgent[AgentInput, _Validated]):
    """Gives a verdict, always the same."""

    description = "Gives a verdict."

    def __init__(self, name: str, verdict: str | None) -> None:
        self.name, self.verdict = name, verdict

    def work(self, given: AgentInput) -> _Validated:
        """Give it."""
        fine = self.verdict == "fine"
        verdict = None if self.verdict is None else Verdict(is_fine=fine)
        return _Validated(summary=given.request, verdict=verdict)


class _Reads(AgentInput):
    verdict: Verdict


class Reader(BaseAgent[_Reads, AgentOutput]):
    """Says what it was given."""

    description = "Reads a verdict."

    def __init__(self, name: str) -> None:
        self.name = name

    def work(self, given: _Reads) -> AgentOutput:
        """Say it."""
        return AgentOutput(summary=f"{self.name} read {given.verdict.is_fine}")


async def test_each_branch_reads_what_its_own_members_gave() -> None:
    """Conditions and members alike; what the branch beside it gave is not theirs."""
    order = {
        START: ("one", "two"),
        "one": When(Verdict, is_fine, then="reader_one", otherwise="wrong"),
        "two": When(Verdict, is_fine, then="wrong", otherwise="reader_two"),
    }
    readers = (Reader("reader_one"), Reader("reader_two"))
    run = await asked(workflow(order, Gate("one", "fine"), Gate("two", "bad"), *readers))

    assert (run.status, sorted(called(run))) == ("ok", ["one", "reader_one", "reader_two", "two"])
    assert "reader_one read True" in run.answer
    assert "reader_two read False" in run.answer


async def test_a_substitute_reads_what_led_to_the_member_it_stands_for() -> None:
    """The branch beside it gave its verdict later."""
    order = {START: ("one", "two"), "one": "reader", "two": END}
    reader = StubAgent("reader", needs=(Verdict,), behave=broken)
    members = (Gate("one", "fine"), Gate("two", "bad"), reader, Reader("other"))

    run = await asked(workflow(order, *members, substitutes={"reader": "other"}))

    assert called(run)[2:] == ["reader", "other"]
    assert "other read True" in run.answer


async def test_a_member_that_may_give_a_verdict_and_does_not_decides_nothing() -> None:
    """That of an earlier member is not in its place."""
    order = {START: "one", "one": "two", "two": LOAD_OR_NOT}

    run = await asked(workflow(order, Gate("one", "fine"), Gate("two", None)))

    assert (run.reason, called(run)) == ("bad_decision", ["one", "two"])
    assert "which nobody gave" in run.answer
    assert "`office/load`: its turn never came" in run.answer


async def test_an_export_that_went_round_its_audit_is_named() -> None:
    """It stays inside, and the run says why."""
    order = {START: "one", "one": When(Verdict, is_fine, then="auditor", otherwise=END)}
    told = {"exports": (Verdict,), "audits": {"office.verdict": "auditor"}}

    run = await asked(workflow(order, Gate("one", "bad"), **told))

    assert (run.status, run.handoffs) == ("ok_degraded", {})
    (entry,) = run.bypassed
    assert "stays inside, because `auditor` did not audit it" in entry.cause


async def test_a_join_does_not_wait_for_a_branch_that_was_not_taken() -> None:
    """A condition that leads elsewhere leaves the join to the branches that were started."""
    order = {
        START: ("validate", "other"),
        "validate": When(Verdict, is_fine, then="load", otherwise=END),
        "load": "join",
        "other": "join",
    }
    run = await asked(workflow(order, Validate("bad")))

    assert sorted(called(run)) == ["join", "other", "validate"]
    assert run.status == "ok"


async def test_a_failing_step_stops_what_follows_it_alone() -> None:
    """The other branch goes on to the join; each step that never came is named with its cause."""
    order = {START: ("a", "b"), "a": "after_a", "after_a": "join", "b": "join"}

    run = await asked(workflow(order, StubAgent("a", behave=broken)))

    assert (run.status, called(run)) == ("ok_degraded", ["a", "b", "join"])
    assert run.answer.startswith("join answered")
    (failed, skipped) = run.bypassed
    assert (failed.path, failed.action) == ("office/a", "bypassed")
    assert (skipped.path, skipped.action) == ("office/after_a", "skipped")
    assert skipped.because_of == "office/a"


async def test_a_failing_first_step_fails_the_run() -> None:
    """Nothing was done, so the run says why, and what did not come to its turn."""
    run = await asked(workflow({START: "a", "a": "b"}, StubAgent("a", behave=broken)))

    assert (run.status, called(run)) == ("failed", ["a"])
    assert "no connection" in run.bypassed[0].cause
    assert "`office/b`: its turn never came" in run.answer


async def test_a_substitute_goes_on_in_the_order() -> None:
    """It need not stand in the order itself."""
    members = (StubAgent("a", behave=broken), StubAgent("other_a"))
    team = workflow({START: "a", "a": "b"}, *members, substitutes={"a": "other_a"})

    run = await asked(team)

    assert (run.status, called(run)) == ("ok_degraded", ["a", "other_a", "b"])
    assert run.answer.startswith("b answered")


async def test_a_circle_goes_on_until_its_condition_ends_it() -> None:
    """The condition reads what the latest call gave."""
    order = {
        START: "mend",
        "mend": "validate",
        "validate": When(Verdict, is_fine, then=END, otherwise="mend"),
    }
    run = await asked(workflow(order, Validate("bad", "bad", "fine"), max_rounds=9))

    assert called(run) == ["mend", "validate", "mend#2", "validate#2", "mend#3", "validate#3"]
    assert run.status == "ok"


async def test_a_circle_ends_at_its_bound() -> None:
    """With what is there, and with the bound's name."""
    order = {
        START: "validate",
        "validate": When(Verdict, is_fine, then=END, otherwise="mend"),
        "mend": "validate",
    }
    run = await asked(workflow(order, Validate(*["bad"] * 9), max_rounds=4))

    assert called(run) == ["validate", "mend", "validate#2", "mend#2"]
    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert "max_rounds" in run.answer


def said_no(verdict: Verdict) -> str:
    """Return what is no bool."""
    return "no" if verdict else "nothing"


def raising(verdict: Verdict) -> bool:
    """Raise."""
    message = f"no such table: {verdict.kind}"
    raise LookupError(message)


@pytest.mark.parametrize(
    ("condition", "verdict", "cause"),
    [
        (raising, "fine", "failed: LookupError: no such table"),
        (is_fine, None, "reads the hand-off `office.verdict`, which nobody gave"),
        (said_no, "fine", "must return True or False; it returned 'no'"),
    ],
    ids=["raises", "nothing to read", "no bool"],
)
async def test_a_condition_that_cannot_be_evaluated_ends_the_run(
    condition: Callable[[Verdict], object], verdict: str | None, cause: str
) -> None:
    """Neither branch is taken; the answer names team, member, file and line."""
    order = {
        START: "validate",
        "validate": When(Verdict, condition, then="load", otherwise="quarantine"),
    }
    run = await asked(workflow(order, Validate(verdict)))

    assert (run.status, run.reason) == ("ok_degraded", "bad_decision")
    assert called(run) == ["validate"]
    assert "The condition after `validate` in `office`" in run.answer
    assert f"test_workflow.py:{condition.__code__.co_firstlineno}" in run.answer
    assert cause in run.answer


async def test_a_broken_condition_leaves_the_other_branches_to_go_on() -> None:
    """What they do is the answer, and the condition's failure stands after it."""
    order = {
        START: ("validate", "other"),
        "validate": When(Verdict, raising, then="load", otherwise="quarantine"),
        "other": "another",
    }
    run = await asked(workflow(order, Validate("fine")))

    assert (run.status, run.reason) == ("ok_degraded", "bad_decision")
    assert called(run)[2:] == ["another"]
    assert "another answered" in run.answer
    assert "no such table" in run.answer


async def test_what_an_earlier_call_gave_decides_nothing_later() -> None:
    """The second call gave no verdict, so the first one's is old."""
    order = {
        START: "validate",
        "validate": When(Verdict, is_fine, then=END, otherwise="mend"),
        "mend": "validate",
    }
    run = await asked(workflow(order, Validate("bad", None), max_rounds=9))

    assert called(run) == ["validate", "mend", "validate#2"]
    assert "which nobody gave" in run.answer


MAILS = ("mail the report", "send the report by mail", "mail it to the office", "post it by mail")
FILES = (
    "file the report",
    "put the report into the archive",
    "keep it on paper",
    "store the paper",
)


def reporters() -> tuple[StubAgent, StubAgent]:
    """Return two members to choose from."""
    mail, file = StubAgent("mail"), StubAgent("file")
    mail.examples, file.examples = MAILS, FILES
    return mail, file


def silent() -> tuple[StubAgent, StubAgent]:
    """Return the same members without examples."""
    mail, file = reporters()
    mail.examples = file.examples = ()
    return mail, file


@pytest.mark.parametrize(
    ("request_", "chosen"), [("mail the report", "mail"), ("keep the report on paper", "file")]
)
async def test_examples_choose(request_: str, chosen: str) -> None:
    """Without a model, the request decides by the members' examples."""
    team = workflow({START: "load", "load": Choose("mail", "file")}, *reporters())

    run = await asked(team, request_)

    assert (run.status, called(run)) == ("ok", ["load", chosen])


async def test_a_model_chooses_where_there_are_no_examples() -> None:
    """It is asked once, and sees the two members alone."""
    reply = Reply(json={"goals": [{"member": "file", "request": "x"}]})
    with scripted_openai_server([reply]) as server:
        team = workflow({START: "load", "load": Choose("mail", "file")}, *silent())
        team.model = model_at(server.url)
        run = await asked(team, "do what is right")

    assert (run.status, called(run)) == ("ok", ["load", "file"])
    (call,) = server.calls
    assert "- load" not in call.prompt


async def test_a_model_that_fails_leaves_the_choice_to_examples() -> None:
    """Somebody is chosen all the same, and the run object says that the model did not."""
    with scripted_openai_server(lambda _: Reply(text="no idea")) as server:
        team = workflow({START: "load", "load": Choose("mail", "file")}, *reporters())
        team.model = model_at(server.url)
        run = await asked(team, "hm, whatever")

    assert called(run)[0] == "load"
    assert len(called(run)) == 2
    assert run.status == "ok"


async def test_a_model_that_chooses_nobody_leaves_the_choice_to_examples() -> None:
    """The run says so; without examples the branch ends, and names the members."""
    order = {START: "load", "load": Choose("mail", "file")}
    with scripted_openai_server(lambda _: Reply(json={"goals": []})) as server:
        teams = [workflow(order, *reporters()), workflow(order, *silent())]
        for team in teams:
            team.model = model_at(server.url)
        by_examples, by_nobody = [await asked(team, "hm, whatever") for team in teams]

    assert (by_examples.status, len(called(by_examples))) == ("ok", 2)
    assert "so the examples chose" in by_examples.bypassed[0].cause
    assert (by_nobody.reason, called(by_nobody)) == ("bad_decision", ["load"])
    assert "the model chose none of mail, file" in by_nobody.answer


async def test_the_order_is_foreseen_up_to_its_first_condition() -> None:
    """`minerva explain` calls nobody, so it knows no hand-off."""
    order = {START: ("a", "b"), "a": "validate", "b": "validate", "validate": LOAD_OR_NOT}
    plan = await foresee(workflow(order, Validate()).assembled, Task(request=REQUEST))

    stages = [[call.path for call in stage] for stage in plan.stages]
    assert stages == [["office/a", "office/b"], ["office/validate"]]


@pytest.mark.usefixtures("minerva_home")
async def test_a_follow_up_goes_through_the_whole_order() -> None:
    """No member of a workflow is called out of its turn."""
    team = workflow({START: "one", "one": "two"})

    await team.aask(REQUEST, thread="t1")
    second = await team.aask("and its length?", thread="t1")

    assert called(second) == ["one", "two"]


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ({"a": "b"}, "has no START"),
        ({START: "a", "a": "nobody"}, "names `nobody`, which is no member"),
        ({START: "a"}, "never reaches `b`"),
        ({START: "a", "a": "b", "b": "a"}, "goes in a circle (a, b) without a bound"),
        ({START: ("a", "a"), "a": "b"}, "leads from START to `a` twice"),
        ({START: "a", "a": "b", "b": START}, "leads to START, where nobody works"),
        ({START: "a", "a": "b", END: "a"}, "says what follows END"),
        ({START: "a", "a": "b", "b": "END"}, "names `END`, which is no member; write END (from"),
        ([(START, "a")], "is [('__start__', 'a')]; write a dict"),
        ({START: "a", "a": Choose("b", END)}, "has a Choose of 'b', '__end__'; name members"),
        ({START: "a", "a": Choose(["a", "b"])}, "has a Choose of ['a', 'b']; name members"),  # type: ignore[arg-type]  # the mistake
        ({START: "a", "a": ["b"]}, "has ['b'] after `a`; write a member"),
        ({START: "a", "a": Choose("b")}, "has a Choose of b; name two members or more"),
        (
            {START: "a", "a": When(Verdict, is_fine, then="b", otherwise=END)},
            "has a condition on `office.verdict`, a hand-off that no member gives",
        ),
        (
            {START: "a", "a": When(int, bool, then="b", otherwise=END)},
            "has a condition on <class 'int'>, which is no hand-off",
        ),
    ],
)
def test_a_workflow_that_cannot_be_is_refused_before_any_run(order: Any, problem: str) -> None:
    """`minerva check` says it, and so does the attempt to ask."""
    members = (StubAgent("a"), StubAgent("b"))
    team = Team(name="office", description="…", members=members, router=Workflow(order))

    assert [
        each
        for each in find_problems(team.assembled)
        if f"`office`: its workflow {problem}" in each
    ]
    with pytest.raises(ContractError, match="its workflow"):
        team.ask(REQUEST)


@pytest.mark.parametrize(
    ("test", "problem"),
    [
        (True, "whose test is True; write a function of one hand-off"),
        (lambda: True, "write a function of one hand-off"),
        (lambda one, two: one is two, "write a function of one hand-off"),
        (asyncio.sleep, "whose test is a coroutine function"),
    ],
    ids=["no function", "no parameter", "two parameters", "coroutine"],
)
def test_a_condition_that_can_never_be_asked_is_found_before_any_run(
    test: Any, problem: str
) -> None:
    """Not at the moment when it decides."""
    order = {START: "validate", "validate": When(Verdict, test, then="load", otherwise=END)}

    assert [
        each for each in find_problems(workflow(order, Validate()).assembled) if problem in each
    ]


@pytest.mark.parametrize("bound", [0, -1, 2.5, "3"])
def test_a_bound_is_a_whole_number(bound: Any) -> None:
    """Anything else is named with the team, in a sentence."""
    team = workflow({START: "a", "a": "b"}, max_rounds=bound)

    assert [each for each in find_problems(team.assembled) if f"max_rounds={bound!r}" in each]


def test_a_class_is_no_shape() -> None:
    """The sentence says how to write one."""
    team = Team(name="office", description="…", members=(StubAgent("a"),), router=Workflow)  # type: ignore[arg-type]  # the mistake

    assert [each for each in find_problems(team.assembled) if "`Workflow({…})`" in each]


def test_a_choice_without_examples_and_model_is_refused() -> None:
    """The sentence names who gives no examples, and what else would do."""
    team = workflow({START: "load", "load": Choose("mail", "file")}, *silent())

    with pytest.raises(SettingsError, match=r"among mail, file\. .*MINERVA_MODEL.* gives none"):
        team.assembled.prepare()


def test_a_drawing_shows_the_declared_edges() -> None:
    """With the conditions on them."""
    order = {START: "extract", "extract": "validate", "validate": LOAD_OR_NOT}

    diagram = workflow(order, Validate()).graph.get_graph(xray=True).draw_mermaid()

    assert "extract -.-> validate;" in diagram
    assert "Verdict: then" in diagram
    assert "Verdict: otherwise" in diagram
    assert "supervisor -.-> validate" not in diagram
