"""Personal data in schemas and data files."""
