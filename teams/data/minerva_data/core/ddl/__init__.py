"""Schemas read: CREATE TABLE and ALTER TABLE in eight dialects."""
