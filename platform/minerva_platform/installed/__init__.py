"""The teams that are installed: found, made to fit each other, or left out with a reason."""
