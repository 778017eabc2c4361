"""How often somebody may come: a bucket for each, in bounded memory."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.types import Scope

from minerva_platform.server.problems import ProblemError

_MAX_BUCKETS: Final = 10_000


@dataclass(slots=True)
class Rate:
    """Counts what somebody does, by who it is."""

    per_second: float
    burst_s: float = 10.0
    """As much as in so many seconds may come at once."""
    monotonic: Callable[[], float] = time.monotonic
    _buckets: "OrderedDict[str, tuple[float, float]]" = field(
        default_factory=OrderedDict[str, tuple[float, float]]
    )

    def wait_of(self, key: str, *, costs: float = 1.0) -> float:
        """Count one; return the seconds after which the next one may come: 0 for now."""
        now, most = self.monotonic(), max(1.0, self.per_second * self.burst_s)
        left, at = self._buckets.pop(key, (most, now))
        left = min(most, left + (now - at) * self.per_second)
        is_allowed = left >= 1.0
        self._buckets[key] = (left - costs if is_allowed else left, now)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1.0 - left) / self.per_second

    def check(self, key: str, name: str, detail: str, *, costs: float = 1.0) -> None:
        """Count one; what costs nothing only looks whether one may come.

        Raises:
            ProblemError: 429, it is one too many.
        """
        if (wait := self.wait_of(key, costs=costs)) > 0:
            after = {"Retry-After": str(max(1, round(wait)))}
            raise ProblemError(429, name, detail, headers=after)


def address_of(scope: Scope) -> str:
    """Return where a request comes from; of IPv6 the network, for one customer has all of it."""
    host = str(scope["client"][0]) if scope.get("client") else ""
    if ":" not in host:
        return host
    address = ipaddress.IPv6Address(host)
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address), 64), strict=False))
