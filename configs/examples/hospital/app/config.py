"""Where the database and the export folder are."""

import os

PAGE_SIZE = 50


def database_url() -> str:
    """Give the address of the Oracle database."""
    return os.environ.get("HOSPITAL_DB", "oracle://localhost/HOSPITAL")


def export_folder() -> str:
    return os.environ.get("HOSPITAL_EXPORT", "/var/hospital/export")
