"""Questions to the index: symbols, callers, text, complexity."""
