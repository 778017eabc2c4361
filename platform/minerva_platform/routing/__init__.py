"""Choose the members that serve a request: the router protocol, and what a router sees."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.config.router_spec import Dispatch as Dispatch, Tools as Tools
    from minerva_platform.contract.router import (
        Decision as Decision,
        Evidence as Evidence,
        ExamplesRouter as ExamplesRouter,
        Goal as Goal,
        MemberCard as MemberCard,
        ResultSummary as ResultSummary,
        Round as Round,
        Router as Router,
        RouterTraits as RouterTraits,
        RoutingView as RoutingView,
        TrainedRouter as TrainedRouter,
        check_decision as check_decision,
    )
    from minerva_platform.errors import (
        MissingExamplesError as MissingExamplesError,
        RoutingError as RoutingError,
        UnknownMemberError as UnknownMemberError,
    )
    from minerva_platform.routing.shapes.network import Network as Network
    from minerva_platform.routing.shapes.shape import END as END, START as START
    from minerva_platform.routing.shapes.workflow import (
        Choose as Choose,
        When as When,
        Workflow as Workflow,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
