"""Data files of all formats, read as tables of rows, or as relations that DuckDB reads itself."""
