"""Standardise schemas, lists of columns and typed names of any size, into files."""
