"""Route by examples first, and ask a model only if the examples are in doubt."""

from typing import TYPE_CHECKING

from minerva_platform.contract.router import Decision, Router, RoutingView, prepare_router

if TYPE_CHECKING:
    from minerva_platform.routing.examples_router import EmbeddedRouter


class CascadeRouter:
    """Answers with the embedded router if that is sure, else with `in_doubt`.

    The embedded router is sure if its margin is as large as that of four in five examples which it
    had not seen (`ScoreThresholds.sure`). It may be sure that no member serves a request, but a
    part is never left out unasked. After a failure `in_doubt` is asked again only if the plan was
    its own: a failure does not make a sure choice doubtful.
    """

    learns_from_examples = True

    def __init__(self, embedded_router: "EmbeddedRouter", in_doubt: Router) -> None:
        self.embedded_router, self.in_doubt = embedded_router, in_doubt

    def prepare(self) -> None:
        """Train both routers before any run's clock starts."""
        self.embedded_router.prepare()
        prepare_router(self.in_doubt)

    def choose(self, request: str) -> Decision:
        """Decide for `request` by examples."""
        return self.embedded_router.choose(request)

    def is_sure(self, decision: Decision) -> bool:
        """True if no other decision is nearly as good."""
        return self.embedded_router.is_sure(decision)

    async def decide(self, view: RoutingView) -> Decision:
        """Return the decision of the examples, or of the model if they are in doubt."""
        if not view.results:
            decision = await self.embedded_router.decide(view)
            if self.is_sure(decision) and not decision.unserved:
                return decision
        return await self.in_doubt.decide(view)
