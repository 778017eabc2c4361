"""Errors of routers, each with the way out.

RoutingError
├── UnknownMemberError      the decision leaves the supervisor's own members
├── RouterLimitError        the router's own bound ends the visit
├── ConditionError          a condition of a workflow cannot be evaluated
└── MissingExamplesError    the embedded router has nothing to learn a member from
"""

from collections.abc import Iterable

from minerva_platform.errors import MinervaError

_SHOWN = 80
"""Characters of a member's name that an error shows. A model may answer with 10 MB."""


class RoutingError(MinervaError):
    """A request could not be routed by this supervisor."""


class UnknownMemberError(RoutingError):
    """The router named a member that the supervisor does not have.

    Names match exactly or not at all: another case, a space or a look-alike
    letter is another name.
    """

    def __init__(self, member: str, members: Iterable[str]) -> None:
        self.member = member
        self.members = tuple(members)
        shown = ascii(member[:_SHOWN])
        super().__init__(
            f"{shown} is not a member of this supervisor; "
            f"the router must choose among: {', '.join(self.members) or '(no members)'}."
        )


class RouterLimitError(RoutingError):
    """A bound that the router keeps itself ends the visit, with what is there."""

    def __init__(self, message: str, korean: str) -> None:
        self.korean = korean
        super().__init__(message)


class ConditionError(RoutingError):
    """A condition of a workflow raised, or what it reads is not there."""

    def __init__(self, message: str, korean: str) -> None:
        self.korean = korean
        super().__init__(message)


class MissingExamplesError(RoutingError):
    """A member gives no example request, so the embedded router can never choose it."""

    def __init__(self, members: Iterable[str]) -> None:
        self.members = tuple(members)
        super().__init__(
            f"No examples to learn from: {', '.join(self.members)}. "
            "Give each at least 10 requests in `examples`, in the words people use."
        )
