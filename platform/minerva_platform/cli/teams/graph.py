"""`minerva graph`: the tree of supervisors and workers as mermaid, for any viewer of it."""

from pathlib import Path

from minerva_platform.cli.asking.open_app import open_app
from minerva_platform.cli.io.stream import answers_only, write_text
from minerva_platform.config.settings import find_settings


def show_graph(team: str | None, config: Path | None) -> None:
    """Print the diagram: every supervisor, every worker, every node."""
    with answers_only():
        app = open_app(find_settings(config), only_team=team)
        diagram = app.team.graph.get_graph(xray=True).draw_mermaid()
    write_text(diagram.rstrip())
