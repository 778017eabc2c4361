"""Web pages about recorded runs, served alone or inside a larger server.

This package needs the extra `minerva-observability[dashboard]`.
"""

from minerva_observability.dashboard.server.app import DashboardError, add_dashboard, build_app
from minerva_observability.dashboard.server.launch import serve

__all__ = ["DashboardError", "add_dashboard", "build_app", "serve"]
