"""Export names that are imported when they are used (PEP 562), so that a package costs nothing.

A package imports its names twice: for type checkers alone, as `from … import Name as Name`, and by
`lazy_names` where it runs. `tests/test_public_api.py` compares the two.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], *, needs: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of `package`.

    `homes` gives, for each module inside the package, its names, separated by spaces. If a library
    is not installed, the error says to install `needs`.
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
