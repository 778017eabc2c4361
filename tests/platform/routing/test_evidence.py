"""What speaks for a member beside the words: it counts where it belongs, and it is told."""

from collections.abc import Sequence

import pytest

from minerva_observability import MemorySink
from minerva_platform import Attachment, Task, Team
from minerva_platform.conversation.preview import foresee, foresee_turn
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Evidence, MemberCard, RoutingView
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import StubAgent

BIKES = (
    "repair my bicycle",
    "the chain of the bike is loose",
    "fix the brakes",
    "mend a flat tyre",
)
BOOKS = ("lend me a novel", "is this book in the library", "extend my loan", "find a book on ships")
UNCLEAR = "look at my Merida"


class Knowing(StubAgent):
    """Knows some names, and may have a bug in saying so."""

    def __init__(
        self, name: str, examples: tuple[str, ...], *names: str, bug: bool = False
    ) -> None:
        super().__init__(name)
        self.examples, self._names, self._bug = examples, names, bug

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:  # noqa: ARG002
        """Speak for itself where one of its names is."""
        if self._bug:
            raise LookupError(request)
        found = tuple(name for name in self._names if name in request)
        return Evidence(score=1 if found else 0, why=f"knows {found}" if found else "", words=found)


def view(request: str, **evidence: Evidence) -> RoutingView:
    """Return what a router over bikes and books sees."""
    cards = [
        MemberCard(name="bikes", description="…", examples=BIKES),
        MemberCard(name="books", description="…", examples=BOOKS),
    ]
    return RoutingView(request=request, members=tuple(cards), evidence=evidence)


@pytest.fixture(scope="module")
def router() -> EmbeddedRouter:
    """The router over both."""
    return EmbeddedRouter(view("").members, subjects=True)


@pytest.mark.parametrize("member", ["bikes", "books"])
async def test_evidence_decides_what_the_words_leave_open(
    router: EmbeddedRouter, member: str
) -> None:
    """And changes nothing for the next request."""
    before = await router.decide(view(UNCLEAR))
    told = await router.decide(view(UNCLEAR, **{member: Evidence(score=1, words=("merida",))}))

    assert before.goals == ()
    assert [goal.member for goal in told.goals] == [member]
    assert await router.decide(view(UNCLEAR)) == before


async def test_it_speaks_only_for_the_part_that_holds_its_words(router: EmbeddedRouter) -> None:
    """The other part goes where it went."""
    request = "fix the brakes, then find my Merida"
    told = await router.decide(view(request, books=Evidence(score=1, words=("Merida",))))

    assert [goal.member for goal in told.goals] == ["bikes", "books"]


async def test_clear_words_are_stronger(router: EmbeddedRouter) -> None:
    """A name that another member knows draws no clear request away."""
    told = await router.decide(view(BIKES[0], books=Evidence(score=1)))

    assert [goal.member for goal in told.goals] == ["bikes"]


@pytest.mark.slow
async def test_a_team_has_the_evidence_of_its_members_and_a_bug_counts_as_nothing() -> None:
    """Both are said in the decision, of the forecast and of the run, and on record."""
    bikes = Team(name="shop", description="…", members=[Knowing("bikes", BIKES, "Merida")])
    books = Team(name="library", description="…", members=[Knowing("books", BOOKS, bug=True)])
    root = Team(name="town", description="…", members=[bikes, books])
    sink = MemorySink()
    plan = await foresee(root.assembled, Task(request=UNCLEAR))
    run = await run_team(root.assembled, Task(request=UNCLEAR), options=RunOptions(recorder=sink))
    routes = [record.decision or {} for record in sink.records if record.kind == "route"]

    assert plan.decision is not None
    assert plan.decision.evidence == {
        "shop": "knows ('Merida',)",
        "library": "its evidence failed: LookupError",
    }
    assert [call.path for stage in plan.stages for call in stage] == ["town/shop"]
    assert run.status == "ok"
    assert [route["goals"] for route in routes] == [["shop"], ["bikes"]]
    assert [route.get("evidence") for route in routes] == [["library", "shop"], ["bikes"]]


async def test_who_asks_about_things_that_a_member_knows_makes_no_small_talk() -> None:
    """What can be done here is asked for; with a member's names beside it, it is a request."""
    members = [Knowing("bikes", BIKES, "Merida"), Knowing("books", BOOKS)]
    team = Team(name="shop", description="…", members=members).assembled

    async def is_small_talk(request: str) -> bool:
        return (await foresee_turn(team, Task(request=request))).is_small_talk

    assert not await is_small_talk("what can you do about Merida?")
    assert await is_small_talk("what can you do about it?")
