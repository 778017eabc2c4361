"""The library of this name, loaded when it is first asked.

jsonschema imports it where it is installed, as it is beside an SBOM's validator. It then builds 38
grammars: 1.5 s of CPU in each process that reads a schema, and hardly one looks at an address.
"""

import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType


def is_valid_syntax(term: str, text: str) -> bool:
    """Ask the library whether a text is what the term means."""
    answer: bool = _library().is_valid_syntax(term, text)
    return answer


@cache
def _library() -> ModuleType:
    here = Path(__file__).parent
    spec = PathFinder.find_spec(__name__, [place for place in sys.path if Path(place) != here])
    assert spec is not None
    assert spec.loader is not None
    library = sys.modules[__name__] = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library
