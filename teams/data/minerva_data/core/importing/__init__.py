"""Read other people's glossaries: CSV, XLSX, DDL, dbt, OpenMetadata and ODCS files."""
