import argparse
import operator
from functools import partial, reduce

from . import ops
from .ops import add

inc = partial(add, 1)
OPS = {"+": ops.add, "-": operator.sub}


def main(argv=None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    seen = set()
    seen.add(1)
    args = parser.parse_args(argv)
    try:
        return ops.add(args.n, inc(2))
    except TypeError:
        return add("a", "b")
    finally:
        print(reduce(add, [1, 2, 3]))


async def later() -> int:
    value = add(1, 2) if add(1, 1) else 0
    return await wrap(add(*[1, 2], **{}))


async def wrap(value: int) -> int:
    return value


if __name__ == "__main__":
    raise SystemExit(main())
