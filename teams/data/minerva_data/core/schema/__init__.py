"""Schemas read and written: DDL, declarations, migrations, exports."""
