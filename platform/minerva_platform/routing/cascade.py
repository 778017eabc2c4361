"""Ask the examples first, and a model only where they leave a doubt."""

from typing import TYPE_CHECKING

from minerva_platform.routing.protocol import Decision, Router, RoutingView, prepare_router

if TYPE_CHECKING:
    from minerva_platform.routing.examples_router import EmbeddedRouter


class CascadeRouter:
    """The embedded router's answer when it is sure, else `in_doubt`'s.

    It is sure when every part of the request has a member, and its margin is above the one at
    which the members' examples, held out, found their own member in 98 of 100. After a failure
    `in_doubt` is asked: the examples would say the same again.
    """

    learns_from_examples = True

    def __init__(self, embedded: "EmbeddedRouter", in_doubt: Router) -> None:
        self.embedded, self.in_doubt = embedded, in_doubt

    def prepare(self) -> None:
        """Train both, before any clock runs."""
        self.embedded.prepare()
        prepare_router(self.in_doubt)

    def choose(self, request: str) -> Decision:
        """Decide for `request` by examples."""
        return self.embedded.choose(request)

    def is_sure(self, decision: Decision) -> bool:
        """True if the best member of `decision` is plainly ahead of the next."""
        return self.embedded.is_sure(decision)

    async def decide(self, view: RoutingView) -> Decision:
        """Answer from the examples, or let the model answer."""
        if not view.results:
            decision = await self.embedded.decide(view)
            if self._needs_no_model(decision):
                return decision.model_copy(update={"review": True})
        return await self.in_doubt.decide(view)

    def _needs_no_model(self, decision: Decision) -> bool:
        if not decision.goals or decision.unserved:
            return False
        return decision.margin is None or self.is_sure(decision)
