"""The first team: it names columns, and lets their list out."""

from naming_workers import ColumnList, Columns, Names

from minerva_platform import Team


class Naming(Team):
    name = "naming"
    description = "Finds standard names, and makes columns of them."
    members = (Names, Columns)
    exports = (ColumnList,)
