"""Kill a run at every hop, let people decide at once: what a run of a team survives."""
