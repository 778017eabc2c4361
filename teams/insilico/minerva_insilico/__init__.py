"""The insilico team: the contents of a code base, the uses of a field, missing docstrings.

Importing this costs nothing: the parsing process needs only `core`, and the
rest is loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_insilico.agents.ast_parser import AstParserAgent
    from minerva_insilico.agents.code_search import CodeSearchAgent
    from minerva_insilico.agents.docstring import DocstringAgent
    from minerva_insilico.contracts import CodeIndex, CodeUses, DeclaredFields
    from minerva_insilico.team import InsilicoTeam

__all__ = [
    "AstParserAgent",
    "CodeIndex",
    "CodeSearchAgent",
    "CodeUses",
    "DeclaredFields",
    "DocstringAgent",
    "InsilicoTeam",
]

_HOME: Final = {
    "AstParserAgent": "agents.ast_parser",
    "CodeIndex": "contracts",
    "CodeSearchAgent": "agents.code_search",
    "CodeUses": "contracts",
    "DeclaredFields": "contracts",
    "DocstringAgent": "agents.docstring",
    "InsilicoTeam": "team",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that holds it."""
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
