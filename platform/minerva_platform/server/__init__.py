"""The HTTP server: background runs over the protocol that clients of LangGraph speak."""
