"""Rules of names and types, and what breaks them."""
