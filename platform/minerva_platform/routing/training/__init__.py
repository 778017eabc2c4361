"""Train a router from examples: features, classifier, thresholds, and the cache of all three."""
