"""Commands that run a request, or foresee its run."""
