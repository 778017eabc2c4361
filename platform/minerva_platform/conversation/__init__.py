"""The meaning of a request in its thread: follow-ups, references and small talk."""
