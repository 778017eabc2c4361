"""Shapes that a team declares: who works after whom."""
