"""Requests with what should become of them, and how well a platform meets that."""
