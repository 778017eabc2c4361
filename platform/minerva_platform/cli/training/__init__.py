"""The commands that measure routes and correct them: `eval`, `route add`."""
