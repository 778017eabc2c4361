"""Where a request asks for a part only, in another form or by another way."""

from minerva_platform.text import RESTRICTION_KINDS, restrictions_in

_KINDS = RESTRICTION_KINDS - {"column"}
"""A review names every column; `only` finds what would narrow it down to some."""


def restrictions_of(request: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of each restriction that a review does not honour."""
    return tuple((one.start, one.end) for one in restrictions_in(request, _KINDS))
