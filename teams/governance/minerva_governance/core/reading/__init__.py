"""Files that are under review, read as tables, schemas and texts."""
