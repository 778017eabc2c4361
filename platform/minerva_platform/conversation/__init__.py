"""What a request means in its thread: follow-ups, references and small talk."""
