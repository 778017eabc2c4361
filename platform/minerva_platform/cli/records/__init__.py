"""Commands about what was recorded."""
