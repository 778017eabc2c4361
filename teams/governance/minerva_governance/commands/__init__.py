"""The commands that the team brings to `minerva`."""
