"""New words and terms that wait for a person's decision."""
