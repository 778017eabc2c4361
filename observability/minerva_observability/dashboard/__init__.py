"""Pages about recorded runs, for a server of their own or as part of a larger one.

Needs the extra `minerva-observability[dashboard]`.
"""

from minerva_observability.dashboard.server.app import add_dashboard, build_app
from minerva_observability.dashboard.server.errors import DashboardError
from minerva_observability.dashboard.server.launch import serve

__all__ = ["DashboardError", "add_dashboard", "build_app", "serve"]
