"""The team's workers, one a module."""
