"""Schemas in SQL: what their statements declare, change and insert."""
