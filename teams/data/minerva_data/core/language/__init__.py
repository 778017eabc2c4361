"""The sentences of a request: which words name a thing."""
