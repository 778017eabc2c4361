"""Choose who serves a request: the router seam and the offline router."""

from minerva_platform.routing.errors import (
    MissingExamplesError,
    RoutingError,
    UnknownMemberError,
)
from minerva_platform.routing.protocol import (
    Decision,
    Goal,
    MemberCard,
    ResultSummary,
    Router,
    RoutingView,
    check_decision,
)

__all__ = [
    "Decision",
    "Goal",
    "MemberCard",
    "MissingExamplesError",
    "ResultSummary",
    "Router",
    "RoutingError",
    "RoutingView",
    "UnknownMemberError",
    "check_decision",
]
