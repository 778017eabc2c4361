"""Walks over the syntax tree of a file, one module a kind of node."""
