"""Find where a request asks for a part only, in another form or by another way."""

from minerva_platform.text import RESTRICTION_KINDS, restrictions_in

_KINDS = RESTRICTION_KINDS - {"column"}
"""A review names every column; `only` finds what would narrow it down to some."""


def spans_of_restrictions(request: str) -> tuple[tuple[int, int], ...]:
    """Return where the restrictions stand that a review does not honour."""
    return tuple((one.start, one.end) for one in restrictions_in(request, _KINDS))
