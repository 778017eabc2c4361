"""Where values go: the sinks that they reach, by which way, and whose they are."""
