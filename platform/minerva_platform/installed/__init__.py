"""Installed teams: found, made to fit each other, or left out with a reason."""
