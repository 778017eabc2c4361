"""Imports between modules, and distributions that they need."""
