"""The facts of a tree, kept in SQLite and brought up to date."""
