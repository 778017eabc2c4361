"""Checks of declarations before anything runs; `minerva check` prints what they find."""
