"""The team's workers."""
