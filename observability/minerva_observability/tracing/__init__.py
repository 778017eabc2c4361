"""Spans and the scope of a run: what code records through."""
