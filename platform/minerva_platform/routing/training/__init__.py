"""Learning a router from examples: features, classifier, thresholds, and what is kept of them."""
