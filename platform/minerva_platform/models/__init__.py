"""Models behind a guard: total deadlines, whole answers only, and the money on record."""
