"""Glossaries on disk: several, in editions, in SQLite."""
