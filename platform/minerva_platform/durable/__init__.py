"""Runs that survive: how a run moves from its request to its end, over pauses and crashes."""
