import logging

log = logging.getLogger("emberfall.match")


def rating(wins: int, losses: int) -> float:
    return 1000 + 16 * (wins - losses)


def pair(queue):
    """Pair players of a similar rating."""
    queue = sorted(queue, key=lambda entry: entry.rating)
    pairs = list(zip(queue[::2], queue[1::2]))
    log.info("paired %d of %d waiting", 2 * len(pairs), len(queue))
    return pairs
