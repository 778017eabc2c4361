"""Read a YAML file that declares tables, whichever standard it follows."""

import re
from typing import Final, Literal

from minerva_governance.core.data_contracts.dbt_properties import read_dbt
from minerva_governance.core.data_contracts.odcs_contract import TEXTS, read_odcs
from minerva_governance.core.data_contracts.yaml_tree import Node, read_tree
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source import Source
from minerva_platform.text import Language
from minerva_reading import UnreadableError, read_text

MAX_BYTES: Final = 16 * 1024 * 1024
"""A contract of 50,000 columns has about 12 MiB."""
_MAX_GUESS_BYTES: Final = 65_536

ContractKind = Literal["odcs", "dbt"]

_ODCS: Final = re.compile(
    r"""(?:^|[{,])\s*["']?kind["']?\s*:\s*["']?DataContract\b""", re.MULTILINE
)
_DBT: Final = re.compile(
    r"""
    ^(?:models|sources|seeds|snapshots)\s*:[ \t]*(?:\#.*)?\r?\n    # a section
    (?:[ \t]*(?:\#.*)?\r?\n)*                                      # comments
    [ \t]*-[ \t]                                                   # a list below it
    """,
    re.MULTILINE | re.VERBOSE,
)
_OTHERS: Final = re.compile(r"""^["']?(?:apiVersion|rules|services|jobs)["']?\s*:""", re.MULTILINE)
"""Keys of files that may have a list of models or sources, too."""


def contract_kind(text: str) -> ContractKind | None:
    """Return which standard the beginning of a YAML text follows, or None."""
    if _ODCS.search(text):
        return "odcs"
    return "dbt" if _DBT.search(text) and not _OTHERS.search(text) else None


def kind_of_contract(source: Source) -> ContractKind | None:
    """Return which standard the YAML file follows by its beginning; None also if it is closed."""
    try:
        with source.path.open("rb") as stream:
            return contract_kind(stream.read(_MAX_GUESS_BYTES).decode("utf-8-sig", "replace"))
    except OSError:
        return None


def read_contract(source: Source, kind: ContractKind, *, language: Language) -> Schema:
    """Return what the file declares.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no YAML that is read.
    """
    documents = read_tree(read_text(source.path, max_bytes=MAX_BYTES).text)
    first = documents[0] if documents else Node(1)
    found = read_odcs(first, language) if kind == "odcs" else read_dbt(first, language)
    if len(documents) > 1:
        found.problems.append((documents[1].line, TEXTS("more_documents", language)))
    if not found.columns and not found.problems:
        raise UnreadableError(reason="no_yaml")
    return Schema(
        source=source.name,
        columns=tuple(found.columns),
        tables=tuple(found.tables),
        problems=tuple(
            Problem(file=source.name, line=line, message=message)
            for line, message in found.problems
        ),
    )
