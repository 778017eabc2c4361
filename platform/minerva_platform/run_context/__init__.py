"""The surroundings of a call: context and budget of its run, blocking work, failures as data."""
