"""Failures as data: what is told of them, and whose code they come from."""
