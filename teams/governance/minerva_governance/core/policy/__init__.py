"""Policies: files, rules, and what is odd in them."""
