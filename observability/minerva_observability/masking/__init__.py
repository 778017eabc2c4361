"""What no record may hold, and how it is taken out."""
