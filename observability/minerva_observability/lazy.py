"""Export names that are imported when they are first used (PEP 562), so a package costs nothing.

A package lists its names twice: as `from … import Name as Name` for type checkers, and in
`lazy_names` for the running program. `tests/test_public_api.py` compares the two lists.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], *, needs: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of `package`.

    `homes` maps each module, relative to the distribution's root package, to the names it exports,
    separated by spaces. `needs` is a pip requirement; if a library is missing, the
    `ModuleNotFoundError` tells the reader to install it.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}
    names = sorted(home)

    def find(name: str) -> Any:
        if name not in home:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        try:
            module = import_module(f"{package.partition('.')[0]}.{home[name]}")
        except ModuleNotFoundError as error:
            if not needs:
                raise
            message = f"{package}.{name} needs {error.name}. Type: pip install '{needs}'"
            raise ModuleNotFoundError(message, name=error.name) from error
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return names, find, lambda: names
