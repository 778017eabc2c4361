import functools
import logging

log = logging.getLogger("loan")


def timed(fn):
    @functools.wraps(fn)
    def inner(*a, **kw):
        log.debug("%s %s %s", fn.__name__, a, kw)
        return fn(*a, **kw)

    return inner
