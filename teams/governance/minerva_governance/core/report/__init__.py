"""The report of a review."""
