"""The graphs that langgraph.json names, for `langgraph dev` and LangGraph Studio."""

from typing import Any

from minerva_platform import Platform
from minerva_platform.langgraph import as_graph


def platform() -> Any:
    """Return the whole tree."""
    return as_graph(Platform.from_config())


def data() -> Any:
    """Return the data team alone."""
    return as_graph(Platform.from_config(only_team="data"))


def insilico() -> Any:
    """Return the insilico team alone."""
    return as_graph(Platform.from_config(only_team="insilico"))


def governance() -> Any:
    """Return the governance team alone."""
    return as_graph(Platform.from_config(only_team="governance"))
