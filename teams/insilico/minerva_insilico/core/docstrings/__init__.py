"""Docstrings: coverage, style, drafts."""
