"""What a file says: definitions, uses, sinks, words."""
