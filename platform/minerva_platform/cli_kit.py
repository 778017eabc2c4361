"""The tools with which a team's own commands answer as `minerva` does.

`asked` runs a request through all installed teams, as `minerva ask` does.
"""

from minerva_platform.cli.ask.ask import asked
from minerva_platform.cli.ask.commands import AskOptions
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import printable, write_json, write_text
from minerva_platform.cli.views.progress import say

__all__ = ["AskOptions", "ExitCode", "asked", "printable", "say", "write_json", "write_text"]
