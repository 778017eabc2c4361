"""The insilico team: index a code base once, then answer about it."""

from collections.abc import Mapping

from minerva_insilico.agents.ast_parser import AstParserAgent
from minerva_insilico.agents.code_search import CodeSearchAgent
from minerva_insilico.agents.docstring import DocstringAgent
from minerva_insilico.contracts import CodeIndex, CodeUses, DeclaredFields, DocstringCoverage
from minerva_platform import Team
from minerva_platform.text import Language


class InsilicoTeam(Team):
    """Parser, searcher and documenter of Python code."""

    name = "insilico"
    description = (
        "Knows Python code bases: indexes sources without running them, finds callers and uses of"
        " fields, tells what breaks when columns are renamed, and measures docstring coverage."
    )
    headings: Mapping[Language, str] = {"ko": "코드 분석", "en": "Code analysis"}
    members = (AstParserAgent, CodeSearchAgent, DocstringAgent)
    exports = (CodeIndex, CodeUses, DeclaredFields, DocstringCoverage)
