"""The tables of runs: turns, questions, decisions, effects and leases."""
