"""The `minerva` command. Importing this costs little; each command loads what it uses."""

from minerva_platform.cli.main import main

__all__ = ["main"]
