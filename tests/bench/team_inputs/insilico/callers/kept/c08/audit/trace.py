import functools
import logging

log = logging.getLogger(__name__)


def traced(function=None, *, level=logging.INFO):
    if function is None:
        return functools.partial(traced, level=level)

    @functools.wraps(function)
    def inner(*args, **kwargs):
        log.log(level, function.__name__)
        return function(*args, **kwargs)

    return inner


@traced
def ping() -> str:
    return "pong"


class Tracer:
    def traced(self, text: str) -> str:
        return text

    def twice(self) -> str:
        return self.traced("a") + self.traced("b")
