"""The tools with which a team's own commands answer as `minerva` does."""

from minerva_platform.cli.io.stream import printable, write_json, write_text
from minerva_platform.cli.views.progress import say

__all__ = ["printable", "say", "write_json", "write_text"]
