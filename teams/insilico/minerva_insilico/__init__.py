"""The insilico team: the contents of a code base, the uses of a field, missing docstrings.

Importing this costs nothing: the parsing process needs only `core`, and the
rest is loaded when it is used.
"""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_insilico.agents.ast_parser import AstParserAgent as AstParserAgent
    from minerva_insilico.agents.code_search import CodeSearchAgent as CodeSearchAgent
    from minerva_insilico.agents.docstring import DocstringAgent as DocstringAgent
    from minerva_insilico.contracts import (
        CodeIndex as CodeIndex,
        CodeUses as CodeUses,
        DeclaredFields as DeclaredFields,
    )
    from minerva_insilico.team import InsilicoTeam as InsilicoTeam
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
