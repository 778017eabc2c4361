import audit
import audit.trace as at
from audit import traced as t
from audit.trace import Tracer, traced


@traced(level=10)
def one() -> int:
    return 1


@at.traced
@audit.traced
def two() -> int:
    return 2


@t
def three() -> int:
    return 3


class Task:
    @traced
    def run(self) -> None:
        Tracer().traced("x")

    @staticmethod
    @traced(level=20)
    def stop() -> None:
        pass

    wrapped = traced(len)


DECORATORS = [traced]


def apply(function, decorators=DECORATORS):
    for decorate in decorators:
        function = decorate(function)
    return function


quick = traced(lambda: None)
