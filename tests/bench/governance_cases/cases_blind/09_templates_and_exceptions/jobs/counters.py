import logging
from collections import Counter

log = logging.getLogger("counters")


def by_state(states: list[str]) -> Counter:
    found = Counter(states)
    for state, number in found.most_common():
        log.info("state %s: %d", state, number)
    return found


def email_bounces(email_bounce_count: int, batch_name: str) -> None:
    log.warning("%d bounces in batch %s", email_bounce_count, batch_name)
