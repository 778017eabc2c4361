"""The graphs that langgraph.json names, for `langgraph dev` and LangGraph Studio."""

from typing import Any

from minerva_platform.langgraph import studio_graph


def platform() -> Any:
    """Return the whole tree."""
    return studio_graph()


def data() -> Any:
    """Return the data team alone."""
    return studio_graph("data")


def insilico() -> Any:
    """Return the insilico team alone."""
    return studio_graph("insilico")


def governance() -> Any:
    """Return the governance team alone."""
    return studio_graph("governance")
