"""The commands that care for the store: `prune`, `doctor`, `forget`, `backup`, `encrypt`."""
