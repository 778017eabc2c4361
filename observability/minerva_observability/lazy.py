"""Export names that are imported when they are first used (PEP 562), so a package costs nothing.

A package writes `from … import Name as Name` for type checkers, and `lazy_names` reads these lines
for the running program.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(
    package: str, *, needs: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of `package`.

    `needs` is a pip requirement; if a library is missing, the `ModuleNotFoundError` tells the
    reader to install it.
    """
    home = _names_for_type_checkers(package)
    names = sorted(home)

    def find(name: str) -> Any:
        if name not in home:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        try:
            module = import_module(home[name])
        except ModuleNotFoundError as error:
            if not needs:
                raise
            message = f"{package}.{name} needs {error.name}. Type: pip install '{needs}'"
            raise ModuleNotFoundError(message, name=error.name) from error
        value = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return names, find, lambda: names


def _names_for_type_checkers(package: str) -> dict[str, str]:
    """Return the names that `package` imports as themselves, each with its module."""
    source = Path(str(sys.modules[package].__file__)).read_text("utf-8")
    return {
        name: module
        for module, names in re.findall(r"from (\S+) import (\([^)]+\)|.+)", source)
        for name in re.findall(r"(\w+) as \1\b", names)
    }
