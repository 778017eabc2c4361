"""New words and terms that somebody proposes, and their decision."""
