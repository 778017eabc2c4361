"""The place of an error in the worker's own code: file, line and function, but no values.

The frames of the platform, of LangGraph and of installed libraries only say how the worker was
called. Paths begin at the package, so that no record holds a person's folders.
"""

import inspect
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Final

_FRAMEWORK: Final = frozenset(
    {"langchain", "langchain_core", "langgraph", "langsmith", "minerva_observability"}
    | {"minerva_platform"}
)
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_MAX_CAUSES: Final = 10


def location_of(error: BaseException, package: str = "") -> str | None:
    """Return `minerva_finance/invoice_agent.py:88, in read`, or None if no own code is in it.

    The innermost frame counts. Frames of `package` are the worker's own wherever it is installed;
    any other counts if it is in no library. An error without one is looked up in its cause.
    """
    for raised in _causes(error):
        own = [
            (frame, line)
            for frame, line in walk_tb(raised.__traceback__)
            if _is_own(frame, package)
        ]
        if own:
            return _frame_text(*own[-1])
    return None


def location_in(frame: FrameType) -> str | None:
    """Return the place of a member's own code at which a stack is; `frame` is the innermost.

    What the framework has called is the member's, wherever it is installed; libraries below it are
    those of another package.
    """
    own: list[tuple[FrameType, int]] = []
    for each, line in walk_stack(frame):
        if _top(_module(each)) not in _FRAMEWORK:
            if not each.f_code.co_filename.startswith(("<", *_standard_library())):
                own.append((each, line))
        elif own:
            break
    package = _top(_module(own[-1][0])) if own else ""
    return next((_frame_text(*each) for each in own if _top(_module(each[0])) == package), None)


def location_of_class(declaration: type) -> str | None:
    """Return the place of the class `declaration`: `minerva_finance/contracts.py:12`.

    None if it is one of the platform's own, or if there is no source to look at.
    """
    if _top(declaration.__module__) in _FRAMEWORK:
        return None
    try:
        file, line = inspect.getsourcefile(declaration), inspect.getsourcelines(declaration)[1]
    except (OSError, SyntaxError, TypeError):  # compiled, changed since, or made on the spot
        return None
    return f"{short_path(file, declaration.__module__)}:{line}" if file else None


def package_of(thing: object) -> str:
    """Return the top-level package of a class, of a function, or of an object's class."""
    return _top(str(thing.__module__))


def _causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(_MAX_CAUSES):  # a cause may lead back to its error
        if current is None:
            return
        yield current
        current = current.__cause__


def _is_own(frame: FrameType, package: str) -> bool:
    top, file = _top(_module(frame)), frame.f_code.co_filename
    if top in _FRAMEWORK or file.startswith("<"):
        return False
    if top == package:
        return True
    return not file.startswith(_standard_library()) and _INSTALLED.isdisjoint(PurePath(file).parts)


def _frame_text(frame: FrameType, line: int) -> str:
    name = frame.f_code.co_name
    place = f"{short_path(frame.f_code.co_filename, _module(frame))}:{line}"
    return place if name == "<module>" else f"{place}, in {name}"


def short_path(file: str, module: str) -> str:
    """Return `file` from the top-level package of `module` on; its name if it is elsewhere."""
    path = PurePath(file)
    names = module.split(".")
    stem = path.parent if path.name == "__init__.py" else path.with_suffix("")
    if names != list(stem.parts[-len(names) :]):
        return path.name
    depth = len(path.parts) - len(stem.parts) + len(names)
    return PurePath(*path.parts[-depth:]).as_posix()


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _top(module: str) -> str:
    return module.partition(".")[0]


@cache
def _standard_library() -> tuple[str, ...]:
    return tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib")})
