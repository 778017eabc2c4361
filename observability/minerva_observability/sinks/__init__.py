"""Where finished records go. Import each sink by its module: each has its own weight."""
