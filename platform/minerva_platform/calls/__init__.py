"""What surrounds one call: its run's context and budget, blocking work, and failures as data."""
