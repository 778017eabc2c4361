"""Cutting a compound request into clauses, and the words each is about."""
