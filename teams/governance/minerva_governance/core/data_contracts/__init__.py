"""Schemas that organisations declare in YAML: data contracts (ODCS) and dbt's property files."""
