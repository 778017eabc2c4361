"""Files that are under review: which there are, and schemas and texts of them."""
