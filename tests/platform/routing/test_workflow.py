"""A workflow: members in a declared order, with conditions, choices, branches and joins."""

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
from minerva_platform.durable.run import run_team
from minerva_platform.planning.preview import foresee
from minerva_platform.routing import END, START, Choose, When, Workflow
from minerva_platform.runtime.options import RunOptions
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
    run = await run_team(team, Task(request=request), RunOptions(recorder=sink))
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
    assert "no connection" in run.answer
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


def raising(verdict: Verdict) -> bool:
    """Raise."""
    message = f"no such table: {verdict.kind}"
    raise LookupError(message)


@pytest.mark.parametrize(
    ("condition", "verdict", "cause"),
    [
        (raising, "fine", "failed: LookupError: no such table"),
        (is_fine, None, "reads the hand-off `office.verdict`, which nobody gave"),
    ],
    ids=["raises", "nothing to read"],
)
async def test_a_condition_that_cannot_be_evaluated_ends_the_run(
    condition: Callable[[Verdict], bool], verdict: str | None, cause: str
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
    """Somebody is chosen all the same, and the run says that the model did not."""
    with scripted_openai_server(lambda _: Reply(text="no idea")) as server:
        team = workflow({START: "load", "load": Choose("mail", "file")}, *reporters())
        team.model = model_at(server.url)
        run = await asked(team, "hm, whatever")

    assert called(run)[0] == "load"
    assert len(called(run)) == 2
    assert run.status == "ok_degraded"


async def test_the_order_is_foreseen_up_to_its_first_condition() -> None:
    """`minerva explain` calls nobody, so it knows no hand-off."""
    order = {START: ("a", "b"), "a": "validate", "b": "validate", "validate": LOAD_OR_NOT}
    plan = await foresee(workflow(order, Validate()), Task(request=REQUEST))

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
        ({START: ("a", "a"), "a": "b"}, "leads from `__start__` to `a` twice"),
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
    ids=[
        "no start",
        "stranger",
        "unreachable",
        "circle",
        "twice",
        "list",
        "choice",
        "kind",
        "type",
    ],
)
def test_a_workflow_that_cannot_be_is_refused_before_any_run(order: Any, problem: str) -> None:
    """`minerva check` says it, and so does the attempt to ask."""
    members = (StubAgent("a"), StubAgent("b"))
    team = Team(name="office", description="…", members=members, router=Workflow(order))

    assert [each for each in find_problems(team) if f"`office`: its workflow {problem}" in each]
    with pytest.raises(ContractError, match="its workflow"):
        team.ask(REQUEST)


def test_a_choice_without_examples_and_model_is_refused() -> None:
    """The sentence names who gives no examples, and what else would do."""
    team = workflow({START: "load", "load": Choose("mail", "file")}, *silent())

    with pytest.raises(SettingsError, match=r"among mail, file\. .*MINERVA_MODEL.* gives none"):
        team.prepare()


def test_a_drawing_shows_the_declared_edges() -> None:
    """With the conditions on them."""
    order = {START: "extract", "extract": "validate", "validate": LOAD_OR_NOT}

    diagram = workflow(order, Validate()).graph.get_graph(xray=True).draw_mermaid()

    assert "extract -.-> validate;" in diagram
    assert "Verdict: then" in diagram
    assert "Verdict: otherwise" in diagram
    assert "supervisor -.-> validate" not in diagram
