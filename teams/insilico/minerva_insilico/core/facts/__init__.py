"""The facts of a file: definitions, uses, sinks, words."""
