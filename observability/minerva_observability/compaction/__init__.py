"""Closed files of records become Parquet."""
