"""Two workers, and what each hands on."""

from typing import ClassVar

from naming_requests import COLUMNS, NAMES
from terms import Column, Term, columns_text, find_terms, make_columns, names_text

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Handoff


class TermList(Handoff):
    kind: ClassVar[str] = "standard.terms"
    terms: tuple[Term, ...]


class ColumnList(Handoff):
    kind: ClassVar[str] = "standard.columns"
    columns: tuple[Column, ...]


class NamesOutput(AgentOutput):
    found: TermList


class ColumnsInput(AgentInput):
    found: TermList


class ColumnsOutput(AgentOutput):
    made: ColumnList


class Names(BaseAgent[AgentInput, NamesOutput]):
    name = "names_agent"
    description = "Finds standard names."
    examples = NAMES

    def work(self, given: AgentInput) -> NamesOutput:
        terms = tuple(find_terms(given.request))
        return NamesOutput(summary=names_text(terms), found=TermList(terms=terms))


class Columns(BaseAgent[ColumnsInput, ColumnsOutput]):
    name = "columns_agent"
    description = "Makes a table of columns."
    examples = COLUMNS

    def work(self, given: ColumnsInput) -> ColumnsOutput:
        made = tuple(make_columns(given.found.terms))
        return ColumnsOutput(summary=columns_text(made), made=ColumnList(columns=made))
