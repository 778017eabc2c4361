"""Commands that run a request, or preview its run."""
