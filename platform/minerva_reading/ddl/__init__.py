"""Schemas in the SQL of any dialect, read word by word: tables and their columns."""
