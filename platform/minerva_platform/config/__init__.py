"""Settings, and the folders in which runs keep their files."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.config.limits import RunLimits as RunLimits
    from minerva_platform.config.mcp_spec import McpServerSpec as McpServerSpec
    from minerva_platform.config.settings import (
        Settings as Settings,
        TeamSettings as TeamSettings,
        find_settings as find_settings,
        home_directory as home_directory,
    )
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
