"""The graphs that langgraph.json names, for `langgraph dev` and LangGraph Studio.

These are servers: a client may attach what lies below `server.attachments_root`, and nothing else.
"""

from typing import Any

from minerva_platform import Platform
from minerva_platform.langgraph import as_graph


def platform() -> Any:
    """Return the whole tree."""
    return _graph(Platform.from_config())


def data() -> Any:
    """Return the data team alone."""
    return _graph(Platform.from_config(only_team="data"))


def insilico() -> Any:
    """Return the insilico team alone."""
    return _graph(Platform.from_config(only_team="insilico"))


def governance() -> Any:
    """Return the governance team alone."""
    return _graph(Platform.from_config(only_team="governance"))


def _graph(asked: Platform) -> Any:
    root = asked.settings.platform.server.attachments_root
    return as_graph(asked, attachments_root=root)
