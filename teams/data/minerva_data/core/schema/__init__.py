"""Columns as records, and schemas written: declarations, migrations, exports."""
