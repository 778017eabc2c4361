"""The command that the team brings: `minerva code`."""
