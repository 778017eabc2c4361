"""The figures of stats, pages and metrics, counted from records."""
